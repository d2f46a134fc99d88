import type { ClockMode } from "./clock.js";
import type { FaultRule } from "./faults.js";
import type { Seed } from "./seed.js";
import type { OperationRow, World } from "./world.js";

/** One request as it comes in, for `handle`. */
export interface EmulatorRequest {
  method: string;
  /** With the query, relative to the origin: `/api/v2/projects`. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** What `handle` answers. */
export interface EmulatorAnswer {
  status: number;
  /** Names in small letters. */
  headers: Record<string, string>;
  body: string;
}

/** One request that came in on the API (not on the control routes), in the order of arrival. */
export interface RequestRecord {
  method: string;
  /** With the query, relative to the base URL: `/projects/quiet-meadow-40718263/endpoints`. */
  path: string;
  /** Parsed where it is JSON, else the text; absent without a body. */
  body?: unknown;
  /** Absent until it is answered. */
  status?: number | "cut";
  /** Milliseconds since the epoch. */
  time: number;
}

/** The clock by which operations end and computes are suspended. It never goes back. */
export interface EmulatorClock {
  /** `virtual`: it stands still until it is advanced. */
  readonly mode: ClockMode;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Goes forward by so many milliseconds, in both modes; all that becomes due happens in its order. */
  advance(ms: number): void;
  /** Stops the clock (`virtual`) or lets it go on from where it stands (`real`). */
  run(mode: ClockMode): void;
}

/** What the service does by itself: on a compute, or on a branch or project without one. */
export interface ServiceOperation {
  /** A check of an idle compute is followed by its suspension. @default "check_availability" */
  action?: string;
  /** The compute; its branch and project follow from it. */
  endpointId?: string;
  /** Without a compute: the branch. */
  branchId?: string;
  /** Without a compute and a branch: the project. */
  projectId?: string;
}

/** A control plane in this process, without a socket. */
export interface Emulator {
  /** The key that reaches everything. */
  readonly apiKey: string;
  /** Ids of what a fresh world holds. */
  readonly seed: Seed;
  /** The live world, brought up to the present: what is written to it counts. */
  readonly world: World;
  /** Every request to the API, the last 100,000 of them; set `length` to 0 to empty it. */
  readonly requests: RequestRecord[];
  readonly faults: {
    /** Throws on a rule that makes no sense. */
    add(rule: FaultRule): void;
    /** Drops all rules; operations that "never" end then end well. */
    clear(): void;
  };
  readonly clock: EmulatorClock;
  /** Starts work of the service's own, at once; it locks the project like any other. Throws if there is no such thing. */
  startOperation(what: ServiceOperation): OperationRow[];
  /** One request, without a socket. */
  handle(request: EmulatorRequest): Promise<EmulatorAnswer | { cut: true }>;
}

/** A control plane that listens on 127.0.0.1. */
export interface RunningEmulator extends Emulator {
  /** `http://127.0.0.1:4010` */
  readonly origin: string;
  /** The base URL: the origin with `/api/v2`. */
  readonly url: string;
  /** Ends all connections. A second call does nothing. */
  close(): Promise<void>;
}
