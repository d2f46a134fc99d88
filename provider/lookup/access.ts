import { Deadline } from "../clock.js";
import { isKind, Stopped } from "../errors.js";
import { type Context, type ContextOptions, createContext } from "../operations/context.js";
import { SecretRedactor } from "../secret-redactor.js";
import type { KnownConfig } from "./account.js";

/** An account, and how long one request with its repetitions may take. */
export interface Access {
  context: Context;
  /** Where the key comes from, for errors. */
  keySource: string;
  timeoutMs: number;
}

/** What the programs of this process call secret. */
const secrets = new SecretRedactor();

/** Remembers which arguments of a look-up are secret: no error shows them. */
export function keepSecret(args: object, names: readonly string[]): void {
  secrets.see({ ...args, __secret: names });
}

/** The error and its causes without secrets. */
export function withoutSecrets(error: unknown): unknown {
  for (let at = error; at instanceof Error; at = at.cause) at.message = secrets.redact(at.message);
  return error;
}

/** By account: the rate, and the connections, are shared by all look-ups of a process. */
const contexts = new Map<string, Context>();

export function accessTo(
  { account, requestsPerMinute }: KnownConfig,
  timeoutMs: number,
  say: (line: string) => void,
  limits: Pick<ContextOptions, "requestTimeoutMs" | "bodyLimit"> = {},
): Access {
  const { apiUrl: baseUrl, apiKey, keySource } = account;
  const name = JSON.stringify([baseUrl, apiKey, keySource, requestsPerMinute, limits]);
  let context = contexts.get(name);
  if (!context) {
    context = createContext({ ...limits, baseUrl, apiKey, keySource, requestsPerMinute, say, secrets });
    contexts.set(name, context);
  }
  return { context, keySource, timeoutMs };
}

export const deadlineOf = ({ context, timeoutMs }: Access): Deadline => new Deadline(context.clock, timeoutMs);

/** 405 is what a service answers that does not have the route. */
export const isMissing = (error: unknown): error is Error =>
  isKind(error, "service") && (error.answer.status === 404 || error.answer.status === 405);

export const projectMissing = (access: Access, projectId: string, error: Error): Stopped =>
  missing(`project ${projectId} does not exist, or the key (from ${access.keySource}) can't see it`, error);

/** What a 404 comes to, with the service's words behind it. */
export function missing(message: string, cause: Error): Stopped {
  const stopped = new Stopped(`${message} (${cause.message})`);
  stopped.cause = cause;
  return stopped;
}
