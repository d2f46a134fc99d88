import * as pulumi from "@pulumi/pulumi";
import { instanceNameProblem, plainHostProblem } from "../provider/rules/config-warnings.js";
import { failure } from "./failure.js";
import { computeSettings, isConfigSecret, isMocked, oncePerRun } from "./pulumi-run.js";

/**
 * Throws if the stack's config names a host in plain text, because anybody who can edit the file could have set it. The program's
 * requests would go to that host.
 * @throws RunError before anything is sent
 */
export const refuseForeignHosts = oncePerRun((monitor) => {
  refuseInstanceNames();
  if (!isMocked(monitor)) refusePlainHost();
});

/** In a method of a component, Pulumi does not say which values are secret, so each counts as plain. */
function refusePlainHost(): void {
  const isPlainKey = isConfigSecret("compute:apiKey") === false;
  const problem = plainHostProblem({ values: computeSettings(), isPlainKey });
  if (problem === undefined) return;
  throw failure(
    `${problem}. In a method of a component Pulumi does not tell what is encrypted: set COMPUTE_API_KEY and COMPUTE_API_URL in the environment there`,
  );
}

/** @throws RunError before anything is sent */
function refuseInstanceNames(): void {
  const { allConfig } = pulumi.runtime as { allConfig?: () => Record<string, string> };
  const config = allConfig?.() ?? {};
  const problem = instanceNameProblem((name) => config[name]);
  if (problem === undefined) return;
  throw failure(`${problem}; for an account of its own, write new Provider("…", { apiKey, apiUrl })`);
}
