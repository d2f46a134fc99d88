import { Client, type ClientOptions } from "../api/client.js";
import { EndpointLists } from "../api/lists.js";
import { undiciTransport } from "../api/transport.js";
import { Turns } from "../api/turns.js";
import { type Clock, systemClock } from "../clock.js";

/** What every lifecycle step works with: built once, shared by all steps of a process. */
export interface Context {
  client: Client;
  clock: Clock;
  lists: EndpointLists;
  turns: Turns;
  say: (line: string) => void;
  /** Milliseconds between two looks at an operation; growing when absent. */
  pollMs?: number;
}

/** `clock` and `transport` are the real ones when absent. */
export type ContextOptions = Omit<ClientOptions, "clock" | "transport"> &
  Partial<Pick<ClientOptions, "clock" | "transport">> & { pollSeconds?: number };

export function createContext(options: ContextOptions): Context {
  const clock = options.clock ?? systemClock;
  const say = options.say ?? (() => {});
  const client = new Client({ ...options, clock, say, transport: options.transport ?? undiciTransport() });
  const pollMs = options.pollSeconds === undefined ? undefined : options.pollSeconds * 1000;
  return { client, clock, lists: new EndpointLists(client, clock), turns: new Turns(), say, pollMs };
}
