import type { Transport, TransportAnswer, TransportRequest } from "../../provider/api/transport.js";
import type { Context } from "../../provider/operations/context.js";
import { type ContextOptions, createContext } from "../../provider/operations/create-context.js";
import { VirtualClock } from "./virtual-clock.js";

export const KEY = "napi_secret_key_of_the_test";
export const PROJECT = "quiet-meadow-40718263";

/** What the service does with one request: a status with a body, a network error's code, or anything else. */
export type Reply =
  | { status: number; body?: unknown; text?: string; headers?: Record<string, string> }
  | { code: string }
  | ((request: Seen) => Reply | Promise<Reply>);

/** A request as it arrived, with the virtual time. */
export interface Seen extends TransportRequest {
  /** Method and path with the query, without the base URL. */
  line: string;
  at: number;
}

export interface Scripted {
  clock: VirtualClock;
  context: Context;
  /** All requests so far. */
  seen: Seen[];
  said: string[];
  /** `seen` as lines such as "GET /projects/p/endpoints". */
  lines(): string[];
  /** Virtual milliseconds of the requests. */
  times(): number[];
}

/**
 * A context whose other side is a script: `replies` one after the other (the last one for ever), or a function.
 */
export function scripted(
  replies: Reply[] | ((request: Seen) => Reply | Promise<Reply>),
  options: Partial<ContextOptions> & { seed?: number } = {},
): Scripted {
  const clock = new VirtualClock({ seed: options.seed });
  const seen: Seen[] = [];
  const said: string[] = [];
  const transport: Transport = async (request) => {
    const line = `${request.method} ${request.url.slice(BASE_URL.length)}`;
    const arrived: Seen = { ...request, line, at: clock.now() };
    seen.push(arrived);
    const first = Array.isArray(replies) ? replies[Math.min(seen.length, replies.length) - 1] : replies;
    if (!first) throw new Error("the script is empty");
    return answer(await resolved(first, arrived));
  };
  const context = createContext({
    baseUrl: `${BASE_URL}/`,
    apiKey: KEY,
    keySource: "COMPUTE_API_KEY",
    clock,
    transport,
    log: (text) => said.push(text),
    ...options,
  });
  return {
    clock,
    context,
    seen,
    said,
    lines: () => seen.map((one) => one.line),
    times: () => seen.map((one) => one.at),
  };
}

export const BASE_URL = "https://service.test/api/v2";

async function resolved(reply: Reply, request: Seen): Promise<Exclude<Reply, (...args: never[]) => unknown>> {
  return typeof reply === "function" ? resolved(await reply(request), request) : reply;
}

function answer(reply: Exclude<Reply, (...args: never[]) => unknown>): TransportAnswer {
  if ("code" in reply) throw Object.assign(new Error(`scripted ${reply.code}`), { code: reply.code });
  const text = reply.text ?? (reply.body === undefined ? "" : JSON.stringify(reply.body));
  return { status: reply.status, headers: reply.headers ?? {}, text };
}
