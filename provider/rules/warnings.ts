// The lines at a resource, in a preview and in `pulumi up`. The class's hook and the plugin use them. The texts of the
// changes are in `texts.ts`.

import { escapeInvisibleLines } from "../visible-text.js";
import type { ApprovalState } from "./approval.js";
import { type Activity, sentenceNow, stateNow } from "./current-state.js";
import { driftInChange } from "./drift.js";
import type { ForeseenFailure } from "./foreseen-failure.js";
import { type Impact, type ImpactAssessment, impactOf } from "./impact.js";
import { isState, type MessageFact } from "./message-data.js";
import { type ImpactNotice, type ReplacedCompute, withNotice, withoutFirstWord } from "./notice.js";
import { comparedWith, differingPaths, valuesByPath } from "./paths.js";
import { isReleasedBy, refuses } from "./policies.js";
import { type DesiredSettings, desiredSettings, type ObservedSettings, type SettingsInput } from "./settings.js";
import { NOW } from "./texts.js";
import { textsIn } from "./texts-in.js";
import { isUnfinished } from "./unfinished.js";

type Props = Record<string, unknown>;

/** A change, compared with the inputs and the outputs in the state. */
export interface Change {
  /** The settings with which the program is compared. */
  before: ObservedSettings;
  desired: DesiredSettings;
  assessment: ImpactAssessment;
}

/** The branch to which the change moves the compute; undefined also where it is not known yet. */
export const newBranchOf = ({ before, desired: { branchId } }: Change): string | undefined =>
  typeof branchId === "string" && branchId !== before.branchId ? branchId : undefined;

const optionsOf = (news: Props, secrets: ReadonlySet<string>) => ({
  secrets,
  asSize: news["size"] !== undefined,
  showsStrings: true,
});

/**
 * The change, compared with the compute's current settings. For a setting that the program sets for the first time, only the
 * compute tells whether it differs.
 */
function asSeenNow(change: Change, now: ObservedSettings, news: Props, secrets: ReadonlySet<string>): Change {
  const { before, desired, assessment } = change;
  const isGuess = assessment.reasons.some(({ sentenceKind }) => sentenceKind === "resize");
  // Only an assessment whose reasons are all `resize` is made again with the compute's own limits. Other reasons may come from check
  // alone (assets among the triggers), and a new comparison would lose them.
  if (!isGuess || assessment.reasons.some(({ sentenceKind }) => sentenceKind !== "resize")) return change;
  const known = { ...now, ...before };
  return { before: known, desired, assessment: impactOf(known, desired, optionsOf(news, secrets)) };
}

/** What the program asks for. */
export interface DesiredChange {
  /** The inputs that check has made. */
  news: Props;
  desired: DesiredSettings;
  secrets: ReadonlySet<string>;
  notice: ImpactNotice | undefined;
  askAgain: boolean;
}

/**
 * The change with the worse of two assessments. One compares with the state. The other is from check, which has only the old inputs
 * but can compare assets. After a failed step, the old inputs are outdated, so only the outputs count.
 */
export function announcedChange(
  { inputs, outputs: olds }: { inputs: Props; outputs: Props },
  { news, desired, secrets, notice, askAgain }: DesiredChange,
): Change {
  const askedAgain = askAgain ? textsIn(olds["notTaken"]) : [];
  const before = isUnfinished(olds)
    ? (desiredSettings(olds as SettingsInput) as ObservedSettings)
    : comparedWith(inputs as SettingsInput, olds as SettingsInput, askedAgain);
  const own = impactOf(before, desired, optionsOf(news, secrets));
  return { before, desired, assessment: isUnfinished(olds) ? own : withNotice(own, notice) };
}

/** A line at a resource. */
export interface Line {
  /** "info" if no connection can drop. */
  severity: "warn" | "info";
  text: string;
  /** What an approval does about it, as a sentence. */
  approval?: string;
  /** The same as data, for the report. */
  facts?: readonly MessageFact[];
}

/** The line without its facts. */
export const textOfLine = ({ text, approval }: Line): string =>
  escapeInvisibleLines(approval === undefined ? text : `${text} ${approval}`);

const warning = (text: string): Line => ({ severity: "warn", text });
const note = (text: string): Line => ({ severity: "info", text });

/** An update. @param activity of the compute now; undefined if not known */
const lineOfUpdate = (id: string, assessment: ImpactAssessment, activity: Activity | undefined): Line =>
  assessment.impact === "none" ? note(`${id}: ${NOW.same}`) : warning(`${id}: ${sentenceNow(assessment, activity)}`);

