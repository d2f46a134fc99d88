// What somebody else does to computes while a command runs: by hand in the console, or another tool.

import fc from "fast-check";
import { type Emulator, type EndpointRow, SEED } from "../../emulator/index";

const WHAT = [
  ...(["delete", "move", "resize", "disable", "enable", "suspend", "rename", "settings"] as const),
  ...(["raise", "libraries", "timeout", "restore"] as const),
] as const;
/** What leaves a compute where it is and as active as it was. */
export const DRIFTS = ["resize", "settings", "raise", "libraries", "timeout", "rename"] as const;

export interface Hand {
  what: (typeof WHAT)[number];
  /** Which compute, counted round; or the compute of a slot of the stack whose command it is. */
  which: number | "slot 0" | "slot 1" | "slot 2";
  /** Just before the so-many-th request of the command; with 0 before the command begins. */
  at: number;
}

export const HAND_KINDS = WHAT.map((what) => `by hand: ${what}`);

export const hands: fc.Arbitrary<Hand> = fc.record({
  what: fc.constantFrom(...WHAT),
  which: fc.integer({ min: 0, max: 4 }),
  at: fc.integer({ min: 0, max: 8 }),
});

const DEEDS: { [K in Exclude<Hand["what"], "delete">]: (row: EndpointRow, emulator: Emulator) => boolean } = {
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
  /** One limit alone. */
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
  /** Another branch takes the branch's name and its computes; the old one stays under another name. */
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

/** A branch has one primary at most, also by hand. */
const isFree = (row: EndpointRow, branch: string, rows: Record<string, EndpointRow>): boolean =>
  row.type === "read_only" || !Object.values(rows).some((one) => one.type === "read_write" && one.branch_id === branch);

/** @returns the computes that were touched */
export function byHand(emulator: Emulator, hand: Hand, ofSlot: (slot: number) => string | undefined): string[] {
  const { world } = emulator;
  const ids = Object.keys(world.endpoints);
  const { which } = hand;
  const id = typeof which === "number" ? ids[which % ids.length] : ofSlot(Number(which.at(-1)));
  const row = world.endpoints[id ?? ""];
  if (id === undefined || !row) return [];
  if (hand.what === "delete") {
    delete world.endpoints[id];
    return [id];
  }
  const branch = row.branch_id;
  // A restore moves all computes of the branch.
  const touched = hand.what === "restore" ? ids.filter((one) => world.endpoints[one]?.branch_id === branch) : [id];
  return DEEDS[hand.what](row, emulator) ? touched : [];
}
