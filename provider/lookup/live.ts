import { Deadline, duration } from "../clock.js";
import { atLeast, type Impact } from "../rules/restart.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { accessTo } from "./access.js";
import type { KnownConfig } from "./account.js";

/** Milliseconds that a preview waits for what is nice to know. */
const REQUEST_MS = 3_000;
/** Of an answer: some hundred computes. A larger one would take seconds to read, during which the program stands still. */
const BODY_BYTES = 1024 * 1024;
/** The service's word for "never" is a time long ago. */
const FIRST_YEAR = Date.parse("2010-01-01T00:00:00Z");

/** A project's computes as they are now, in one request without repetition. GET …/endpoints. Rejects for whatever fails. */
export async function computesNow(
  config: KnownConfig,
  project: string,
): Promise<{ endpoints: WireEndpoint[]; nowMs: number }> {
  const limits = { requestTimeoutMs: REQUEST_MS, bodyLimit: BODY_BYTES };
  const { client, clock } = accessTo(config, 0, () => {}, limits).context;
  // A deadline that has passed allows the first try and no other.
  return { endpoints: await client.listEndpoints(project, new Deadline(clock, 0)), nowMs: clock.wall() };
}

/** What a change means for a compute as it is now: "idle: no connection is open, …"; undefined where that can't be told. */
export function liveWords(endpoint: WireEndpoint, impact: Impact, nowMs: number): string | undefined {
  const { current_state: state, pending_state: pending, last_active: lastActive } = endpoint;
  if (pending !== undefined) return undefined;
  if (state === "idle") {
    const later = atLeast(impact, "stop") ? "" : ", the change takes effect at the next start";
    return `idle: no connection is open${later}`;
  }
  if (state !== "active") return undefined;
  const usedAt = Date.parse(lastActive ?? "");
  const used = usedAt > FIRST_YEAR ? `, last used ${duration(nowMs - usedAt)} ago` : "";
  const drop = impact === "may-restart" ? "if it restarts, open connections drop" : "open connections drop";
  return `active${used}: ${drop}`;
}
