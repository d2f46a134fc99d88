import type { Dispatcher } from "undici";

/** One HTTP request, as the seam between the client and the network (tests script the other side). */
export interface TransportRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
  /** Milliseconds for the whole exchange: connecting, sending, the answer's head and its body. */
  timeoutMs: number;
}

export interface TransportAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  text: string;
}

/** Rejects when no whole answer came: refused, cut, timed out, or a body that is too large or never ends. */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>;

export function undiciTransport(_dispatcher?: Dispatcher): Transport {
  throw new Error("not built yet");
}
