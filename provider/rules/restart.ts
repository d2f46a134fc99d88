// What a change does to a running compute. One pure table, read by the marker in the diff, by the warning on the
// resource and by the report for pull requests.

import {
  isHidden,
  isSamePostgresValue,
  type Live,
  propertyOf,
  type SettingName,
  type Settings,
  satisfies,
  UNKNOWN,
  type Unknown,
  type Wish,
} from "./settings.js";
import { CHANGED_TRIGGERS, EFFECTS, MARKER, NOTES, UNSHOWN, VALUES } from "./texts.js";

/** From harmless to worst. `delete` is only said by a report: a deletion is not a change of settings. */
export const IMPACTS = ["none", "may-restart", "restart", "stop", "new-host", "delete"] as const;
export type Impact = (typeof IMPACTS)[number];

export const atLeast = (impact: Impact, floor: Impact): boolean => IMPACTS.indexOf(impact) >= IMPACTS.indexOf(floor);

/** One property that changes, with what that does. */
export interface Reason {
  /** Path in the program, for example `autoscalingLimitMaxCu` or `settings.pgSettings.work_mem`. */
  property: string;
  /** Old and new value as text; "a secret value" for secrets. */
  old: string;
  new: string;
  /** The change in words, where values say nothing or are not for showing. */
  words?: string;
  impact: Impact;
  /** What happens, in words that follow "… → …; ". */
  effect: string;
}

export interface Verdict {
  /** The worst of the reasons. */
  impact: Impact;
  /** The changes that cause an impact, in the table's order. */
  reasons: Reason[];
  /** What a reader should know of changes without an impact. */
  notes: string[];
}

interface Effect {
  impact: Impact;
  effect: string;
}
type Rule<K extends SettingName> = (old: Settings[K] | undefined, next: Settings[K]) => Effect | undefined;

const none: Rule<SettingName> = () => undefined;
const newHost: Rule<SettingName> = () => ({ impact: "new-host", effect: EFFECTS.newHost });
/** A limit that was not managed before may already be what the compute has. */
const resizes: Rule<"autoscalingLimitMinCu" | "autoscalingLimitMaxCu"> = (old) =>
  old === undefined
    ? { impact: "may-restart", effect: EFFECTS.unlessSame(EFFECTS.restarts) }
    : { impact: "restart", effect: EFFECTS.restarts };

/** A new setting does not compile until somebody has decided here what changing it does. */
const TABLE: { [K in SettingName]-?: Rule<K> } = {
  projectId: newHost,
  type: newHost,
  disabled: (_old, next) => (next ? { impact: "stop", effect: EFFECTS.stops } : undefined),
  branchId: () => ({ impact: "restart", effect: EFFECTS.otherBranch }),
  autoscalingLimitMinCu: resizes,
  autoscalingLimitMaxCu: resizes,
  pgSettings: () => ({ impact: "may-restart", effect: EFFECTS.postgres }),
  restartTriggers: () => ({ impact: "restart", effect: EFFECTS.restarts }),
  preloadLibraries: none,
  suspendTimeoutSeconds: none,
  name: none,
  poolerEnabled: none,
};

export interface ImpactOptions {
  /** Properties of the program whose values must not be shown (their top-level names). */
  secrets?: ReadonlySet<string>;
  /** Whether the program says `size`, so that the two limits are spoken of as one property. */
  asSize?: boolean;
  /**
   * Whether the caller knows of every value whether it is secret. The engine does not tell a dynamic provider which values
   * the program's rules (`transforms`, `transformations`) made secret: there no string value is shown.
   * @default false
   */
  showsStrings?: boolean;
}

/**
 * The change of a compute that the engine replaces. Most often `projectId` or `type` is the reason; but a program can
 * ask for it with the resource option `replaceOnChanges`, and then any change means a new host.
 */
export function replacementOf(old: Wish | Live, wish: Wish, options: ImpactOptions = {}): Verdict {
  const verdict = impactOf(old, wish, options);
  const mayReplace = wish.projectId === UNKNOWN || wish.type === UNKNOWN;
  if (verdict.impact === "new-host" || mayReplace) return verdict;
  const all = judge(old, wish, () => ({ impact: "new-host", effect: EFFECTS.newHost }), options);
  return { ...all, impact: "new-host", notes: [] };
}

/** Compares what a compute has (or was last asked to have) with what is asked now. */
export function impactOf(old: Wish | Live, wish: Wish, options: ImpactOptions = {}): Verdict {
  return judge(old, wish, effectOf, options);
}

function judge(old: Wish | Live, wish: Wish, effectOf: EffectOf, options: ImpactOptions): Verdict {
  const reasons: Reason[] = [];
  const notes: string[] = [];
  for (const name of Object.keys(TABLE) as SettingName[]) {
    const before = known(old[name]);
    const next = wish[name];
    if (next === undefined || (next !== UNKNOWN && sameAsBefore(name, before, next))) continue;
    // What is to be stopped is not restarted.
    if (name === "restartTriggers" && wish.disabled === true) continue;
    const effect = effectOf(name, before, next);
    // Not `push(...)`: a call can have only so many arguments, and the program decides how many Postgres settings there are.
    if (effect) for (const reason of describe(name, before, next, effect, options)) reasons.push(reason);
    if (name === "preloadLibraries") notes.push(NOTES.preloadLibraries);
  }
  const spoken = options.asSize ? limitsAsSize(reasons, old, wish, options) : reasons;
  return { impact: worst(spoken.map((reason) => reason.impact)), reasons: spoken, notes };
}

