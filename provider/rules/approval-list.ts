// The list `compute:approve` in the stack's config, and the command that adds to it.

import { DIGITS, SHORT_DIGITS } from "./approval.js";
import { quotedText } from "./quoted-text.js";
import { isPlainName } from "./shell.js";
import { someOf } from "./some-of.js";

const DIGEST = new RegExp(`^[0-9a-f]{${DIGITS}}$`);
/** A digest of version 1 (see approval.ts), or the short form that a table shows. Neither approves anything. */
const SHORT = new RegExp(`^[0-9a-f]{${SHORT_DIGITS}}$`);
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 24 * 3_600_000;

/** One entry of the list. */
export interface ApprovalEntry {
  /** As the config has it: a digest, and perhaps `@` and the last day. */
  text: string;
  digest: string;
  /** The last day (UTC) on which it holds. */
  day?: string;
  /** `ended`: its last day is over. `short`: it has 12 digits. Both approve nothing. */
  state: "valid" | "ended" | "short";
}

export interface Approvals {
  entries: readonly ApprovalEntry[];
  digests: ReadonlySet<string>;
  /** The last days of the approvals that have ended, by digest. */
  ended: ReadonlyMap<string, string>;
  /** Why the value can't be used. */
  problem?: string;
}

const approvalsIn = (entries: readonly ApprovalEntry[], problem?: string): Approvals => ({
  entries,
  digests: new Set(entries.flatMap(({ state, digest }) => (state === "valid" ? [digest] : []))),
  ended: new Map(entries.flatMap(({ state, digest, day }) => (state === "ended" && day ? [[digest, day]] : []))),
  ...(problem === undefined ? {} : { problem }),
});

/**
 * Reads `compute:approve`: a list of digests, each with an optional `@YYYY-MM-DD`, the last day (UTC) on which it holds.
 * @param text JSON, as Pulumi hands lists on; a single digest is fine too
 */
export function readApprovals(text: string | undefined, nowMs: number): Approvals {
  if (text === undefined || text.trim() === "") return approvalsIn([]);
  const list = listOf(text);
  const entries: ApprovalEntry[] = [];
  for (const [index, one] of (list ?? [text]).entries()) {
    const entry = entryOf(one, nowMs);
    if (entry === undefined) {
      const place = list ? ` (entry ${index + 1} of compute:approve)` : "";
      return approvalsIn(
        [],
        `${shown(one)} is not an approval${place}: ${FORM}${typeof one === "number" ? UNQUOTED : ""}`,
      );
    }
    entries.push(entry);
  }
  return approvalsIn(entries);
}

function entryOf(value: unknown, nowMs: number): ApprovalEntry | undefined {
  // `pulumi config set --path` turns an entry of 12 decimal digits into a number.
  const isNumber = typeof value === "number" && SHORT.test(String(value));
  const text = isNumber ? String(value) : typeof value === "string" ? value.trim() : "";
  const [digest = "", day, ...more] = text.split("@");
  const end = day === undefined ? Number.POSITIVE_INFINITY : endOf(day);
  if ((!SHORT.test(digest) && !DIGEST.test(digest)) || end === undefined || more.length > 0) return undefined;
  const state = SHORT.test(digest) ? "short" : nowMs <= end ? "valid" : "ended";
  return { text, digest, ...(day === undefined ? {} : { day }), state };
}

export const isDigest = (text: string): boolean => DIGEST.test(text);

/** Whether the text is a day such as 2027-01-31. */
export const isDay = (text: string): boolean => endOf(text) !== undefined;

/** The day (UTC) that many days from now. */
export const dayAfter = (nowMs: number, days: number): string =>
  new Date(nowMs + days * DAY_MS).toISOString().slice(0, "2027-01-31".length);

const FORM = `an approval has ${DIGITS} hex digits in quotes, followed by "@2027-01-31" if it has a last day`;
const UNQUOTED = ". Without quotes, YAML reads digits (also 12e34) as a number and loses some of them";

/** Names the entries with 12 digits; undefined if there are none. */
export function shortEntriesText({ entries }: Pick<Approvals, "entries">): string | undefined {
  const short = entries.flatMap(({ state, text }) => (state === "short" ? [text] : []));
  if (short.length === 0) return undefined;
  const [which, approve] = short.length === 1 ? ["this entry", "approves"] : ["these entries", "approve"];
  return `compute:approve: ${someOf(short, MOST_NAMED)} ${approve} nothing. An approval has ${DIGITS} hex digits; entries of ${SHORT_DIGITS} digits are from before the first release, or were shortened in a table. Remove ${which}, and approve the changes that are still pending with the command that the report or the refusal prints`;
}

/** Entries that a message names. */
export const MOST_NAMED = 20;

/** An entry in a message. */
function shown(value: unknown): string {
  if (value !== null && typeof value === "object") return "a list or an object";
  return typeof value === "string" ? quotedText(value) : JSON.stringify(value);
}

/** Pulumi hands a list on as JSON. Undefined for any other text. */
export function listOf(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The last millisecond of a day in UTC; undefined for a text that is not a day. */
function endOf(day: string): number | undefined {
  const start = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  const isRealDay = !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);
  return isRealDay ? start + DAY_MS - 1 : undefined;
}

/** Where an approval is to be written, as far as it is known. */
export interface ApprovalTarget {
  stack?: string;
  /** The file that `--config-file` names, where Pulumi was given one. */
  configFile?: string;
}

/** A change to approve, and the resource whose change it is. */
export interface NamedDigest {
  digest: string;
  name?: string;
}

/** The changes, each digest once. Of two changes with one digest, the later one counts. */
export const uniqueChanges = <T extends NamedDigest>(changes: readonly T[]): T[] => [
  ...new Map(changes.map((one) => [one.digest, one])).values(),
];

/**
 * The command line that approves. Users copy it from an error or a report. It finds the file and the list itself. `pulumi config
 * set --path` can't: it needs the number of entries in one file, and a provider sees the merged config. The command leaves out
 * names that a shell could misread.
 */
export function approveCommandLine(changes: readonly NamedDigest[], { stack, configFile }: ApprovalTarget): string {
  const isSafe = (name: string | undefined) => name !== undefined && isPlainName(name);
  const option = (flag: string, name: string | undefined) => (isSafe(name) ? [flag, name] : []);
  const digests = changes.map(({ digest, name }) => (isSafe(name) ? `${digest}=${name}` : digest));
  const words = [...option("--stack", stack), ...option("--file", configFile), ...digests];
  return `npx --no compute-endpoint approve ${words.join(" ")}`;
}

/**
 * The digests of an approve command at the end of a text. Only for 0.1.0 preview documents (docs/design.md): today's refusals have
 * the digest as data (message-data.ts).
 */
export function digestsAtEndOf(text: string): string[] {
  const [, digests] = COMMAND.exec(text.slice(-LONGEST_COMMAND)) ?? [];
  return digests?.split(" ") ?? [];
}
const LONGEST_COMMAND = 2000;
const COMMAND = /compute-endpoint approve (?:--\w+ [\w./-]+ )*([0-9a-f]{32}(?: [0-9a-f]{32})*)\s*$/;
