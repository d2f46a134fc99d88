// Builds the warnings of create and update, like the hook of the TypeScript class (`sdk/preview-warnings.ts`), but without the sum
// and without failures that another resource of the run may remove. Only create and update know whether this is a preview. In a
// preview they ask the service for the current state.

import type { ProviderConfig } from "../provider/config.js";
import { checkInputs } from "../provider/endpoint/inputs.js";
import type { Outlook, ProjectNow } from "../provider/lookup/live.js";
import { type ApprovalState, approvalStateOf } from "../provider/rules/approval.js";
import { readNotice } from "../provider/rules/notice.js";
import { refuses } from "../provider/rules/policies.js";
import { type DesiredSettings, desiredSettings } from "../provider/rules/settings.js";
import { isUnfinished } from "../provider/rules/unfinished.js";
import {
  announcedChange,
  type Change,
  type Line,
  lineOfCreation,
  lineOfImpact,
  lineOfUnfinished,
  newBranchOf,
  unexplainedChanges,
  withFailure,
} from "../provider/rules/warnings.js";
import type { Props } from "./values.js";

/** A resource in a create or an update. */
export interface ResourceStep {
  urn: string;
  /** The inputs that check has made. */
  news: Props;
  oldInputs?: Props;
  secrets: ReadonlySet<string>;
  config: ProviderConfig;
  isPreview: boolean;
  /** Whether `refuse` only warns in this run. */
  isSoftened: boolean;
  /** The project as it is now. Undefined if not known, and outside of a preview. */
  projectNow(projectId: unknown): Promise<ProjectNow | undefined>;
  /** Loaded only where a preview has asked. */
  lookups(): typeof import("../provider/lookup/index.js");
}

/** A resource in an update. */
export interface UpdateStep extends ResourceStep {
  id: string;
  /** The outputs in the state. */
  olds: Props;
  oldInputs: Props;
}

/** A line, and when the service was asked for it. */
export interface TimedLine extends Line {
  atMs?: number | undefined;
}

/** The change of an update, compared with the inputs and the outputs in the state. */
export function announcedChangeOf({ olds, news, oldInputs, secrets, config: { askAgain } }: UpdateStep): Change {
  const desired = desiredSettingsIn(news);
  return announcedChange(
    { inputs: oldInputs, outputs: olds },
    { news, desired, secrets, notice: readNotice(news), askAgain },
  );
}

function desiredSettingsIn(news: Props): DesiredSettings {
  const { inputs, unknown } = checkInputs(news);
  return desiredSettings(inputs, unknown);
}

export async function linesOfUpdate(step: UpdateStep, change: Change): Promise<TimedLine[]> {
  const { id, olds, news } = step;
  const lines: TimedLine[] = [];
  if (onRestartOf(step) !== "allow") {
    if (change.verdict.impact !== "none") lines.push(await impactLine(step, change));
    else if (isUnfinished(olds)) lines.push(lineOfUnfinished(id));
  }
  for (const text of unexplainedChanges(olds, news, change)) lines.push({ severity: "warn", text });
  for (const text of change.verdict.notes) lines.push({ severity: "info", text });
  return lines;
}

async function impactLine(step: UpdateStep, change: Change): Promise<TimedLine> {
  const { id, olds, news, secrets } = step;
  const project = await step.projectNow(olds["projectId"]);
  const now = project && step.lookups().computeIn(project, id);
  const approval = approvalStateFor(step);
  const { line } = lineOfImpact(change, { id, olds, news, secrets, now, approval, onRestart: onRestartOf(step) });
  // The primary on the new branch may still leave in this run, and the plugin does not learn when the program ends.
  const outlook =
    project &&
    (await step.lookups().updateOutlook(project, { id, branchId: newBranchOf(change), movesPrimary: false }));
  const whole = (outlook?.kind === "fails" && withFailure(line, outlook.foreseen)) || line;
  return { ...whole, atMs: project?.nowMs };
}

export async function linesOfCreation(step: ResourceStep): Promise<TimedLine[]> {
  const { news, config } = step;
  const replaces = readNotice(news)?.replaces;
  const project = await step.projectNow(news["projectId"]);
  const { onRestart } = config;
  const outlook = project && (await step.lookups().creationOutlookIfKnown(project, { ...step, onRestart, replaces }));
  const line = onRestartOf(step) === "allow" ? undefined : await creationLine(step, outlook);
  // A compute that is in the way may leave in this run, and the plugin is not told when the program ends.
  const failure = outlook?.kind === "fails" && outlook.foreseen.id === undefined ? outlook.foreseen : undefined;
  const whole = failure ? withFailure(line, failure) : line;
  return whole ? [{ ...whole, atMs: project?.nowMs }] : [];
}

/** What the creation does to a compute that exists. */
async function creationLine(step: ResourceStep, outlook: Outlook | undefined): Promise<Line | undefined> {
  const notice = readNotice(step.news);
  const replaces = notice?.replaces?.fate === "kept" ? undefined : notice?.replaces;
  const replacedProject = replaces && (await step.projectNow(replaces.projectId));
  const replacedActivity =
    replacedProject && replaces && step.lookups().computeIn(replacedProject, replaces.id)?.activity;
  const { isPreview } = step;
  const approval = approvalStateFor(step);
  return lineOfCreation(step.news, notice, { outlook, isPreview, replacedActivity, approval })?.line;
}

function approvalStateFor({ urn, news, oldInputs, secrets, config, isSoftened }: ResourceStep): ApprovalState {
  const impact = readNotice(news)?.impact ?? "none";
  if (!refuses(impact, news["onRestart"], config.onRestart)) return "not-asked";
  const { digests } = config.approvals;
  return approvalStateOf({ urn, oldInputs, news, desired: desiredSettingsIn(news), secrets, digests, isSoftened });
}

const onRestartOf = ({ news, config }: ResourceStep): unknown => news["onRestart"] ?? config.onRestart ?? "warn";
