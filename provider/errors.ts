// The error classes of the provider (config.ts has UnboundUrl, api/network.ts ProxiedError). They are told apart by `kind`, never
// by `instanceof`: two copies of the package can be loaded in one process. Messages say what was tried, what the service
// answered, and what to do next; none ever holds a key or a request header.

import type { ForeseenFailure } from "./rules/foreseen-failure.js";

/** What the service said when it refused or failed a request. */
export interface ServiceAnswer {
  method: string;
  /** Path, relative to the base URL. */
  path: string;
  status: number;
  /** The service's own `code`, often empty. */
  code: string;
  /** The service's own words, or the beginning of a body that was not JSON. */
  message: string;
  requestId?: string;
  /** `Retry-After` in milliseconds from the moment the answer came. */
  retryAfterMs?: number;
  /** Why the URL may be wrong, if the response does not look like the API's. It is in the message too. */
  urlDoubt?: string;
}

/** The service answered with an error status. */
export class ServiceError extends Error {
  readonly kind = "service";

  constructor(readonly answer: ServiceAnswer) {
    super(describeAnswer(answer));
    this.name = "ServiceError";
  }
}

/**
 * It is not known whether a request did its work: the connection was cut, nothing came in time, a proxy answered in the
 * service's place, or a success came with a body that can't be read. The provider looks whether such a mutation was
 * applied before it sends it again.
 */
export class UnknownOutcome extends Error {
  /** The word that programs see, as the `kind` of a `LookupError`. */
  readonly kind = "unclear";

  constructor(
    readonly request: { method: string; path: string },
    readonly reason: string,
    /** Absent if no answer came. */
    readonly answer?: ServiceAnswer,
    options?: ErrorOptions,
  ) {
    super(`${request.method} ${request.path}: ${answer ? describeAnswer(answer, false) : reason}`, options);
    this.name = "UnknownOutcome";
  }
}

/** The step's time is up. */
export class DeadlineExceeded extends Error {
  readonly kind = "deadline";

  constructor(
    message: string,
    /** Operations that were still going, so that the next step can take them up. */
    readonly operationIds: string[] = [],
  ) {
    super(message);
    this.name = "DeadlineExceeded";
  }
}

/**
 * The run was interrupted (one Ctrl-C), so the provider stops waiting and sends no further change. Work that had begun goes on at
 * the service.
 */
export class Cancelled extends Error {
  readonly kind = "cancelled";

  constructor(
    message = "interrupted",
    /** Operations that were still going, so that the next step can take them up. */
    readonly operationIds: string[] = [],
  ) {
    super(message);
    this.name = "Cancelled";
  }
}

/** An operation failed. */
export class OperationFailed extends Error {
  readonly kind = "operation-failed";

  constructor(
    message: string,
    /** The operations that failed, and those that were still pending at that moment. */
    readonly operationIds: string[],
  ) {
    super(message);
    this.name = "OperationFailed";
  }
}

/** The configuration can't be used; no request was sent. */
export class ConfigError extends Error {
  readonly kind = "config";

  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}

/** The provider stopped before a harmful request; nothing was changed. */
export class Stopped extends Error {
  readonly kind = "stopped";

  /**
   * @param reason `occupied`: the branch still has a primary. If it leaves in this run, the step is tried again
   * @param foreseen set if a preview can detect this before the step
   */
  constructor(
    message: string,
    readonly reason?: "occupied",
    readonly foreseen?: ForeseenFailure,
  ) {
    super(message);
    this.name = "Stopped";
  }
}

/**
 * The compute exists, but the step did not end well. Pulumi keeps `id` and `properties` in the state, and the next
 * `pulumi up` calls update to finish the work.
 */
export class NotReady extends Error {
  readonly kind = "not-ready";

  constructor(
    readonly id: string,
    readonly properties: Record<string, unknown>,
    readonly reasons: string[],
    options?: ErrorOptions,
  ) {
    super(reasons.join("; "), options);
    this.name = "NotReady";
  }
}

export type ProviderError =
  | ServiceError
  | UnknownOutcome
  | DeadlineExceeded
  | Cancelled
  | OperationFailed
  | ConfigError
  | Stopped
  | NotReady;

type ErrorOf<K extends ProviderError["kind"]> = Extract<ProviderError, { kind: K }>;

/** Whether `error` is one of ours of the given kind. */
export function isKind<K extends ProviderError["kind"]>(error: unknown, kind: K): error is ErrorOf<K> {
  return error instanceof Error && (error as { kind?: unknown }).kind === kind;
}

/** Why the service's URL may be the reason for this error. */
export const urlDoubtOf = (error: unknown): string | undefined =>
  isKind(error, "service") ? error.answer.urlDoubt : undefined;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** One sentence for what the service said: method, path, status, code, message and request id. */
function describeAnswer(answer: ServiceAnswer, withPath = true): string {
  const code = answer.code ? ` ${answer.code}` : "";
  const id = answer.requestId ? ` (request id ${answer.requestId})` : "";
  const head = withPath ? `${answer.method} ${answer.path}: ` : "";
  return `${head}the service answered ${answer.status}${code}: ${answer.message}${id}`;
}
