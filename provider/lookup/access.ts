import { Deadline } from "../clock.js";
import { isKind, Stopped, urlDoubtOf } from "../errors.js";
import type { Context } from "../operations/context.js";
import { type ContextOptions, createContext } from "../operations/create-context.js";
import { HiddenTexts } from "../secret-forms.js";
import { SecretRedactor } from "../secret-redactor.js";
import { escapeInvisibleLines } from "../visible-text.js";
import type { KnownConfig } from "./account.js";

/** Milliseconds that a look-up may take, with its repetitions, where nobody says otherwise. */
export const LOOKUP_MS = 120_000;

/** An account, and how long one request with its repetitions may take. */
export interface Access {
  context: Context;
  /** Where the key comes from, for errors. */
  keySource: string;
  timeoutMs: number;
}

/** The secrets of the programs of this process. */
const secrets = new SecretRedactor();

/** Remembers which arguments of a look-up are secret: no error shows them. */
export function keepSecret(args: object, names: readonly string[]): void {
  secrets.remember({ ...args, __secret: names });
}

/** The keys of all accounts that were asked. */
const keys = new HiddenTexts("[key]");

/** The text as people may see it: without keys and secrets, and with escapes for invisible characters. @public */
export const redacted = (text: string): string => escapeInvisibleLines(secrets.redact(text, keys));

/** The error and its causes, as people may see them. */
export function withoutSecrets(error: unknown): unknown {
  for (let at = error; at instanceof Error; at = at.cause) at.message = redacted(at.message);
  return error;
}

/** By account: the rate, and the connections, are shared by all look-ups of a process. */
const contexts = new Map<string, Context>();

export function accessTo(
  { account, requestsPerMinute }: KnownConfig,
  timeoutMs: number,
  log: (line: string) => void,
  limits: Pick<ContextOptions, "requestTimeoutMs" | "bodyLimit"> = {},
): Access {
  const { apiUrl: baseUrl, apiKey, keySource, urlSource } = account;
  const name = JSON.stringify([baseUrl, apiKey, keySource, urlSource, requestsPerMinute, limits]);
  let context = contexts.get(name);
  if (!context) {
    keys.addKey(apiKey);
    context = createContext({
      ...limits,
      baseUrl,
      apiKey,
      keySource,
      urlSource,
      requestsPerMinute,
      log: (line) => log(redacted(line)),
      secrets,
    });
    contexts.set(name, context);
  }
  return { context, keySource, timeoutMs };
}

export const deadlineOf = ({ context, timeoutMs }: Access): Deadline => new Deadline(context.clock, timeoutMs);

/** A service that does not have the route may answer 405. */
export const isMissing = (error: unknown): error is Error =>
  isKind(error, "service") && (error.answer.status === 404 || error.answer.status === 405);

/** The error to show: a 404 on the project becomes a sentence that names the project. */
export function explainMissingProject(access: Access, projectId: string, error: unknown): unknown {
  if (!isMissing(error)) return error;
  if (urlDoubtOf(error) !== undefined) return missing(`project ${projectId} was not found`, error);
  return missing(`project ${projectId} does not exist, or the key (from ${access.keySource}) can't see it`, error);
}

/** The error for a 404, with the service's words after it. */
export function missing(message: string, cause: Error): Stopped {
  const stopped = new Stopped(`${message} (${cause.message})`);
  stopped.cause = cause;
  return stopped;
}
