// The page's words. Most are those of the service's console.

import type { EndpointView, OperationView } from "../model/change-types.js";
import { NEVER_ACTIVE, PENDING_STATUSES } from "../model/statuses.js";

export const typeLabel = ({ type }: Pick<EndpointView, "type">): string =>
  type === "read_write" ? "Primary, read-write" : type === "read_only" ? "Read replica, read-only" : type;

export const statusLabel = ({ current_state: state }: Pick<EndpointView, "current_state">): string =>
  state === "active" ? "Active" : "Idle";

/** A failed operation that has a time for its next attempt is pending too. */
export const isPending = ({ status, retry_at }: OperationView, nowMs: number): boolean =>
  PENDING_STATUSES.has(status) || (status === "failed" && retry_at !== undefined && Date.parse(retry_at) > nowMs);

/** What the pending operations of a compute do to it, or "". */
export function pendingLabel(endpoint: EndpointView, pending: readonly OperationView[]): string {
  const { current_state: current, pending_state: next } = endpoint;
  if (next === undefined) return "";
  if (current === "init") return "creating";
  if (next === "idle") return "suspending";
  if (current === "idle") return "starting";
  const actions = pending.map(({ action }) => action);
  const restarts = pending.some((one) => one.restarts) || actions.includes("start_compute");
  if (restarts) return "restarting";
  return actions.includes("check_availability") ? "checking availability" : "applying a change";
}

/** The size, in compute units. The same as `sizeText` in cli/size-text.ts, which the page may not import. */
export function sizeLabel(
  endpoint: Pick<EndpointView, "autoscaling_limit_min_cu" | "autoscaling_limit_max_cu">,
): string {
  const { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max } = endpoint;
  return min === max ? `${max} CU` : `${min} to ${max} CU`;
}

/** `apply_config` is "Apply config". */
export function operationLabel(action: string): string {
  const words = action.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * The service's console has only "OK", "Scheduling", "In progress" and "Error" (`labelOf` in provider/operations/outcome.ts). This page
 * has three words more, because it shows what an operation does in detail.
 */
const OPERATION_STATUS: Record<string, string> = {
  finished: "OK",
  scheduling: "Scheduling",
  running: "In progress",
  failed: "Error",
  error: "Error",
  cancelling: "Cancelling",
  cancelled: "Cancelled",
  skipped: "Skipped",
};

/** Shows an unknown word as it is. */
export const operationStatus = (status: string): string =>
  Object.hasOwn(OPERATION_STATUS, status) ? (OPERATION_STATUS[status] as string) : status;

const TONES: Record<string, string> = { OK: "good", "In progress": "busy", Scheduling: "quiet", Error: "bad" };
/** The class that gives a status its colour. */
export const toneOf = (label: string): string => (Object.hasOwn(TONES, label) ? (TONES[label] as string) : "quiet");

const MS_PER_SECOND = 1000;
const MS_PER_MINUTE = 60 * MS_PER_SECOND;
const MS_PER_HOUR = 60 * MS_PER_MINUTE;
const MS_PER_DAY = 24 * MS_PER_HOUR;

export function durationLabel(ms: number): string {
  if (ms < MS_PER_MINUTE) return `${(ms / MS_PER_SECOND).toFixed(1)} s`;
  const minutes = Math.floor(ms / MS_PER_MINUTE);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % MS_PER_MINUTE) / MS_PER_SECOND)} s`;
  return `${Math.floor(ms / MS_PER_HOUR)} h ${minutes % 60} min`;
}

/** A pending operation has lasted until now. */
export const operationDuration = (operation: OperationView, nowMs: number): number =>
  isPending(operation, nowMs) ? Math.max(0, nowMs - operation.created_ms) : operation.total_duration_ms;

export function lastActiveLabel({ last_active: at }: Pick<EndpointView, "last_active">, nowMs: number): string {
  if (at === undefined || Date.parse(at) === Date.parse(NEVER_ACTIVE)) return "never";
  const ms = Math.max(0, nowMs - Date.parse(at));
  if (ms < MS_PER_MINUTE) return "just now";
  const units: [number, string][] = [
    [MS_PER_DAY, "day"],
    [MS_PER_HOUR, "hour"],
    [MS_PER_MINUTE, "minute"],
  ];
  const [unit, name] = units.find(([unit]) => ms >= unit) as [number, string];
  const count = Math.floor(ms / unit);
  return `${count} ${name}${count === 1 ? "" : "s"} ago`;
}

/** 09:05:07, in the time zone of the browser. */
export const timeLabel = (ms: number): string => new Date(ms).toLocaleTimeString("en-GB");

/** 4 May, 09:05:07 */
export const dateLabel = (ms: number): string =>
  `${new Date(ms).toLocaleDateString("en-GB", { day: "numeric", month: "short" })}, ${timeLabel(ms)}`;