/** After a failed change, the state does not tell how it ended. The update finds out and finishes it. */
export const lineOfUnfinished = (id: string): Line =>
  warning(
    `${id}: an earlier change did not end well. This update finishes it and may restart this compute; open connections drop then.`,
  );

/** A replacement by a new compute. @param restart the text of the input `restart`, which contains the values */
function lineOfReplacement(
  replaces: ReplacedCompute | undefined,
  restart: unknown,
  activity: Activity | undefined,
): Line {
  const text = `${withoutFirstWord(restart)}.`;
  if (!replaces) return warning(text);
  const isSafe = replaces.fate === "released" || activity === undefined;
  const now = isSafe ? "" : ` ${stateNow(activity, replaces.fate === "perhaps-deleted")}`;
  return warning(`${replaces.id}: ${text}${now}`);
}

/** The line of an adoption if the service could not be asked. */
const lineOfUnseenAdoption = (restart: unknown): Line => warning(`${withoutFirstWord(restart)}.`);

/** A create that takes a compute over. In a preview, and in `up`. */
export function lineOfAdoption(
  id: string,
  { assessment, changes }: { assessment: ImpactAssessment; changes: readonly string[] },
  activity: Activity | undefined,
): Line {
  const facts = ["adopts"] as const;
  if (assessment.impact !== "none")
    return { ...warning(`takes over ${id}: ${sentenceNow(assessment, activity)}`), facts };
  const values =
    changes.length === 0
      ? `takes over ${id}, which has exactly these values: nothing changes.`
      : `takes over ${id} and sets ${changes.join(", ")}: nothing drops.`;
  return { ...note(values), facts };
}

/** A create that will take a compute over. */
export interface AdoptionOutlook {
  kind: "adopts";
  compute: { id: string };
  assessment: ImpactAssessment;
  /** The changes without an impact: "suspendTimeoutSeconds 300 → 600". */
  changes: readonly string[];
  activity?: Activity;
}

/** What a preview knows of a creation beside its inputs. */
export interface CreationContext {
  /** What the create will do; undefined if not known. */
  outlook?: AdoptionOutlook | { kind: "makes" | "fails" };
  /**
   * Whether this is a preview. `up` prints no line about an adoption whose compute was not looked at: the step itself says what the
   * adoption does.
   */
  isPreview: boolean;
  /** What the compute that is replaced does now. */
  replacedActivity: Activity | undefined;
  approval: ApprovalState;
}

/** The line of a creation, and what it adds to the sum at the stack. */
export interface CreationLine {
  line: Line;
  /** The impact on an existing compute; "none" if no such compute is known. */
  impact: Impact;
  /** The state of that compute. Undefined if unknown, or if nothing happens to it. */
  activity?: Activity | undefined;
}

/** The line for what a creation does to an existing compute; undefined if it does nothing. */
export function lineOfCreation(
  news: Props,
  notice: ImpactNotice | undefined,
  { outlook, isPreview, replacedActivity, approval }: CreationContext,
): CreationLine | undefined {
  const replaces = notice?.replaces;
  if (replaces && replaces.fate !== "kept") {
    const replacement = lineOfReplacement(replaces, news["restart"], replacedActivity);
    const line = { ...replacement, ...APPROVAL[approval], facts: stateFact(replacedActivity) };
    return { line, impact: notice.impact, activity: replacedActivity };
  }
  if (outlook?.kind === "adopts") return adoptionLine(outlook, replaces !== undefined);
  if (outlook?.kind === "fails" || notice === undefined || notice.impact === "none") return undefined;
  // The compute is unknown, so the sum at the stack does not count it.
  const impact = "none";
  if (notice.impact !== "may-restart")
    return { line: lineOfReplacement(undefined, news["restart"], undefined), impact };
  if (outlook?.kind === "makes") return { line: lineOfNewPrimary(news["branchId"]), impact };
  return isPreview ? { line: lineOfUnseenAdoption(news["restart"]), impact } : undefined;
}

/** @param isKept whether the resource had this compute before, and only gets it back */
function adoptionLine(outlook: AdoptionOutlook, isKept: boolean): CreationLine | undefined {
  const { compute, assessment, activity } = outlook;
  const { impact } = assessment;
  if (isKept && impact === "none") return undefined;
  const line = isKept ? lineOfUpdate(compute.id, assessment, activity) : lineOfAdoption(compute.id, outlook, activity);
  // A line that says "nothing drops" needs no state at its end.
  if (impact === "none") return { line, impact };
  return { line: { ...line, facts: [...stateFact(activity), ...(line.facts ?? [])] }, impact, activity };
}

