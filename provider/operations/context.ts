import type { Client } from "../api/client.js";
import type { EndpointLists } from "../api/lists.js";
import type { Clock } from "../clock.js";
import type { DeleteBatches } from "./delete-batches.js";
import type { MutationQueue } from "./mutation-queue.js";
import type { OperationPollers } from "./pollers.js";

/** The tools of every lifecycle step. All steps of a process share one. */
export interface Context {
  client: Client;
  /** Its sleep rejects with `Cancelled` after a cancel. */
  clock: Clock;
  lists: EndpointLists;
  mutations: MutationQueue;
  deleteBatches: DeleteBatches;
  pollers: OperationPollers;
  log: (line: string) => void;
  /** Last sentence of a deadline error: what the user can do. */
  lateAdvice: string;
}
