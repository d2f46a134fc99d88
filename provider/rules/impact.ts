// What a change does to a running compute. Pure rules, one for each word in the column `impact` of the table of settings. The diff,
// the warning at the resource, the report and approvals all use them.

import { isSamePostgresValue, satisfies } from "./equality.js";
import {
  type DesiredSettings,
  type ImpactRule,
  isKnownType,
  isSecret,
  type ObservedSettings,
  propertyOf,
  rowOf,
  SETTING_NAMES,
  type SettingName,
  type Settings,
  SIZE_LIMITS,
  UNKNOWN,
  type Unknown,
} from "./settings.js";
import {
  AN_OPTION,
  CHANGED_TRIGGERS,
  EFFECTS,
  FATES,
  NOTES,
  RESTART_TEXT,
  SENTENCES,
  type SentenceKind,
  type Subject,
  TO_UNKNOWN,
  UNSHOWN,
  VALUES,
} from "./texts.js";

/** From harmless to worst. Only a report says `delete`: a deletion is not a change of settings. */
export const IMPACTS = ["none", "may-restart", "restart", "stop", "new-host", "delete"] as const;
export type Impact = (typeof IMPACTS)[number];

export const isAtLeast = (impact: Impact, floor: Impact): boolean => IMPACTS.indexOf(impact) >= IMPACTS.indexOf(floor);

export const isWorse = (impact: Impact, than: Impact): boolean => IMPACTS.indexOf(impact) > IMPACTS.indexOf(than);

/** A changed property and its effect. */
export interface Reason {
  /** Path in the program, for example `autoscalingLimitMaxCu` or `settings.pgSettings.work_mem`. */
  property: string;
  /** Old and new value as text; "a secret value" for secrets. */
  old: string;
  new: string;
  /** The change in words, where its values must not be shown or would tell a reader nothing. */
  words?: string;
  impact: Impact;
  /** The effect, as a full clause. */
  effect: string;
  /** Which sentence describes the change and its effect. */
  sentenceKind: SentenceKind;
}

/** What a change does to connections, and why. */
export interface ImpactAssessment {
  /** The worst of the reasons. */
  impact: Impact;
  /** The changes that cause an impact, in the table's order. */
  reasons: Reason[];
  /** Notes about changes without an impact, for example libraries that load at the next start. */
  notes: string[];
}

type Effect = Pick<Reason, "impact" | "effect" | "sentenceKind">;
/** @param next undefined if not known yet: then the worst possible value counts */
type Rule = (old: unknown, next: unknown) => Effect | undefined;

const RULES: Record<ImpactRule, Rule> = {
  none: () => undefined,
  "at-next-start": () => undefined,
  postgres: () => ({ impact: "may-restart", effect: EFFECTS.postgres, sentenceKind: "restart" }),
  // A limit that was not managed before may already be what the compute has.
  resize: (old) =>
    old === undefined
      ? { impact: "may-restart", effect: EFFECTS.unlessSame(EFFECTS.restarts), sentenceKind: "resize" }
      : { impact: "restart", effect: EFFECTS.restarts, sentenceKind: "restart" },
  restart: () => ({ impact: "restart", effect: EFFECTS.restarts, sentenceKind: "restart" }),
  "other-branch": () => ({ impact: "restart", effect: EFFECTS.otherBranch, sentenceKind: "branch" }),
  stop: (_old, next) => (next === false ? undefined : { impact: "stop", effect: EFFECTS.stops, sentenceKind: "stop" }),
  "new-host": () => NEW_HOST,
};
const NEW_HOST = { impact: "new-host", effect: EFFECTS.newHost, sentenceKind: "replace" } as const satisfies Effect;
const ruleOf = (name: SettingName): Rule => RULES[rowOf(name).impact];

/** Whether giving a compute this value can drop connections, whatever it has now. */
export const endangers = (name: SettingName, value: unknown): boolean =>
  ruleOf(name)(undefined, value === UNKNOWN ? undefined : value) !== undefined;

export interface ImpactOptions {
  /** Properties of the program whose values must not be shown (their top-level names). */
  secrets?: ReadonlySet<string>;
  /** Whether the program sets `size`, so that texts name the two limits as one property. */
  asSize?: boolean;
  /**
   * Whether strings may be shown, because `secrets` is complete. In the provider it is not: the engine does not show a dynamic
   * provider which values the program's `transforms` and `transformations` made secret.
   * @default false
   */
  showsStrings?: boolean;
}

