// Approvals: a reviewer lets exactly one change pass `onRestart: "refuse"`. The digest covers the change's meaning, so an
// approval passes neither another change of the same compute nor the same change of another compute.
//
// Version 2 is meant to last. Version 1 had 48 bits: a search over a value in `restartTriggers` found a harmless change and a
// new host with one digest in less than two minutes. Its digest of a deletion named no compute, so it also approved the
// deletion of each later compute of that resource.

import { createHash } from "node:crypto";
import { ENDPOINT_TYPE, NATIVE_TYPE } from "./endpoint-type.js";
import type { Impact, Verdict } from "./restart.js";
import {
  canonical,
  differences,
  isHidden,
  type Live,
  propertyOf,
  type SettingName,
  UNKNOWN,
  type Wish,
} from "./settings.js";

/** Part of every digest. It has to change when the meaning of the other parts changes. */
const VERSION = 2;
/** 128 bits: a search for two changes with one digest takes 2^64 steps. */
const DIGITS = 32;
const DIGEST = /^[0-9a-f]{32}$/;
/** A digest of version 1, or the short form that a table shows. Neither approves anything. */
const SHORT = /^[0-9a-f]{12}$/;
const SHOWN_DIGITS = 12;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Which resource it is, as its URN says. */
export interface Identity {
  stack: string;
  project: string;
  type: string;
  name: string;
}

const PREFIX = "urn:pulumi:";

/** `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME`; undefined for what is no URN. Names may contain `::`. */
export function identityOf(urn: string): Identity | undefined {
  const [stack, project, type, ...name] = urn.startsWith(PREFIX) ? urn.slice(PREFIX.length).split("::") : [];
  if (!stack || !project || !type || name.length === 0) return undefined;
  return { stack, project, type, name: name.join("::") };
}

/**
 * The type in a digest. The dynamic and the native form of the resource count as one type, so an approval still holds when a
 * compute, or a compute that is its parent, moves from one to the other.
 */
const canonicalType = (type: string): string =>
  type
    .split("$")
    .map((one) => (one === ENDPOINT_TYPE ? NATIVE_TYPE : one))
    .join("$");

/** Inputs that say whether a compute that is replaced is deleted or released, and whether another one is taken over. */
export interface ReleaseInputs {
  adopt?: unknown;
  onDelete?: unknown;
  /** Whether the option `retainOnDelete` was set. */
  __retain?: unknown;
}

/**
 * The digest that approves this change; undefined where a value is secret or not known yet: then nobody can say what would be
 * approved.
 * @param verdict the verdict on `old` and `wish`, with the limits apart (without `asSize`): both forms of a size are one change
 * @param release what the program said before and says now; nothing from the outputs, which check does not see
 */
export function approvalOf(
  urn: string,
  verdict: Verdict,
  old: Wish | Live,
  wish: Wish,
  secrets?: ReadonlySet<string>,
  release: { old?: ReleaseInputs; next?: ReleaseInputs } = {},
): string | undefined {
  const changes: Change[] = [];
  const tops = new Set(verdict.reasons.map(({ property }) => property.split(".").slice(0, 2).join(".")));
  // For a new compute every setting counts, also one that it lacks because the program no longer sets it.
  const anew = verdict.impact === "new-host";
  if (anew && secrets && secrets.size > 0) return undefined;
  const names = [...new Set([...Object.keys(wish), ...(anew ? Object.keys(old) : [])])] as SettingName[];
  const differing = differences(wish, old as Live);
  for (const name of names) {
    const property = propertyOf(name);
    const [before, next] = [old[name], wish[name]];
    // They do nothing by themselves, but the restart that is approved loads them.
    const ridesAlong = name === "preloadLibraries" && differing.includes(name);
    if (!anew && !tops.has(property) && !ridesAlong) continue;
    if (next === UNKNOWN || before === UNKNOWN || isHidden(property, secrets)) return undefined;
    // Triggers may hold anything: their hash is enough to recognize them.
    const shown = (value: unknown) => (name === "restartTriggers" && value ? hashOf(value) : value);
    changes.push([property, shown(before) ?? null, shown(next) ?? null]);
  }
  if (anew) {
    const adopt = (inputs: ReleaseInputs = {}) => (inputs.adopt === false ? null : (inputs.adopt ?? null));
    changes.push(["adopt", adopt(release.old), adopt(release.next)]);
    changes.push(["onDelete", release.old?.onDelete ?? null, release.next?.onDelete ?? null]);
    // The engine uses the option in the state, so the option in the program now does not decide about the old compute.
    changes.push(["retainOnDelete", release.old?.__retain === true ? true : null, null]);
  }
  // An input that the program set neither before nor now is not in the digest. Otherwise each new input of this package would
  // change every digest.
  const spoken = changes.filter(([, before, next]) => before !== null || next !== null);
  return digestOf(urn, verdict.impact, spoken);
}

/**
 * The digest that approves the removal of a compute from the program. It names this compute, since the next compute may have
 * the same resource name. The compute's settings are not in it.
 * @param onDelete what becomes of it on the service
 */
export function approvalOfRemoval(
  urn: string,
  { id, projectId, onDelete }: { id: string; projectId: string; onDelete: "delete" | "release" },
): string | undefined {
  return digestOf(urn, onDelete === "delete" ? "delete" : "none", [
    ["id", id, null],
    ["onDelete", onDelete, null],
    ["projectId", projectId, null],
  ]);
}

