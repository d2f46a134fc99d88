import { readConfig } from "../provider/config.js";
import { ConfigError, isKind, Stopped } from "../provider/errors.js";
import type { Access } from "../provider/lookup/access.js";
import { getEndpoint } from "../provider/lookup/index.js";
import { createContext } from "../provider/operations/create-context.js";
import { ACCOUNT_VARIABLES } from "../provider/rules/config-names.js";
import { EXIT } from "./arguments.js";
import type { Io } from "./io.js";

/** Access to the service with the key and the URL of the environment. Retries, limits and errors are the provider's. */
export function accessFor(io: Io, timeoutMs: number, timeoutAdvice?: string): Access {
  if (!ACCOUNT_VARIABLES.some((name) => io.env[name]?.trim())) {
    throw new ConfigError(
      "no API key: set COMPUTE_API_KEY in the environment, and COMPUTE_API_URL for another service than the public one. A stack's config is not read here",
    );
  }
  const { account } = readConfig({ get: () => undefined }, io.env);
  if (account instanceof Error) throw account;
  const { apiUrl: baseUrl, ...key } = account;
  const log = (line: string) => io.err.write(`${line}\n`);
  const context = createContext({ ...key, ...io.network, baseUrl, log, timeoutAdvice });
  return { context, keySource: account.keySource, timeoutMs };
}

/** The error for a compute that is not in its project. It names the computes that are. */
export async function missingComputeError(access: Access, compute: { projectId: string; id: string }): Promise<Error> {
  const answer = await getEndpoint(access, compute).catch((error: unknown) => error);
  return answer instanceof Error ? answer : new Stopped(`compute ${compute.id} is not in project ${compute.projectId}`);
}

/** The exit code for an error: 2 for bad usage and for a missing or wrong account, 1 for everything else. */
export const exitOf = (error: unknown): number =>
  (error as { kind?: unknown } | null)?.kind === "usage" || isKind(error, "config") ? EXIT.refused : EXIT.failed;
