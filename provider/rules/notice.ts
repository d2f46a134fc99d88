// What a change does to connections, as data: the input `__notice`, which check writes beside the text `restart`. Guards,
// approvals, the report and policies read the data. The text is for people.

import { endangers, type Fate, IMPACTS, type Impact, type ImpactAssessment, isAtLeast, type Reason } from "./impact.js";
import { settingOfPath } from "./paths.js";
import {
  type DesiredSettings,
  isSecret,
  pathsOf,
  propertyOf,
  rowOf,
  type SettingName,
  settingsWhere,
  UNKNOWN,
} from "./settings.js";
import {
  ADOPTION,
  CHANGED_TRIGGERS,
  CLAUSES,
  EFFECTS,
  FATES,
  RESTART_TEXT,
  type SentenceKind,
  UNSHOWN,
  VALUES,
} from "./texts.js";

export interface ImpactNotice {
  /**
   * `none`: no impact. A notice with `none` is written only for a replacement that keeps the compute; `readSentence` also returns it
   * for the text `no`. A notice never says `delete`.
   */
  impact: Exclude<Impact, "delete">;
  /**
   * Paths of the properties that cause an impact, for example `size` or `settings.pgSettings.work_mem`. Empty if an option
   * of the resource asks for a replacement.
   */
  properties: readonly string[];
  /** The compute that is replaced. Only the check of a replacement knows it; the engine does not tell the hook. */
  replaces?: ReplacedCompute;
}

export interface ReplacedCompute {
  id: string;
  projectId: string;
  fate: Fate;
}

/** The input's name. Pulumi's `--diff` hides properties whose names begin with two underscores. */
export const NOTICE = "__notice";

/** The notice of an assessed change; undefined if the change has no impact and replaces nothing. */
export function noticeOf({ impact, reasons }: ImpactAssessment, replaces?: ReplacedCompute): ImpactNotice | undefined {
  if (impact === "delete" || (impact === "none" && !replaces)) return undefined;
  return { impact, properties: reasons.map(({ property }) => property), ...(replaces ? { replaces } : {}) };
}

/** The notice as an input; empty if there is none. */
export const noticeInput = (notice: ImpactNotice | undefined): { [NOTICE]?: ImpactNotice } =>
  notice === undefined ? {} : { [NOTICE]: notice };

/**
 * Reads the notice of a resource's inputs. 0.1.0 states (docs/design.md) have only the text, and so do policies.
 * @returns undefined if there is none or it can't be read; then assume the worst
 */
export function readNotice(inputs: Readonly<Record<string, unknown>> | undefined): ImpactNotice | undefined {
  if (inputs === undefined) return undefined;
  if (NOTICE in inputs && inputs[NOTICE] !== undefined) return readData(inputs[NOTICE]);
  return "restart" in inputs ? readSentence(inputs["restart"]) : undefined;
}

function readData(value: unknown): ImpactNotice | undefined {
  if (value === null || typeof value !== "object") return undefined;
  const { impact, properties, replaces } = value as Record<string, unknown>;
  if (!isNoticeImpact(impact) || !Array.isArray(properties) || !properties.every(isPath)) return undefined;
  return { impact, properties, ...(isReplaced(replaces) ? { replaces } : {}) };
}

function isReplaced(value: unknown): value is ReplacedCompute {
  const { id, projectId, fate } = Object(value) as Record<string, unknown>;
  return (
    typeof id === "string" && typeof projectId === "string" && (fate === "kept" || Object.hasOwn(FATES, String(fate)))
  );
}

const isNoticeImpact = (impact: unknown): impact is ImpactNotice["impact"] =>
  impact !== "delete" && (IMPACTS as readonly unknown[]).includes(impact);
const isPath = (value: unknown): value is string => typeof value === "string";

/** Whether the notice covers this property. `size` covers both limits; `new-host` covers every property. */
export function announces({ impact, properties }: ImpactNotice, property: string): boolean {
  if (impact === "new-host") return true;
  const told = properties.flatMap(pathsOf);
  return pathsOf(property).every((path) => told.some((one) => path === one || path.startsWith(`${one}.`)));
}

/** The effect as a sentence, where only the impact is known. */
export const EFFECT_BY_IMPACT: Record<ImpactNotice["impact"], string> = {
  none: "",
  "may-restart": EFFECTS.dependsOn(EFFECTS.restarts),
  restart: EFFECTS.restarts,
  stop: EFFECTS.stops,
  "new-host": EFFECTS.newHost,
};

const SENTENCE_KINDS: Record<ImpactNotice["impact"], SentenceKind> = {
  none: "restart",
  "may-restart": "restart",
  restart: "restart",
  stop: "stop",
  "new-host": "replace",
};

