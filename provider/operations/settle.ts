import type { Deadline } from "../clock.js";
import type { WireOperation } from "../wire/operation.js";
import type { Context } from "./context.js";

export interface Settled {
  /** Operations the service no longer knows: look at the compute itself to learn how they ended. */
  vanished: string[];
}

/** Waits for all of them. @throws OperationFailed, DeadlineExceeded; ServiceError for 401 and 403 */
export function settle(
  _context: Context,
  _project: string,
  _operations: WireOperation[],
  _deadline: Deadline,
): Promise<Settled> {
  throw new Error("not built yet");
}

/** Operations of one compute that still run: for a change whose answer was lost. */
export function pendingOf(
  _context: Context,
  _project: string,
  _endpointId: string,
  _deadline: Deadline,
): Promise<WireOperation[]> {
  throw new Error("not built yet");
}
