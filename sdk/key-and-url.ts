// A secret key and a plain URL in one stack's config. The key is encrypted in the stack's file, so whoever may change the file
// can't read it; but one changed line would send it to another host, and a preview sends it already.

import * as pulumi from "@pulumi/pulumi";
import { INSTANCE } from "../provider/rules/instance.js";
import { foreignHostOf } from "../provider/rules/service-url.js";
import { failure } from "./failure.js";

/** Runs whose config passed. Pulumi parses the whole config each time it is asked, and a program may have a thousand computes. */
const checked = new WeakSet<object>();

/**
 * Refuses a secret `compute:apiKey` beside a `compute:apiUrl` that anybody could have written. Only somebody who can encrypt
 * for the stack can write a secret URL. The environment does not change this: the check of a stack's file has the same result
 * on every machine.
 * @throws RunError before anything is sent
 */
export function refusePlainUrl(): void {
  const monitor = pulumi.runtime.getMonitor() as { mocks?: unknown } | undefined;
  if (monitor && checked.has(monitor)) return;
  refuseInstanceNames();
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (name: string) => boolean };
  if (!isConfigSecret || monitor?.mocks !== undefined) return;
  const url = pulumi.runtime.allConfig()["compute:apiUrl"];
  const host = foreignHostOf(url);
  if (host === undefined || !isConfigSecret("compute:apiKey") || isConfigSecret("compute:apiUrl")) {
    if (monitor) checked.add(monitor);
    return;
  }
  throw failure(
    `compute:apiUrl (${host}) stands in plain text in the stack's config, and compute:apiKey beside it is secret: whoever may change that line could send the key to a host of their own, in a preview already. Nothing was sent. If ${host} is right, encrypt the URL as well: \`pulumi config set --secret compute:apiUrl …\`; or give both by COMPUTE_API_KEY and COMPUTE_API_URL, and take both out of the config`,
  );
}

/**
 * Refuses config under the names by which a `Provider` hands its account to its own process: it would be taken for an account of
 * the program's. An encrypted key can be copied to such a name by who can't read it, beside a URL of theirs.
 * @throws RunError before anything is sent
 */
export function refuseInstanceNames(): void {
  const { allConfig } = pulumi.runtime as { allConfig?: () => Record<string, string> };
  const config = allConfig?.() ?? {};
  const found = Object.values(INSTANCE).find((name) => config[name] !== undefined);
  if (found === undefined) return;
  throw failure(
    `${found} stands in the stack's config, and only a Provider of the program may set it: whoever may change that file could send a key to a host of their own. Nothing was sent. Remove it: \`pulumi config rm ${found}\`; for an account of its own, write new Provider("…", { apiKey, apiUrl })`,
  );
}
