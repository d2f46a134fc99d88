import type { Emulator } from "../../../emulator/index.js";
import type { Transport, TransportAnswer, TransportRequest } from "../../../provider/api/transport.js";
import type { VirtualClock } from "../virtual-clock.js";

export interface Sent {
  /** "PATCH /projects/…/endpoints/ep-…", below the base URL and without the query. */
  line: string;
  body?: unknown;
  /** Undefined while it is on its way. */
  status?: number | "cut";
  /** Virtual milliseconds. */
  at: number;
}

/** Virtual milliseconds in each direction. Without them, two requests could never be under way together. */
const LATENCY_MS = 5;

/** Code between the provider and the service. It may change requests and answers. */
export type Between = (request: TransportRequest, go: Transport) => Promise<TransportAnswer>;

/**
 * A network with an emulator at its end. A cut connection rejects like in undici, and so does a request that takes too
 * long.
 */
export function networkTo(
  emulator: Emulator,
  clock: VirtualClock,
  baseUrl: string,
  sent: Sent[],
  between: Between = (request, go) => go(request),
): Transport {
  const origin = new URL(baseUrl).origin.length;
  const go: Transport = ({ method, url, headers, body, timeoutMs }) => {
    const path = url.slice(origin);
    const line = `${method} ${url.slice(baseUrl.length).split("?")[0]}`;
    const record: Sent = { line, ...(body ? { body: JSON.parse(body) } : {}), at: clock.now() };
    sent.push(record);
    const exchange = async (): Promise<TransportAnswer> => {
      await clock.sleep(LATENCY_MS);
      const answer = await emulator.handle({ method, path, headers, ...(body === undefined ? {} : { body }) });
      await clock.sleep(LATENCY_MS);
      record.status = "cut" in answer ? "cut" : answer.status;
      if ("cut" in answer) throw failed("UND_ERR_SOCKET", "other side closed");
      // A real server sends the date by itself.
      const date = new Date(emulator.clock.now()).toUTCString();
      return { status: answer.status, headers: { date, ...answer.headers }, text: answer.body };
    };
    const late = clock.sleep(timeoutMs).then(() => {
      throw failed("TIMED_OUT", `no whole answer within ${timeoutMs} ms`);
    });
    return Promise.race([exchange(), late]);
  };
  return (request) => between(request, go);
}

const failed = (code: string, message: string): Error => Object.assign(new Error(message), { code });