type Change = [property: string, old: unknown, next: unknown];

function digestOf(urn: string, impact: Impact, changes: readonly Change[]): string | undefined {
  const identity = identityOf(urn);
  if (!identity) return undefined;
  const type = canonicalType(identity.type);
  const sorted = [...changes].sort(([a], [b]) => (a < b ? -1 : 1));
  return hashOf({ v: VERSION, ...identity, type, impact, changes: sorted });
}

/**
 * The hash of a change, and of values inside it. Both have the full length: two values with one inner hash would be two changes
 * with one digest.
 */
const hashOf = (value: unknown): string => createHash("sha256").update(canonical(value)).digest("hex").slice(0, DIGITS);

/** The short form for tables and sentences. The ellipsis shows that it is not the whole digest. */
export const shortDigest = (digest: string): string => `${digest.slice(0, SHOWN_DIGITS)}…`;

export interface Approvals {
  digests: ReadonlySet<string>;
  /** The last days of those that hold no more. */
  ended: ReadonlyMap<string, string>;
  /** How many the stack's config lists, used up and expired ones as well: the index of the next one. */
  count: number;
  /** The only one, where it is no list: no index can be added to it. */
  alone?: string;
  /** Entries with 12 digits, as written in the config: they approve nothing. */
  short: readonly string[];
  /** Why the value can't be used. */
  problem?: string;
}

/**
 * Reads `compute:approve`: a list of digests, each with an optional `@YYYY-MM-DD`, the last day (UTC) on which it holds.
 * @param text JSON, as Pulumi hands lists on; a single digest is fine too
 */
export function readApprovals(text: string | undefined, nowMs: number): Approvals {
  if (text === undefined || text.trim() === "") return { digests: new Set(), ended: new Map(), short: [], count: 0 };
  const list = listOf(text);
  const digests = new Set<string>();
  const ended = new Map<string, string>();
  const short: string[] = [];
  for (const [index, one] of (list ?? [text]).entries()) {
    // `pulumi config set --path` has turned 12 digits into a number.
    const entry = typeof one === "number" && SHORT.test(String(one)) ? String(one) : one;
    const [hex = "", day, ...more] = typeof entry === "string" ? entry.trim().split("@") : [];
    const until = day === undefined ? Number.POSITIVE_INFINITY : endOf(day);
    const isShort = SHORT.test(hex);
    if ((!isShort && !DIGEST.test(hex)) || until === undefined || more.length > 0) {
      const place = list ? ` (entry ${index + 1} of compute:approve)` : "";
      const problem = `${shown(one)} is no approval${place}: ${FORM}${typeof one === "number" ? UNQUOTED : ""}`;
      return { digests: new Set(), ended: new Map(), short: [], count: list?.length ?? 1, problem };
    }
    if (isShort) short.push(String(entry).trim());
    else if (nowMs <= until) digests.add(hex);
    else if (day !== undefined) ended.set(hex, day);
  }
  return { digests, ended, short, count: list?.length ?? 1, ...(list ? {} : { alone: text.trim() }) };
}

const FORM = `${DIGITS} hex digits in quotes, and perhaps "@2027-01-31" for its last day`;
const UNQUOTED = ". Without quotes, YAML reads digits, also with an e among them, as a number and loses some of them";

/** Names the entries with 12 digits; undefined where there are none. */
export function shortEntriesText({ short }: Pick<Approvals, "short">): string | undefined {
  if (short.length === 0) return undefined;
  const more = short.length - MOST_NAMED;
  const names = `${short.slice(0, MOST_NAMED).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const [entries, approve] = short.length === 1 ? ["this entry", "approves"] : ["these entries", "approve"];
  return `compute:approve: ${names} ${approve} nothing. An approval has ${DIGITS} hex digits; 12 are one of version 1, or one that was shortened in a table. Take ${entries} out, and approve what is still to come with the line that the report or the refusal prints`;
}
const MOST_NAMED = 20;

/**
 * An entry in a message. Of a long text only the length is shown: cut, a secret of the config would not be hidden by Pulumi.
 */
function shown(value: unknown): string {
  if (value !== null && typeof value === "object") return "what is no text";
  return typeof value === "string" && value.length > LONGEST
    ? `a text of ${value.length} characters`
    : JSON.stringify(value);
}
const LONGEST = 60;

function listOf(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The last millisecond of a day in UTC; undefined for what is no day. */
function endOf(day: string): number | undefined {
  const start = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  const isDay = !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);
  return isDay ? start + 24 * 3_600_000 - 1 : undefined;
}

/**
 * The command that approves: the same in errors and reports, to be copied. A stack whose name a shell may read otherwise is
 * left out. What is no list is made one first.
 */
export function approveCommand(
  digest: string,
  { count, alone }: Pick<Approvals, "count" | "alone">,
  stack: string | undefined,
): string {
  const which = stack !== undefined && /^\w[\w.-]*$/.test(stack) ? ` --stack ${stack}` : "";
  const set = (at: number, value: string) => `pulumi config set${which} --path "compute:approve[${at}]" ${value}`;
  const list = alone === undefined ? [] : [`pulumi config rm${which} compute:approve`, set(0, alone)];
  return [...list, set(count, digest)].join(" && ");
}
