import { Client, type ClientOptions } from "../api/client.js";
import { EndpointLists } from "../api/lists.js";
import { REQUESTS_PER_MINUTE } from "../api/rate-limit.js";
import { undiciTransport } from "../api/transport.js";
import { Cancellation, cancellable } from "../cancellation.js";
import { systemClock } from "../clock.js";
import type { Context } from "./context.js";
import { DeleteBatches } from "./delete-batches.js";
import { waitForLock } from "./lock-wait.js";
import { MutationQueue } from "./mutation-queue.js";
import { outcomeOf } from "./outcome.js";
import { OperationPollers } from "./pollers.js";

const TIMEOUT_ADVICE = "Run the command again: it waits for the same operation. To wait longer, set `customTimeouts`";

/** Without `clock` and `transport`, the real ones are used. */
export type ContextOptions = Omit<ClientOptions, "clock" | "transport" | "cancellation"> &
  Partial<Pick<ClientOptions, "clock" | "transport">> & {
    /**
     * Seconds between two polls of an operation. @default until the expected end of the operation, or a tenth of its age (0.35 to
     * 5)
     */
    pollSeconds?: number;
    /** Bytes of an answer that are read. @default 16 MB, more than the largest page */
    bodyLimit?: number;
    /** @default the advice for a lifecycle step */
    timeoutAdvice?: string;
    /** @default a Cancellation that never fires */
    cancellation?: Cancellation;
  };

export function createContext(options: ContextOptions): Context {
  const clock = options.clock ?? systemClock;
  const cancellation = options.cancellation ?? new Cancellation(clock);
  const { log = () => {}, timeoutAdvice = TIMEOUT_ADVICE, bodyLimit } = options;
  const client = new Client({
    ...options,
    clock,
    cancellation,
    log,
    transport: options.transport ?? undiciTransport(undefined, process.env, bodyLimit),
  });
  const lists = new EndpointLists(client, clock, cancellation);
  const pollMs = options.pollSeconds === undefined ? undefined : options.pollSeconds * 1000;
  const { requestsPerMinute = REQUESTS_PER_MINUTE } = options;
  const pollers = new OperationPollers(client, clock, cancellation, { pollMs, requestsPerMinute });
  const cancellableClock = cancellable(clock, cancellation);
  const mutations = new MutationQueue(cancellation, cancellableClock);
  const deleteBatches = new DeleteBatches(cancellableClock);
  const context: Context = {
    client,
    clock: cancellableClock,
    lists,
    mutations,
    deleteBatches,
    pollers,
    log,
    timeoutAdvice,
  };
  client.onLocked = (project, subject, deadline) => waitForLock(context, project, subject, deadline);
  client.onWrite = (project) => lists.invalidate(project);
  client.onAccepted = (project, subject, operations) =>
    context.mutations.accepted(
      project,
      subject,
      operations.some(({ status }) => outcomeOf(status) === "pending"),
    );
  return context;
}