/**
 * The assessment of a change for which the engine replaces the compute. The reason is `projectId` or `type`, or the resource option
 * `replaceOnChanges`: with it, any change means a new host.
 */
export function replacementOf(
  old: DesiredSettings | ObservedSettings,
  desired: DesiredSettings,
  options: ImpactOptions = {},
): ImpactAssessment {
  const assessment = impactOf(old, desired, options);
  const isUndecided = desired.projectId === UNKNOWN || desired.type === UNKNOWN;
  if (assessment.impact === "new-host" || isUndecided) return assessment;
  const all = assess(old, desired, () => NEW_HOST, options);
  return { ...all, impact: "new-host", notes: [] };
}

/** The impact of changing the old settings to the desired ones. The old ones come from the compute or from the last inputs. */
export function impactOf(
  old: DesiredSettings | ObservedSettings,
  desired: DesiredSettings,
  options: ImpactOptions = {},
): ImpactAssessment {
  return assess(old, desired, effectOf, options);
}

/** The changes without an impact, such as another name. */
export function harmlessChanges(
  old: DesiredSettings | ObservedSettings,
  desired: DesiredSettings,
  options: ImpactOptions = {},
): Reason[] {
  const rule: EffectOf = (name, before, next) => (effectOf(name, before, next) ? undefined : HARMLESS);
  return assess(old, desired, rule, options).reasons;
}
const HARMLESS = { impact: "none", effect: "", sentenceKind: "restart" } as const satisfies Effect;

function assess(
  old: DesiredSettings | ObservedSettings,
  desired: DesiredSettings,
  rule: EffectOf,
  options: ImpactOptions,
): ImpactAssessment {
  const reasons: Reason[] = [];
  const notes: string[] = [];
  for (const name of SETTING_NAMES) {
    const before = known(old[name]);
    const next = desired[name];
    if (next === undefined || (next !== UNKNOWN && satisfies(name, valueBefore(name, before), next))) continue;
    // A compute that is disabled by the same change is not restarted.
    if (rowOf(name).changedBy === "restart" && desired.disabled === true) continue;
    const effect = rule(name, before, next);
    // Not `push(...)`: a call can have only so many arguments, and the program decides how many Postgres settings there are.
    if (effect) for (const reason of describe(name, before, next, effect, options)) reasons.push(reason);
    if (rowOf(name).impact === "at-next-start") notes.push(NOTES.atNextStart(propertyOf(name)));
  }
  const listed = options.asSize ? joinLimits(reasons, old, desired, options) : reasons;
  return { impact: worstImpact(listed.map((reason) => reason.impact)), reasons: listed, notes };
}

export const worstImpact = (impacts: readonly Impact[]): Impact =>
  impacts.reduce((a, b) => (isAtLeast(a, b) ? a : b), "none" as Impact);

/** What happens to the old compute in a replacement. `kept`: the replacement adopts it again. */
export type Fate = keyof typeof FATES | "kept";

/** The text of the input `restart`. Its first word says whether connections are in danger. */
export function restartText(assessment: ImpactAssessment, fate?: Fate): string {
  if (assessment.impact === "none") return RESTART_TEXT.none;
  return RESTART_TEXT[assessment.impact === "may-restart" ? "maybe" : "yes"](sentence(assessment, fate));
}

/** The changes and what the worst of them does: "size 2 → 4 restarts this compute if it is active; …". */
export function sentence(assessment: ImpactAssessment, fate?: Fate): string {
  const text = SENTENCES[sentenceKindOf(assessment)](subjectOf(assessment));
  return fate === undefined || fate === "kept" ? text : `${text}; ${FATES[fate]}`;
}

/** If no setting causes the impact, a resource option (replaceOnChanges) does. */
export const sentenceKindOf = ({ impact, reasons }: ImpactAssessment): SentenceKind =>
  reasons.find((reason) => reason.impact === impact)?.sentenceKind ?? "replace";

