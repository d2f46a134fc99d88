// What a compute does at the moment, according to the service.

import { formatDuration } from "../clock.js";
import type { Activity } from "../rules/current-state.js";
import type { WireEndpoint } from "../wire/endpoint.js";

/** A service gives this time, or an earlier one, as the last activity of a compute that was never used. */
export const NEVER = Date.parse("2000-01-01T00:00:00Z");

/**
 * Undefined if a compute is on its way to another state, or in one that this version does not know.
 * @param nowMs undefined if it does not matter how long ago the compute was used
 */
export function activityOf(endpoint: WireEndpoint, nowMs?: number): Activity | undefined {
  const {
    current_state: state,
    pending_state: pending,
    last_active: lastActive,
    started_at: started,
    disabled,
  } = endpoint;
  if (pending !== undefined) return undefined;
  if (state === "idle") return { state: disabled ? "disabled" : "idle" };
  if (state !== "active") return undefined;
  const usedAt = Date.parse(lastActive ?? "");
  // Services don't count the restart of a compute as its use. "Last used" before the last start would look as if nobody used it.
  const lastUsed = Math.max(usedAt, Date.parse(started ?? "") || usedAt);
  return { state, ...(nowMs !== undefined && usedAt > NEVER ? { used: formatDuration(nowMs - lastUsed) } : {}) };
}
