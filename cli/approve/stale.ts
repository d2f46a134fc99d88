// Entries of `compute:approve` that approve nothing any more: which they are, and how commands and the report name them.

import { shortDigest } from "../../provider/rules/approval.js";
import {
  type ApprovalEntry,
  type Approvals,
  MOST_NAMED,
  shortEntriesText,
} from "../../provider/rules/approval-list.js";
import { someOf } from "../../provider/rules/some-of.js";
import { cleanLine } from "../report/clean.js";

export interface Stale {
  entry: ApprovalEntry;
  why: string;
}

/**
 * Entries that approve nothing any more (their last day is over, or they have 12 digits), and unmatched entries: those that match no
 * change in this preview. An unmatched entry may be used up, or its change may still come or belong to another stack.
 * @param needed all digests that a preview needs; undefined if there is no whole preview to tell
 */
export function staleOf(entries: readonly ApprovalEntry[], needed: ReadonlySet<string> | undefined): Stale[] {
  return entries.flatMap((entry) => {
    const { state, digest, day } = entry;
    if (state === "ended") return [{ entry, why: `ended on ${day}` }];
    if (state === "short") return [{ entry, why: "has 12 digits and approves nothing" }];
    return needed && !needed.has(digest) ? [{ entry, why: unmatched(1) }] : [];
  });
}

/** Follows the names of `count` entries. */
const unmatched = (count: number): string =>
  count === 1
    ? "matches nothing in this preview: it was used already, is for a later change, or the compute has other values now"
    : "match nothing in this preview: they were used already, are for later changes, or the computes have other values now";

/**
 * The entries in lines of their own. What is true of several of them is said once.
 * @param what is done with them
 * @param comments beside the entries in the file: they say whose approval it is
 */
export function staleLines(what: string, stale: readonly Stale[], comments: ReadonlyMap<string, string>): string[] {
  const shown = ({ digest, text, state }: ApprovalEntry) => (state === "short" ? text : shortDigest(digest));
  const behind = ({ text }: ApprovalEntry) => {
    const comment = comments.get(text);
    return comment ? `  # ${cleanLine(comment)}` : "";
  };
  const unused = stale.filter(({ entry }) => entry.state === "valid");
  const together = unused.length > 1 ? unused : [];
  const alone = stale.filter((one) => !together.includes(one));
  return [
    ...alone.map(({ entry, why }) => `${what}: ${shown(entry)} ${why}${behind(entry)}`),
    ...(together.length > 0 ? [`${what}: ${together.length} entries ${unmatched(together.length)}:`] : []),
    ...together.map(({ entry }) => `  ${shown(entry)}${behind(entry)}`),
  ];
}

/** All of them in a few lines, for those who do not see the file. @param way to remove them, as a sentence */
export function staleTexts(approvals: Approvals, needed: ReadonlySet<string> | undefined, way: string): string[] {
  const stale = staleOf(approvals.entries, needed);
  const inState = (state: ApprovalEntry["state"]) => stale.filter(({ entry }) => entry.state === state);
  const short = shortEntriesText(approvals);
  const ended = inState("ended").map(({ entry: { digest, day } }) => `${shortDigest(digest)} (${day})`);
  const unused = inState("valid").map(({ entry: { digest } }) => shortDigest(digest));
  const tidied = [
    ...(ended.length > 0 ? [`compute:approve: the last day of ${someOf(ended, MOST_NAMED)} is over`] : []),
    ...(unused.length > 0 ? [`compute:approve: ${someOf(unused, MOST_NAMED)} ${unmatched(unused.length)}`] : []),
  ];
  // Only the last line has the command: it takes out the entries of both lines.
  const lines = tidied.map((line, index) => (index === tidied.length - 1 ? `${line}. ${way}` : line));
  return [...(short === undefined ? [] : [short]), ...lines];
}
