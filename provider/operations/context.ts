import { Client, type ClientOptions } from "../api/client.js";
import { EndpointLists } from "../api/lists.js";
import { undiciTransport } from "../api/transport.js";
import { Cancellation, cancellable } from "../cancellation.js";
import { type Clock, systemClock } from "../clock.js";
import { waitForLock } from "./locked.js";
import { outcomeOf } from "./outcome.js";
import { Removals } from "./removals.js";
import { Turns } from "./turns.js";
import { Watches } from "./watch.js";

/** Milliseconds: however short a step is asked for, one program must not use up the rate of the whole account. */
const SHORTEST_POLL_MS = 200;

/** What every lifecycle step works with: built once, shared by all steps of a process. */
export interface Context {
  client: Client;
  /** Its sleep ends at a cancel. */
  clock: Clock;
  lists: EndpointLists;
  turns: Turns;
  removals: Removals;
  watches: Watches;
  say: (line: string) => void;
  /** What to do about work that was not over in time, for its error. */
  lateAdvice: string;
}

const LATE_ADVICE =
  "The work goes on at the service: run the command again, which takes it up; `customTimeouts` gives it more time";

/** `clock` and `transport` are the real ones when absent. */
export type ContextOptions = Omit<ClientOptions, "clock" | "transport" | "cancellation"> &
  Partial<Pick<ClientOptions, "clock" | "transport">> & {
    /** Seconds between two looks at an operation. @default growing from 0.5 to 5 */
    pollSeconds?: number;
    /** Bytes of an answer that are read. @default those of the largest page */
    bodyLimit?: number;
    /** @default that of a lifecycle step */
    lateAdvice?: string;
    /** @default one that nobody requests */
    cancellation?: Cancellation;
  };

export function createContext(options: ContextOptions): Context {
  const clock = options.clock ?? systemClock;
  const cancellation = options.cancellation ?? new Cancellation(clock);
  const { say = () => {}, lateAdvice = LATE_ADVICE, bodyLimit } = options;
  const client = new Client({
    ...options,
    clock,
    cancellation,
    say,
    transport: options.transport ?? undiciTransport(undefined, process.env, bodyLimit),
  });
  const lists = new EndpointLists(client, clock, cancellation);
  const pollMs = options.pollSeconds === undefined ? undefined : Math.max(SHORTEST_POLL_MS, options.pollSeconds * 1000);
  const watches = new Watches(client, clock, cancellation, pollMs);
  const waiting = cancellable(clock, cancellation);
  const turns = new Turns(cancellation, waiting);
  const removals = new Removals(waiting);
  const context: Context = { client, clock: waiting, lists, turns, removals, watches, say, lateAdvice };
  client.onLocked = (project, subject, deadline) => waitForLock(context, project, subject, deadline);
  client.onWrite = (project) => lists.wrote(project);
  client.onAccepted = (project, subject, operations) =>
    context.turns.accepted(
      project,
      subject,
      operations.some(({ status }) => outcomeOf(status) === "pending"),
    );
  return context;
}