export function subjectOf({ impact, reasons }: ImpactAssessment): Subject {
  const changes = reasons.map((reason) => {
    const { property, words } = reason;
    return words === undefined || words === TO_UNKNOWN ? changeOf(reason) : `${property} (${words})`;
  });
  return {
    text: changes.join(", ") || AN_OPTION,
    isPlural: changes.length > 1,
    isPossible: impact === "may-restart",
  };
}

/** One change: "size 2 → 4". */
export const changeOf = (reason: Pick<Reason, "property" | "old" | "new" | "words">): string =>
  `${reason.property} ${reason.words ?? `${reason.old} → ${reason.new}`}`;

const known = <T>(value: T | Unknown | undefined): T | undefined => (value === UNKNOWN ? undefined : (value as T));

type EffectOf = (name: SettingName, old: unknown, next: unknown) => Effect | undefined;

const effectOf: EffectOf = (name, old, next) => {
  if (next !== UNKNOWN) return ruleOf(name)(old, next);
  // An unknown value needs a warning only if some value would.
  const possible = ruleOf(name)(old, undefined);
  return possible && { ...possible, impact: "may-restart", effect: EFFECTS.dependsOn(possible.effect) };
};

/** The value before a change. A setting that nobody has set has the service's default. */
const valueBefore = <K extends SettingName>(name: K, old: Settings[K] | undefined): Settings[K] | undefined =>
  old ?? (rowOf(name).default as Settings[K] | undefined);

function describe<K extends SettingName>(
  name: K,
  old: Settings[K] | undefined,
  next: Settings[K] | Unknown,
  effect: Effect,
  { secrets, showsStrings = false }: ImpactOptions,
): Reason[] {
  const property = propertyOf(name);
  if (rowOf(name).kind === "triggers") {
    const words = next === UNKNOWN ? { words: TO_UNKNOWN } : {};
    return [{ property, ...CHANGED_TRIGGERS, ...words, ...effect }];
  }
  if (isSecret(property, secrets)) {
    return [{ property, old: VALUES.oldSecret, new: VALUES.newSecret, ...effect }];
  }
  if (rowOf(name).kind === "parameters" && next !== UNKNOWN) {
    // Without a prototype: a parameter may be called `constructor`.
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
  const before = valueBefore(name, old);
  if (showsStrings || (isPlain(before) && isPlain(next)))
    return [{ property, old: text(before), new: text(next), ...effect }];
  const words = next === UNKNOWN ? TO_UNKNOWN : VALUES.changes;
  return [{ property, ...UNSHOWN, words, ...effect }];
}

/** Whether a value may be shown: numbers, flags and the two types. Any other string may be a secret. */
const isPlain = (value: unknown): boolean =>
  value === undefined || ["number", "boolean", "symbol"].includes(typeof value) || isKnownType(value);

function joinLimits(
  reasons: Reason[],
  old: DesiredSettings | ObservedSettings,
  desired: DesiredSettings,
  { secrets }: ImpactOptions,
): Reason[] {
  const limits = reasons.filter(({ property }) => (SIZE_LIMITS as readonly string[]).includes(property));
  const min = known(old.autoscalingLimitMinCu);
  const max = known(old.autoscalingLimitMaxCu);
  const hide = isSecret("size", secrets);
  // A range has no size to name: "size 1 to 8 → 4" would hide which limit goes where.
  if (limits.length === 0 || (min !== max && !hide)) return reasons;
  const size: Reason = {
    ...(limits.find((limit) => limit.impact === worstImpact(limits.map((one) => one.impact))) ?? limits[0]!),
    property: "size",
    old: hide ? VALUES.oldSecret : text(max),
    // An update may ask for only one limit: the one that differs.
    new: hide ? VALUES.newSecret : text(desired.autoscalingLimitMaxCu ?? desired.autoscalingLimitMinCu),
  };
  const first = reasons.indexOf(limits[0]!);
  return reasons.flatMap((reason, index) => (index === first ? [size] : limits.includes(reason) ? [] : [reason]));
}

const LONGEST_VALUE = 60;

function text(value: unknown): string {
  if (value === UNKNOWN) return VALUES.unknown;
  if (value === undefined) return VALUES.notSet;
  const shown = typeof value === "string" && value !== "" ? value : JSON.stringify(value);
  return shown.length > LONGEST_VALUE ? `${shown.slice(0, LONGEST_VALUE)}…` : shown;
}
