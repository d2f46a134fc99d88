/** An error response of the service, with the service's own message. */
export class ServiceError extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Empty in most responses of the service. */
    readonly code = "",
    /** Milliseconds until the request may succeed, if waiting helps. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** Characters of a client's value that a message shows. */
const LONGEST_SHOWN = 200;

export const invalidRequestError = (words: string) => new ServiceError(400, `invalid request: ${words}`);

export const unauthorizedError = () => new ServiceError(401, "supplied credentials do not pass authentication");

export const forbiddenError = () => new ServiceError(403, "this key is not allowed to do that");

export const notFoundError = (
  what: "project" | "branch" | "endpoint" | "operation" | "role" | "database" | "permission" | "jwks" | "key" | "route",
) => new ServiceError(404, `${what} not found`);

/** For a request to a control route that makes no sense. */
export const controlError = (reason: string) => new ServiceError(400, reason);

export const methodNotAllowedError = () => new ServiceError(405, "method not allowed");

export const bodyTooLargeError = () => new ServiceError(413, "request body too large");

export function contentTypeError(type: string): ServiceError {
  const given = type === "" ? "is missing" : `is ${JSON.stringify(type.slice(0, LONGEST_SHOWN))}`;
  return new ServiceError(415, `Content-Type ${given}: a body must be application/json`);
}

export const bodyTooDeepError = (levels: number) =>
  invalidRequestError(`decode application/json: nested deeper than ${levels} levels`);

export const pathTooLongError = (most: number) => new ServiceError(414, `the path has more than ${most} characters`);

export const tooManyDelayedError = (most: number) =>
  new ServiceError(503, `${most} answers are delayed already: the emulator delays no more at the same time`);

export const jsonSyntaxError = (reason: string) => invalidRequestError(`decode application/json: ${reason}`);

export const pathEncodingError = () => invalidRequestError("decode path: invalid percent-encoding");

export const unknownRegionError = (regionId: string) =>
  invalidRequestError(`region_id: unknown region ${JSON.stringify(regionId)}`);

export const queryError = (name: string, reason: string) => invalidRequestError(`decode query: ${name}: ${reason}`);

export const primaryExistsError = () =>
  new ServiceError(409, "read_write endpoint already exists", "ENDPOINTS_LIMIT_EXCEEDED");

export const endpointInTransitionError = (ms?: number) =>
  new ServiceError(423, "endpoint is in some transitive state, could not suspend", "", ms);

/** Neither the status nor the message is documented, so an option chooses the status. */
export const restartIdleError = (status: 412 | 423) =>
  status === 412 ? new ServiceError(412, "endpoint is not active, could not restart") : endpointInTransitionError();

export const projectBusyError = (retryAfterMs?: number) =>
  new ServiceError(
    423,
    "project already has running conflicting operations, scheduling of new ones is prohibited",
    "",
    retryAfterMs,
  );

/** The status is documented, the message is not. */
export const rateLimitError = (retryAfterMs?: number) => new ServiceError(429, "rate limit exceeded", "", retryAfterMs);

export const noRestorePointError = () =>
  invalidRequestError("source_lsn or source_timestamp: required to restore a branch from itself");

/** A restore must preserve the branch's old state if something still needs it. */
export const preserveNameRequiredError = (reason: string) =>
  invalidRequestError(`preserve_under_name: required when ${reason}`);