/** A create with `adopt: true` on a branch without a primary. */
const lineOfNewPrimary = (branch: unknown): Line => ({
  ...note(`branch ${branch} has no primary to take over: a new compute is created, and nothing drops.`),
  facts: ["makes"],
});

/** The line together with what will make `up` fail. No approval helps, so it says nothing of one. */
export function withFailure(line: Line | undefined, failure: ForeseenFailure | undefined): Line | undefined {
  if (failure === undefined) return line;
  const unless = failure.mayBeOwn ? " A forced replacement (--target-replace, a taint) goes through." : "";
  const text = `${failure.problem}: \`up\` will fail. ${failure.way}.${unless}`;
  const fails: MessageFact = failure.mayBeOwn ? "fails unless replaced" : "fails";
  const state = failure.state ? [failure.state] : (line?.facts ?? []).filter(isState);
  const facts = [...state, fails];
  return { ...warning(line ? `${line.text} But ${text}` : text), facts };
}

/** Follows the warning about a change that needs an approval. */
const APPROVAL: Record<ApprovalState, Pick<Line, "approval">> = {
  given: { approval: "Approved." },
  missing: { approval: "`pulumi up` refuses this unless it is approved." },
  "not-asked": {},
};

/** The advice for an update that `up` refuses and nobody could approve, because check did not know that it restarts. */
const UNAPPROVABLE =
  ' onRestart is "refuse": `up` will fail. Set onRestart: "warn" on this resource for this one change.';

/** What a line about an update needs beside the change. */
export interface UpdateContext {
  id: string;
  olds: Props;
  news: Props;
  secrets: ReadonlySet<string>;
  /** The compute now; undefined if not known. */
  now: { settings: ObservedSettings; activity: Activity | undefined } | undefined;
  approval: ApprovalState;
  /** What is to be done about a restart. */
  onRestart: unknown;
}

/** An update with an impact, as the compute sees it now. */
export function lineOfImpact(change: Change, context: UpdateContext): { line: Line; assessment: ImpactAssessment } {
  const { id, olds, news, secrets, now, approval, onRestart } = context;
  const { assessment } = now ? asSeenNow(change, now.settings, news, secrets) : change;
  const { severity, text } = lineOfUpdate(id, assessment, now?.activity);
  const isGuarded = refuses(assessment.impact, onRestart);
  const isUnapprovable = isGuarded && approval === "not-asked";
  const [before, desired] = [valuesByPath(change.before), valuesByPath(change.desired)];
  const drift = now ? driftInChange({ before, desired }, olds, now.settings, optionsOf(news, secrets)) : [];
  const fails = isUnapprovable || (isGuarded && drift.length > 0);
  const line = {
    severity,
    text: `${text}${isUnapprovable ? UNAPPROVABLE : driftNote(drift, isGuarded)}`,
    // If `up` fails even with an approval, the line does not mention approvals.
    ...(fails ? {} : APPROVAL[approval]),
    facts: [...stateFact(now?.activity), ...(fails ? (["fails"] as const) : [])],
  };
  return { line, assessment };
}

/** The state of the compute as data. */
const stateFact = (activity: Activity | undefined): MessageFact[] => (activity ? [activity.state] : []);

/** @param isGuarded whether `up` refuses the change: the approval covers the values in the state */
const driftNote = (changes: readonly string[], isGuarded: boolean): string =>
  changes.length === 0
    ? ""
    : ` But somebody has changed ${changes.join(", ")} since the state was recorded${isGuarded ? ": `up` will fail" : ""}. Run \`pulumi refresh\`, and preview again.`;

/** Lines about changes that the diff does not show, or shows without a reason. */
export function unexplainedChanges(olds: Props, news: Props, { desired, before }: Change): string[] {
  const differing = differingPaths(valuesByPath(desired), valuesByPath(before));
  const lines = textsIn(olds["notTaken"])
    .filter((path) => differing.includes(path))
    .map((path) => `${path} is sent again: the service did not apply it last time`);
  const chosen = olds["onDelete"];
  // By default an adopted compute is released and a created one is deleted.
  const byDefault = isReleasedBy({ adopted: olds["adopted"] }) ? "release" : "delete";
  if (chosen !== undefined && chosen !== byDefault && news["onDelete"] === undefined) {
    const changes =
      byDefault === "release"
        ? "which was adopted, will be released with this resource, not deleted"
        : "which was created for this resource, will be deleted with it, not released";
    lines.push(`without onDelete this compute, ${changes}. To keep it as it was, set onDelete: "${chosen}"`);
  }
  return lines;
}
