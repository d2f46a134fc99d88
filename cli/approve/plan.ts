// Decides which entries to add to and remove from the list of approvals.

import {
  type ApprovalEntry,
  type ApprovalTarget,
  readApprovals,
  uniqueChanges,
} from "../../provider/rules/approval-list.js";
import { CommandRefused } from "../arguments.js";
import type { ListChange } from "./config-list.js";
import { type Stale, staleOf } from "./stale.js";

/** Days for which an approval holds by default: long enough for a review and a release. */
export const DEFAULT_DAYS = 30;

export interface ApprovedChange {
  digest: string;
  /** What changes, as a comment beside the entry. */
  what?: string;
  /** The resource's name: the comment if there is no other one. */
  name?: string;
}

export interface ApproveRequest extends ApprovalTarget {
  digests: readonly ApprovedChange[];
  /** The last day; undefined for none. */
  until?: string;
  /** Whether to remove entries without effect. */
  tidy: boolean;
  /** All digests that match a change in the preview; undefined without a complete preview. */
  needed?: ReadonlySet<string>;
  nowMs: number;
}

export interface Plan {
  change: ListChange;
  added: readonly ApprovedChange[];
  /** Entries that approve some of the digests already. */
  known: readonly ApprovalEntry[];
  removed: readonly Stale[];
  /** All digests that the list approves after the change. */
  approved: readonly string[];
  /** Entries that could be removed. */
  stale: readonly Stale[];
}

/**
 * An approval that has ended is replaced, and keeps its comment unless a new one is given.
 * @param values the list as it is now
 * @param comments beside the entries
 */
export function planChange(
  values: readonly unknown[],
  approving: ApproveRequest,
  comments: ReadonlyMap<string, string>,
): Plan {
  const { digests, until, tidy, needed, nowMs } = approving;
  const { entries, problem } = readApprovals(JSON.stringify(values), nowMs);
  if (problem !== undefined) throw new CommandRefused(`correct compute:approve first: ${problem}`);
  const unique = uniqueChanges(digests);
  const known = entries.filter(({ state, digest }) => state === "valid" && unique.some((one) => one.digest === digest));
  const added = unique.filter(({ digest }) => !known.some((entry) => entry.digest === digest));
  const renewed = new Map(
    entries
      .filter(({ state, digest }) => state === "ended" && added.some((one) => one.digest === digest))
      .map((entry) => [entry.digest, entry]),
  );
  const others = entries.filter(({ state, digest }) => state !== "ended" || !renewed.has(digest));
  const stale = staleOf(others, needed && new Set([...needed, ...unique.map(({ digest }) => digest)]));
  const removed = tidy ? stale : [];
  const gone = new Set([...entries.filter((entry) => !others.includes(entry)), ...removed.map(({ entry }) => entry)]);
  return {
    change: {
      values: entries.map(({ text }) => text),
      remove: new Set(entries.flatMap((entry, index) => (gone.has(entry) ? [index] : []))),
      add: added.map(({ digest, what, name }) => {
        const comment = what ?? comments.get(renewed.get(digest)?.text ?? "") ?? name;
        return { entry: until === undefined ? digest : `${digest}@${until}`, ...(comment ? { comment } : {}) };
      }),
    },
    added,
    known,
    approved: [
      ...entries.filter((entry) => entry.state === "valid" && !gone.has(entry)).map(({ digest }) => digest),
      ...added.map(({ digest }) => digest),
    ],
    removed,
    stale,
  };
}
