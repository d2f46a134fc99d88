import { Deadline } from "../provider/clock.js";
import { readConfig } from "../provider/config.js";
import { ConfigError, isKind, Stopped } from "../provider/errors.js";
import { type Access, isMissing, projectMissing } from "../provider/lookup/access.js";
import { getEndpoint } from "../provider/lookup/index.js";
import { createContext } from "../provider/operations/context.js";
import type { Io } from "./io.js";
import { EXIT } from "./usage.js";

const VARIABLES = ["COMPUTE_API_KEY", "COMPUTE_API_URL", "NEON_API_KEY", "NEON_API_HOST"];

/** The service, with the key and the URL of the environment: layers, limits and errors are the provider's. */
export function accessFor(io: Io, timeoutMs: number, lateAdvice?: string): Access {
  if (!VARIABLES.some((name) => io.env[name]?.trim())) {
    throw new ConfigError(
      "no API key: set COMPUTE_API_KEY in the environment, and COMPUTE_API_URL unless the public service is meant. A stack's config is not read here",
    );
  }
  const { account } = readConfig({ get: () => undefined }, io.env);
  if (account instanceof Error) throw account;
  const { apiUrl: baseUrl, ...key } = account;
  const say = (line: string) => io.err.write(`${line}\n`);
  const context = createContext({ ...key, ...io.network, baseUrl, say, lateAdvice });
  return { context, keySource: account.keySource, timeoutMs };
}

export const deadlineIn = ({ context, timeoutMs }: Access): Deadline => new Deadline(context.clock, timeoutMs);

/** A 404 on the project, in words. */
export const explained = (access: Access, projectId: string, error: unknown): unknown =>
  isMissing(error) ? projectMissing(access, projectId, error) : error;

/** The error for a compute that its project's list lacks: it names those that are there. */
export async function notThere(access: Access, place: { projectId: string; id: string }): Promise<Error> {
  const answer = await getEndpoint(access, place).catch((error: unknown) => error);
  return answer instanceof Error ? answer : new Stopped(`compute ${place.id} is not in project ${place.projectId}`);
}

/** How a command ends for an error: bad usage, and what makes a request impossible, are 2. */
export const exitOf = (error: unknown): number =>
  (error as { kind?: unknown } | null)?.kind === "usage" || isKind(error, "config") ? EXIT.usage : EXIT.failed;
