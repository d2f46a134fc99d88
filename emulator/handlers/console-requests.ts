import type { HandlerResponse } from "../http/route.js";
import type { RequestView } from "../model/change-types.js";
import type { Simulation } from "../model/simulation.js";
import type { ChangeLog } from "./changes.js";
import { findRoute } from "./routes.js";

export interface ConsoleRequest {
  method: string;
  /** The path's segments after `/_emulator/api`. */
  segments: string[];
  query: string;
  body: unknown;
  sim: Simulation;
  changes: ChangeLog;
}

/**
 * Sends a request to the API as a person does in the service's console: with the API's effect, lock and refusals. It needs no
 * key, and uses up no fault of requests and no rate limit. It is not in the record of requests, which is for what clients sent.
 */
export function sendFromConsole({ method, segments, query, body, sim, changes }: ConsoleRequest): HandlerResponse {
  const { handler, params } = findRoute(method, segments);
  const send = () => handler({ sim, params, query: new URLSearchParams(query), body });
  const path = `/${segments.map(encodeURIComponent).join("/")}`;
  return method === "GET" ? send() : recordManual({ method, path, body, sim, changes }, send);
}

/** Does what a person asked for, and adds it to the changes. */
export function recordManual(
  { method, path, body, sim, changes }: Pick<ConsoleRequest, "method" | "body" | "sim" | "changes"> & { path: string },
  work: () => HandlerResponse,
): HandlerResponse {
  const view: RequestView = changes.add({
    method,
    path,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    time: sim.now,
    by_hand: true,
  });
  try {
    const response = work();
    changes.answer(view, { status: response.status, headers: {}, body: JSON.stringify(response.body ?? "") });
    return response;
  } catch (error) {
    changes.refuse(view, error);
    throw error;
  }
}
