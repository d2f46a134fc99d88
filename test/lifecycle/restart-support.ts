/** Restarts for triggers, as sent and as the service did them. */
import type { Outcome } from "../support/lab.js";
import { ENDPOINTS, type Lab, type Props } from "./support.js";

/** Three programs with other triggers each. */
export const A: Props = { size: 1, restartTriggers: ["a"] };
export const B: Props = { size: 1, restartTriggers: ["b"] };
export const C: Props = { size: 1, restartTriggers: ["c"] };
export const SHORT: Props = { customTimeouts: { update: "30s" } };
export const LIBRARIES: Props = { settings: { preloadLibraries: { enabledLibraries: ["pg_cron"] } } };

export const RESTART = { method: "POST", path: `${ENDPOINTS}/*/restart` };

/** The requests for a restart that were not refused for a lock. */
export const posts = ({ sent }: Outcome): number =>
  sent.filter(({ line, status }) => line.endsWith("/restart") && status !== 423).length;

/** How often the compute has been started after it was made, or is just being started. */
export const starts = (lab: Lab): number =>
  lab.emulator.world.operations.filter(
    (one) => one.endpoint_id === state(lab).id && one.action === "start_compute" && one.status !== "cancelled",
  ).length - 1;

export const state = (lab: Lab) => lab.resource("db");