export const worst = (impacts: readonly Impact[]): Impact =>
  impacts.reduce((a, b) => (atLeast(a, b) ? a : b), "none" as Impact);

/** The computed input `restart`: its first word says whether connections are in danger. */
export function markerOf(verdict: Verdict): string {
  if (verdict.impact === "none") return MARKER.none;
  return MARKER[verdict.impact === "may-restart" ? "maybe" : "yes"](sentence(verdict));
}

/** The changes and what the worst of them does: "size 2 → 4; if the compute is active it restarts, …". */
export function sentence(verdict: Verdict): string {
  const changes = verdict.reasons.map(changeOf);
  // Without a reason among the settings, an option of the resource asks for a replacement.
  const cause = verdict.reasons.find((reason) => reason.impact === verdict.impact)?.effect ?? EFFECTS.newHost;
  return [changes.join(", "), cause].filter(Boolean).join("; ");
}

/** One change: "size 2 → 4". */
export const changeOf = (reason: Reason): string =>
  `${reason.property} ${reason.words ?? `${reason.old} → ${reason.new}`}`;

const known = <T>(value: T | Unknown | undefined): T | undefined => (value === UNKNOWN ? undefined : (value as T));

type EffectOf = <K extends SettingName>(
  name: K,
  old: Settings[K] | undefined,
  next: Settings[K] | Unknown,
) => Effect | undefined;

function effectOf<K extends SettingName>(
  name: K,
  old: Settings[K] | undefined,
  next: Settings[K] | Unknown,
): Effect | undefined {
  const rule = TABLE[name] as Rule<K>;
  if (next !== UNKNOWN) return rule(old, next as Settings[K]);
  // Nothing is said of a setting that does no harm whatever its value is.
  const possible = rule(old, (name === "disabled" ? true : undefined) as Settings[K]);
  return possible && { impact: "may-restart", effect: EFFECTS.dependsOn(possible.effect) };
}

/** What a compute has that the program says nothing about: "not said before" is a value like any other. */
const DEFAULTS: Partial<Settings> = { type: "read_write", disabled: false };

function sameAsBefore<K extends SettingName>(name: K, old: Settings[K] | undefined, next: Settings[K]): boolean {
  return satisfies(name, old ?? DEFAULTS[name], next);
}

function describe<K extends SettingName>(
  name: K,
  old: Settings[K] | undefined,
  next: Settings[K] | Unknown,
  effect: Effect,
  { secrets, showsStrings = false }: ImpactOptions,
): Reason[] {
  const property = propertyOf(name);
  if (name === "restartTriggers") {
    const words = next === UNKNOWN ? { words: `→ ${VALUES.unknown}` } : {};
    return [{ property, ...CHANGED_TRIGGERS, ...words, ...effect }];
  }
  if (isHidden(property, secrets)) {
    return [{ property, old: VALUES.oldSecret, new: VALUES.newSecret, ...effect }];
  }
  if (name === "pgSettings" && next !== UNKNOWN) {
    // Without a prototype, which has names of its own.
    const before = Object.assign(Object.create(null), old) as Record<string, string>;
    const after = next as Record<string, string>;
    return Object.keys(after)
      .filter((key) => !isSamePostgresValue(key, before[key], after[key]))
      .sort()
      .map((key) => ({
        property: `${property}.${key}`,
        ...(showsStrings ? { old: text(before[key]), new: text(after[key]) } : UNSHOWN),
        ...effect,
      }));
  }
  const before = old ?? DEFAULTS[name];
  if (showsStrings || (isPlain(before) && isPlain(next)))
    return [{ property, old: text(before), new: text(next), ...effect }];
  const words = next === UNKNOWN ? `→ ${VALUES.unknown}` : VALUES.changes;
  return [{ property, ...UNSHOWN, words, ...effect }];
}

/** A value that may stand anywhere: no string, but one of the two words for a type. */
const isPlain = (value: unknown): boolean =>
  value === undefined || ["number", "boolean", "symbol"].includes(typeof value) || isType(value);
const isType = (value: unknown): boolean => value === "read_write" || value === "read_only";

function limitsAsSize(reasons: Reason[], old: Wish | Live, wish: Wish, { secrets }: ImpactOptions): Reason[] {
  const limits = reasons.filter((reason) => LIMITS.has(reason.property));
  if (limits.length === 0) return reasons;
  const min = known(old.autoscalingLimitMinCu);
  const max = known(old.autoscalingLimitMaxCu);
  const hide = isHidden("size", secrets);
  const size: Reason = {
    ...(limits.find((limit) => limit.impact === worst(limits.map((one) => one.impact))) ?? limits[0]!),
    property: "size",
    old: hide ? VALUES.oldSecret : min === max ? text(max) : `${text(min)} to ${text(max)}`,
    // An update may ask for only one limit: the one that differs.
    new: hide ? VALUES.newSecret : text(wish.autoscalingLimitMaxCu ?? wish.autoscalingLimitMinCu),
  };
  const first = reasons.indexOf(limits[0]!);
  return reasons.flatMap((reason, index) => (index === first ? [size] : limits.includes(reason) ? [] : [reason]));
}

const LIMITS = new Set(["autoscalingLimitMinCu", "autoscalingLimitMaxCu"]);
const LONGEST_VALUE = 60;

function text(value: unknown): string {
  if (value === UNKNOWN) return VALUES.unknown;
  if (value === undefined) return VALUES.notSet;
  const shown = typeof value === "string" && value !== "" ? value : JSON.stringify(value);
  return shown.length > LONGEST_VALUE ? `${shown.slice(0, LONGEST_VALUE)}…` : shown;
}
