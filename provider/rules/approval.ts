// Approvals: a reviewer lets exactly one change pass `onRestart: "refuse"`. What is approved is the change's meaning, so an
// approval neither falls to another change of the same compute nor to the same change of another one.

import { createHash } from "node:crypto";
import type { Impact, Verdict } from "./restart.js";
import {
  canonical,
  differences,
  digest,
  isHidden,
  type Live,
  propertyOf,
  type SettingName,
  UNKNOWN,
  type Wish,
} from "./settings.js";

/** Part of every digest: another meaning of the rest needs another number. */
const VERSION = 1;
const DIGEST = /^[0-9a-f]{12}$/;
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
 * The digest that approves this change, 12 hex digits; undefined where a value is secret or not known yet: then nobody can
 * say what would be approved.
 * @param adopt what the program says: in the place of a compute another one may be taken over
 * @param verdict of these two, with the limits apart (without `asSize`), so that both forms of a size are one change
 */
export function approvalOf(
  urn: string,
  verdict: Verdict,
  old: Wish | Live,
  wish: Wish,
  secrets?: ReadonlySet<string>,
  adopt?: unknown,
): string | undefined {
  const changes: [string, unknown, unknown][] = [];
  const tops = new Set(verdict.reasons.map(({ property }) => property.split(".").slice(0, 2).join(".")));
  // Of a new compute everything is new: what it has not, because the program says it no more, as well.
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
    // Triggers may hold anything; that they are these is enough.
    const shown = name === "restartTriggers" ? (value: unknown) => value && digest(value) : (value: unknown) => value;
    changes.push([property, shown(before) ?? null, shown(next) ?? null]);
  }
  if (anew && adopt !== undefined && adopt !== false) changes.push(["adopt", null, adopt]);
  return approvalDigest(urn, verdict.impact, changes);
}

/** The digest of an impact that comes from no setting: a deletion, or a replacement that an option asks for. */
export function approvalDigest(
  urn: string,
  impact: Impact,
  changes: [string, unknown, unknown][] = [],
): string | undefined {
  const identity = identityOf(urn);
  if (!identity) return undefined;
  const sorted = [...changes].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = canonical({ v: VERSION, ...identity, impact, changes: sorted });
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

export interface Approvals {
  digests: ReadonlySet<string>;
  /** The last days of those that hold no more. */
  ended: ReadonlyMap<string, string>;
  /** How many the stack's config lists, used up and expired ones as well: the index of the next one. */
  count: number;
  /** The only one, where it is no list: no index can be added to it. */
  alone?: string;
  /** Why the value can't be used. */
  problem?: string;
}

/**
 * Reads `compute:approve`: a list of digests, each with an optional `@YYYY-MM-DD`, the last day (UTC) on which it holds.
 * @param text JSON, as Pulumi hands lists on; a single digest is fine too
 */
export function readApprovals(text: string | undefined, nowMs: number): Approvals {
  if (text === undefined || text.trim() === "") return { digests: new Set(), ended: new Map(), count: 0 };
  const list = listOf(text);
  const digests = new Set<string>();
  const ended = new Map<string, string>();
  for (const [index, one] of (list ?? [text]).entries()) {
    // `pulumi config set --path` makes a number of what has digits only.
    const entry = typeof one === "number" ? String(one) : one;
    const [hex = "", day, ...more] = typeof entry === "string" ? entry.trim().split("@") : [];
    const until = day === undefined ? Number.POSITIVE_INFINITY : endOf(day);
    // 1234567890e2 without quotes has come as another number.
    const isRounded = typeof one === "number" && one % 100 === 0;
    if (isRounded || !DIGEST.test(hex) || until === undefined || more.length > 0) {
      const place = list ? ` (entry ${index + 1} of compute:approve)` : "";
      const problem = `${shown(one)} is no approval${place}: 12 hex digits in quotes, and perhaps "@2027-01-31" for its last day`;
      return { digests: new Set(), ended: new Map(), count: list?.length ?? 1, problem };
    }
    if (nowMs <= until) digests.add(hex);
    else if (day !== undefined) ended.set(hex, day);
  }
  return { digests, ended, count: list?.length ?? 1, ...(list ? {} : { alone: text.trim() }) };
}

/** An entry in a message, whatever it is. */
const shown = (value: unknown): string =>
  value !== null && typeof value === "object"
    ? "what is no text"
    : JSON.stringify(typeof value === "string" && value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value);
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
