import * as pulumi from "@pulumi/pulumi";
import { INSTANCE } from "../provider/rules/config-names.js";
import { plainHostProblem } from "../provider/rules/config-warnings.js";
import { failure } from "./failure.js";
import { computeSettings, isConfigSecret, isMocked, oncePerRun } from "./pulumi-run.js";

/**
 * Refuses a host in the stack's config if somebody who can change only the stack's file could have put it there. The
 * program's requests would go to that host.
 * @throws RunError before anything is sent
 */
export const refuseForeignHosts = oncePerRun((monitor) => {
  refuseInstanceNames();
  if (!isMocked(monitor)) refusePlainHost();
});

/** In a method of a component, Pulumi does not tell which values are secret, so each counts as plain. */
function refusePlainHost(): void {
  const isPlainKey = isConfigSecret("compute:apiKey") === false;
  const problem = plainHostProblem({ values: computeSettings(), isPlainKey });
  if (problem === undefined) return;
  throw failure(
    `${problem}. In a method of a component Pulumi does not tell what is encrypted: set COMPUTE_API_KEY and COMPUTE_API_URL in the environment there`,
  );
}

/**
 * Refuses config under the names by which a `Provider` hands its account to its own process. Somebody who can't read an encrypted
 * key can copy it to such a name, beside a URL of theirs.
 * @throws RunError before anything is sent
 */
function refuseInstanceNames(): void {
  const { allConfig } = pulumi.runtime as { allConfig?: () => Record<string, string> };
  const config = allConfig?.() ?? {};
  const found = Object.values(INSTANCE).find((name) => config[name] !== undefined);
  if (found === undefined) return;
  throw failure(
    `${found} is in the stack's config, and only a Provider of the program may set it: whoever may change that file could send a key to another host. Nothing was sent. Remove it: \`pulumi config rm ${found}\`; for an account of its own, write new Provider("…", { apiKey, apiUrl })`,
  );
}