/** The assessment, with the notice's impact if that is worse. */
export function withNotice(assessment: ImpactAssessment, notice: ImpactNotice | undefined): ImpactAssessment {
  if (notice === undefined || isAtLeast(assessment.impact, notice.impact)) return assessment;
  const { impact, properties } = notice;
  // With `compute:askAgain`, check warns of every compute, since it sees no outputs. This assessment was made with the outputs, so it
  // is more exact.
  if (impact === "may-restart" && properties.length === 0) return assessment;
  const worse = { impact, effect: EFFECT_BY_IMPACT[impact], sentenceKind: SENTENCE_KINDS[impact] };
  const known = assessment.reasons.map((reason) =>
    announces(notice, reason.property) ? { ...reason, ...worse } : reason,
  );
  const isKnown = (path: string) => known.some(({ property }) => property === path);
  const more = properties
    .filter((path) => !isKnown(path))
    .map((property): Reason => {
      // `size` has no row of its own.
      const shown = rowOf(settingOfPath(property))?.kind === "triggers" ? CHANGED_TRIGGERS : UNSHOWN;
      return { property, ...shown, ...worse };
    });
  return { ...assessment, impact, reasons: [...known, ...more] };
}

/** The text `restart` without its first word ("yes: "), to be part of another sentence. */
export const withoutFirstWord = (restart: unknown): string =>
  typeof restart === "string" ? restart.replace(/^[a-z]+: /, "") : "";

// Reads the impact from the text `restart` if there is no `__notice`: in 0.1.0 states and preview documents (docs/design.md), and
// in policies, because Pulumi hides inputs with two underscores from them. In a sentence that this version writes, only the last clause
// is read.

/** The last clauses that 0.1.0 wrote. They equal today's effects, but the effects may be reworded, and these may not. */
const NEW_HOST =
  "a compute with another id and host takes its place: clients need the new host; the old one is deleted and its connections drop, unless it is released";
const STOPS = "the compute stops, open connections drop, and nothing can connect while it is disabled";

/** What becomes of a replaced compute follows the last clause. */
const withoutFate = (text: string): string => {
  const fate = Object.values(FATES).find((one) => text.endsWith(`; ${one}`));
  return fate === undefined ? text : text.slice(0, -`; ${fate}`.length);
};

function certainImpact(text: string): "restart" | "stop" | "new-host" {
  const sentence = withoutFate(text);
  if ([NEW_HOST, CLAUSES.replace].some((one) => sentence.endsWith(one))) return "new-host";
  return [STOPS, CLAUSES.stop].some((one) => sentence.endsWith(one)) ? "stop" : "restart";
}

/**
 * "size 1 → 2, restartTriggers changed; …" and "adopts ep-… and sets size 2, …". New settings need not be added: guards, approvals
 * and the report read `__notice`, and a policy needs only the first word and the last clause.
 */
const CHANGED =
  /(?:^|, |and sets )(projectId|type|branchId|size|autoscalingLimitM(?:in|ax)Cu|suspendTimeoutSeconds|name|disabled|poolerEnabled|restartTriggers|settings\.(?:pgSettings(?:\.[^ ]+)?|preloadLibraries)) /g;
/** Longer than any sentence with fifty changes. */
const LONGEST = 10_000;

/** @returns undefined for a text that is not such a sentence */
export function readSentence(restart: unknown): ImpactNotice | undefined {
  if (restart === "no") return { impact: "none", properties: [] };
  const [, word, text] = (typeof restart === "string" && /^(maybe|yes): ([\s\S]*)$/.exec(restart)) || [];
  if (!word || text === undefined) return undefined;
  // The first word says whether connections drop, and only the rest says how.
  const properties = [...text.slice(0, LONGEST).matchAll(CHANGED)].map(([, property]) => property!);
  return { impact: word === "maybe" ? "may-restart" : certainImpact(text), properties };
}

// The notice of an adoption. Check does not see which settings the compute has.

/** The text `restart` and the data beside it. */
export interface ComputedInputs {
  restart: string;
  notice?: ImpactNotice;
}

/** @param adopt as the program says it; undefined if it is not known yet */
export function adoptionNotice(
  adopt: boolean | string | undefined,
  desired: DesiredSettings,
  { secrets, asSize }: { secrets: ReadonlySet<string>; asSize: boolean },
): ComputedInputs {
  // An adoption moves no compute to another project, and restarts none for triggers.
  const endangering = settingsWhere({ changedBy: "update" }).filter((name) => {
    const value = desired[name];
    return value !== undefined && endangers(name, value) && (name !== "branchId" || adopt !== true);
  });
  if (endangering.length === 0) return { restart: RESTART_TEXT.none };
  const nameOf = (name: SettingName) => (asSize && rowOf(name).sizeLimit ? "size" : propertyOf(name));
  const sets = endangering.map((name) => {
    const value = desired[name];
    const property = nameOf(name);
    if (isSecret(property, secrets)) return `${property} (secret)`;
    if (value === UNKNOWN) return `${property} ${VALUES.unknown}`;
    // Any string may be a secret that the program's transforms made: see `showsStrings`.
    return typeof value === "number" || typeof value === "boolean" ? `${property} ${value}` : property;
  });
  const whose = adopt === true ? ADOPTION.primary : adopt ? ADOPTION.byId : ADOPTION.unnamed;
  return {
    restart: RESTART_TEXT.maybe(ADOPTION.sentence(whose, [...new Set(sets)])),
    notice: { impact: "may-restart", properties: [...new Set(endangering.map(nameOf))] },
  };
}
