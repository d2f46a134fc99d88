// Changes that somebody makes outside of Pulumi while a command runs: in the console, or with another tool.

import fc from "fast-check";
import { type Emulator, type EndpointRow, SEED } from "../../emulator/index";

const WHAT = [
  ...(["delete", "move", "resize", "disable", "enable", "suspend", "rename", "settings"] as const),
  ...(["raise", "libraries", "timeout", "restore"] as const),
] as const;
/** Changes after which the compute is on the same branch, and as active as before. */
export const DRIFTS = ["resize", "settings", "raise", "libraries", "timeout", "rename"] as const;

export interface ManualChange {
  what: (typeof WHAT)[number];
  /**
   * The compute that somebody changes: an index into all computes (modulo their number), or the slot of a resource in the stack
   * whose command runs.
   */
  which: number | "slot 0" | "slot 1" | "slot 2";
  /** The number of the request before which it happens; 0 is before the command begins. */
  at: number;
}

export const MANUAL_CHANGE_KINDS = WHAT.map((what) => `by hand: ${what}`);

export const manualChanges: fc.Arbitrary<ManualChange> = fc.record({
  what: fc.constantFrom(...WHAT),
  which: fc.integer({ min: 0, max: 4 }),
  at: fc.integer({ min: 0, max: 8 }),
});

const CHANGES: { [K in Exclude<ManualChange["what"], "delete">]: (row: EndpointRow, emulator: Emulator) => boolean } = {
  move: (row, { world }) => {
    if (row.project_id !== SEED.projectId) return false;
    const { dev, preview, main } = SEED.branches;
    const to = [dev, preview, main].find((branch) => branch !== row.branch_id && isFree(row, branch, world.endpoints));
    if (to) row.branch_id = to;
    return to !== undefined;
  },
  resize: (row) => {
    const cu = row.autoscaling_limit_max_cu === 2 ? 1 : 2;
    Object.assign(row, { autoscaling_limit_min_cu: cu, autoscaling_limit_max_cu: cu });
    return true;
  },
  disable: (row) => {
    const was = row.disabled;
    if (row.current_state === "active" && row.pending_state === undefined) row.current_state = "idle";
    row.disabled = true;
    return !was;
  },
  enable: (row) => {
    const was = row.disabled;
    row.disabled = false;
    return was;
  },
  suspend: (row) => {
    if (row.current_state !== "active" || row.pending_state !== undefined) return false;
    row.current_state = "idle";
    delete row.started_at;
    return true;
  },
  /** Only the upper limit. */
  raise: (row) => {
    const { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max } = row;
    row.autoscaling_limit_max_cu = max < 8 ? 8 : 4;
    if (min > row.autoscaling_limit_max_cu) row.autoscaling_limit_min_cu = row.autoscaling_limit_max_cu;
    return true;
  },
  libraries: (row) => {
    row.settings = { ...row.settings, preload_libraries: { enabled_libraries: ["theirs"] } };
    return true;
  },
  timeout: (row) => {
    row.suspend_timeout_seconds = row.suspend_timeout_seconds === 600 ? 900 : 600;
    return true;
  },
  /** As a restore does: a new branch takes the name and the computes, and the old branch gets another name. */
  restore: (row, { world }) => {
    const old = world.branches[row.branch_id];
    const id = `${row.branch_id}-r`;
    if (!old || world.branches[id]) return false;
    world.branches[id] = { ...old, id };
    old.name = `${old.name}_old`;
    for (const one of Object.values(world.endpoints)) if (one.branch_id === old.id) one.branch_id = id;
    return true;
  },
  rename: (row) => {
    row.name = "theirs";
    return true;
  },
  settings: (row) => {
    row.settings = { ...row.settings, pg_settings: { ...row.settings.pg_settings, work_mem: "theirs", by_hand: "on" } };
    return true;
  },
};

/** The service allows one primary for each branch, also in the console. */
const isFree = (row: EndpointRow, branch: string, rows: Record<string, EndpointRow>): boolean =>
  row.type === "read_only" || !Object.values(rows).some((one) => one.type === "read_write" && one.branch_id === branch);

/** @returns the computes that were changed */
export function byHand(
  emulator: Emulator,
  manualChange: ManualChange,
  ofSlot: (slot: number) => string | undefined,
): string[] {
  const { world } = emulator;
  const ids = Object.keys(world.endpoints);
  const { which } = manualChange;
  const id = typeof which === "number" ? ids[which % ids.length] : ofSlot(Number(which.at(-1)));
  const row = world.endpoints[id ?? ""];
  if (id === undefined || !row) return [];
  if (manualChange.what === "delete") {
    delete world.endpoints[id];
    return [id];
  }
  const branch = row.branch_id;
  // A restore moves all computes of the branch.
  const changedByHand =
    manualChange.what === "restore" ? ids.filter((one) => world.endpoints[one]?.branch_id === branch) : [id];
  return CHANGES[manualChange.what](row, emulator) ? changedByHand : [];
}
