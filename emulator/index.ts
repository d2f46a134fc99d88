import type { FaultRule } from "./faults.js";
import type { Seed } from "./seed.js";
import type { Time } from "./time.js";
import type { World } from "./world.js";

export { createEmulator } from "./core.js";
export type { FaultRule } from "./faults.js";
export { SEED, type Seed } from "./seed.js";
export { startEmulator } from "./server.js";
export { realTime, seededRandom, type Time, type VirtualTime, virtualTime } from "./time.js";
export type { BranchRow, EndpointRow, OperationRow, ProjectRow, World } from "./world.js";

/** A key, and how far it reaches. */
export interface Key {
  key: string;
  /** Only this project (editor level): others are 404, the list of projects and deleting it are 403. Absent: everything. */
  projectId?: string;
}

export interface EmulatorOptions {
  /** Port on 127.0.0.1, for `startEmulator`. @default 0, a free one */
  port?: number;
  /** The key that reaches everything. @default one made up */
  apiKey?: string;
  /** Further keys. */
  keys?: Key[];
  /** How long an operation takes, for all actions or for each. @default 500 */
  operationMs?: number | ({ [action: string]: number } & { default?: number });
  /** @default the real time */
  time?: Time;
  /** Chance, for ids and passwords: `seededRandom(1)` gives the same ones each time. @default Math.random */
  random?: () => number;
  /** What updating an idle compute answers: `[apply_config, suspend_compute]` or `[]`; both are public. @default "operations" */
  idleUpdate?: "operations" | "none";
  /** The answer to the restart of an idle compute, which is not documented. @default 412 */
  restartIdleStatus?: 412 | 423;
  /** What pending operations lock. @default "project" */
  lock?: "project";
  /** Seconds without activity that a `suspend_timeout_seconds` of 0 stands for. @default 300 */
  suspendDefaultSeconds?: number;
}

export interface EmulatorRequest {
  method: string;
  /** With the query, relative to the origin: `/api/v2/projects`. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface EmulatorAnswer {
  status: number;
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

export interface Emulator {
  readonly apiKey: string;
  readonly seed: Seed;
  /** The live world, brought up to the present: what is written to it counts. */
  readonly world: World;
  /** Every request to the API; set `length` to 0 to empty it. */
  readonly requests: RequestRecord[];
  readonly faults: {
    /** Throws on a rule that makes no sense. */
    add(rule: FaultRule): void;
    /** Drops all rules; operations that "never" end then end well. */
    clear(): void;
  };
  /** One request, without a socket. */
  handle(request: EmulatorRequest): Promise<EmulatorAnswer | { cut: true }>;
}

export interface RunningEmulator extends Emulator {
  /** `http://127.0.0.1:4010` */
  readonly origin: string;
  /** The base URL: the origin with `/api/v2`. */
  readonly url: string;
  /** Ends all connections. A second call does nothing. */
  close(): Promise<void>;
}
