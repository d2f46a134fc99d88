import type { Client } from "../api/client.js";
import type { EndpointLists } from "../api/lists.js";
import type { Clock } from "../clock.js";
import type { DeleteBatches } from "./delete-batches.js";
import type { MutationQueue } from "./mutation-queue.js";
import type { OperationPollers } from "./pollers.js";

/** The shared client, queues and pollers of a provider process. Every lifecycle step gets this object. */
export interface Context {
  client: Client;
  /** Its sleep rejects with `Cancelled` after a cancel. */
  clock: Clock;
  lists: EndpointLists;
  mutations: MutationQueue;
  deleteBatches: DeleteBatches;
  pollers: OperationPollers;
  log: (line: string) => void;
  /** The last sentence of a deadline error. It tells the user what to do. */
  timeoutAdvice: string;
}
