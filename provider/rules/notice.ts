// What a change does to connections, as data: the input `__notice`, which check writes beside the text `restart`. Guards,
// approvals, the report and policies read the data. The text is for people.

import { readSentence } from "./legacy-notice.js";
import { atLeast, IMPACTS, type Impact, type Reason, type Verdict } from "./restart.js";
import { CHANGED_TRIGGERS, EFFECTS, UNSHOWN } from "./texts.js";

export interface ImpactNotice {
  /** `none` is never written: a change without an impact has no notice. No notice says `delete`. */
  impact: Exclude<Impact, "delete">;
  /**
   * Paths of the properties that cause an impact, for example `size` or `settings.pgSettings.work_mem`. Empty where an option
   * of the resource asks for a replacement.
   */
  properties: readonly string[];
}

/** The input's name. Pulumi shows no property in `--diff` whose name begins so. */
export const NOTICE = "__notice";

/** The notice of a verdict; undefined where the change has no impact. */
export function noticeOf({ impact, reasons }: Verdict): ImpactNotice | undefined {
  if (impact === "none" || impact === "delete") return undefined;
  return { impact, properties: reasons.map(({ property }) => property) };
}

/** The same notice as an input: nothing where there is none. */
export const noticeInput = (notice: ImpactNotice | undefined): { [NOTICE]?: ImpactNotice } =>
  notice === undefined ? {} : { [NOTICE]: notice };

/**
 * Reads the notice of a resource's inputs. Version 0.1.0 wrote the text alone.
 * @returns undefined where there is none or it can't be read: the change may do anything then
 */
export function readNotice(inputs: Readonly<Record<string, unknown>> | undefined): ImpactNotice | undefined {
  if (inputs === undefined) return undefined;
  if (NOTICE in inputs && inputs[NOTICE] !== undefined) return readData(inputs[NOTICE]);
  return "restart" in inputs ? readSentence(inputs["restart"]) : undefined;
}

function readData(value: unknown): ImpactNotice | undefined {
  if (value === null || typeof value !== "object") return undefined;
  const { impact, properties } = value as Record<string, unknown>;
  if (!isSaid(impact) || !Array.isArray(properties) || !properties.every(isPath)) return undefined;
  return { impact, properties };
}

const isSaid = (impact: unknown): impact is ImpactNotice["impact"] =>
  impact !== "delete" && (IMPACTS as readonly unknown[]).includes(impact);
const isPath = (value: unknown): value is string => typeof value === "string";

/** Whether the notice speaks of this property. A fixed size is both limits, and a new compute has everything anew. */
export function announces({ impact, properties }: ImpactNotice, property: string): boolean {
  if (impact === "new-host") return true;
  const told = properties.flatMap(formsOf);
  return formsOf(property).every((path) => told.some((one) => path === one || path.startsWith(`${one}.`)));
}

const formsOf = (property: string): string[] =>
  property === "size" ? ["autoscalingLimitMinCu", "autoscalingLimitMaxCu"] : [property];

/** What is known to happen where only the impact is known. */
export const EFFECT_OF: Record<ImpactNotice["impact"], string> = {
  none: "",
  "may-restart": EFFECTS.dependsOn(EFFECTS.restarts),
  restart: EFFECTS.restarts,
  stop: EFFECTS.stops,
  "new-host": EFFECTS.newHost,
};

/** The verdict, or the worse one that the notice gives, with its properties. */
export function withNotice(verdict: Verdict, notice: ImpactNotice | undefined): Verdict {
  if (notice === undefined || atLeast(verdict.impact, notice.impact)) return verdict;
  const { impact, properties } = notice;
  // What is asked for again, check can't know: the outputs, which the verdict has seen, tell.
  if (impact === "may-restart" && properties.length === 0) return verdict;
  const known = verdict.reasons.map((reason) =>
    announces(notice, reason.property) ? { ...reason, impact, effect: EFFECT_OF[impact] } : reason,
  );
  const isKnown = (path: string) => known.some(({ property }) => property === path);
  const more = properties
    .filter((path) => !isKnown(path))
    .map((property): Reason => {
      const shown = property === "restartTriggers" ? CHANGED_TRIGGERS : UNSHOWN;
      return { property, ...shown, impact, effect: EFFECT_OF[impact] };
    });
  return { ...verdict, impact, reasons: [...known, ...more] };
}

/** The text `restart` for a sentence of its own: without the first word, which says the least that a reader has to know. */
export const withoutFirstWord = (restart: unknown): string =>
  typeof restart === "string" ? restart.replace(/^[a-z]+: /, "") : "";
