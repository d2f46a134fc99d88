// A fault of a scenario, and the type of what injects it.

import type { Transport, TransportAnswer, TransportRequest } from "../../../provider/api/transport";
import type { VirtualClock } from "../../support/virtual-clock";

export type Target = "any" | "list" | "operations" | "POST" | "PATCH" | "DELETE" | "change";

export interface Fault {
  kind: string;
  on: Target;
  /** The number of matching requests that pass first. */
  skip: number;
  times: number;
  /** Decides which field is corrupted, or which form the answer has. */
  salt: number;
}

export interface Interception {
  request: TransportRequest;
  go: Transport;
  fault: Fault;
  clock: VirtualClock;
}

export type Interceptor = (interception: Interception) => Promise<TransportAnswer>;
