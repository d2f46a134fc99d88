// Which lines a create and an update print at their resource, and what each needs to know. The class's hook and the plugin both use
// these rules, and print the lines themselves. The lines are in `warnings.ts`.

import type { ApprovalState } from "./approval.js";
import type { Activity } from "./current-state.js";
import type { ForeseenFailure } from "./foreseen-failure.js";
import type { Impact } from "./impact.js";
import type { ImpactNotice, ReplacedCompute } from "./notice.js";
import { type OnRestart, refuses } from "./policies.js";
import { isUnfinished } from "./unfinished.js";
import {
  type AdoptionOutlook,
  type Change,
  type Line,
  lineOfCreation,
  lineOfImpact,
  lineOfUnfinished,
  newBranchOf,
  type UpdateContext,
  unexplainedChanges,
} from "./warnings.js";

type Props = Record<string, unknown>;
/** What `up` will do. */
type Outlook = AdoptionOutlook | { kind: "makes" } | { kind: "fails"; foreseen: ForeseenFailure };

/** The part of a project's answer that the lines need. */
interface ListedAt {
  /** The moment at which the service listed the project's computes. */
  nowMs: number;
}

/** The part of `provider/lookup` that a preview uses. A program that asks nothing does not load it. */
interface Lookups<P> {
  computeIn(project: P, id: string): UpdateContext["now"];
  updateOutlook(
    project: P,
    update: { id: string; branchId: string | undefined; movesPrimary: boolean },
  ): Promise<Outlook | undefined>;
  creationOutlookIfKnown(
    project: P,
    creation: {
      news: Props;
      secrets: ReadonlySet<string>;
      onRestart: OnRestart | undefined;
      replaces: ReplacedCompute | undefined;
    },
  ): Promise<Outlook | undefined>;
}

/** A resource in a create or an update. */
export interface ResourceStep<P extends ListedAt> {
  /** The new inputs, as check returned them. */
  news: Props;
  secrets: ReadonlySet<string>;
  notice: ImpactNotice | undefined;
  /** The stack's `compute:onRestart`. */
  stackOnRestart: OnRestart | undefined;
  isPreview: boolean;
  /** Whether the change has its approval. Called only for a change that `onRestart` stops. */
  approval(): ApprovalState | Promise<ApprovalState>;
  /** Undefined if the project is not known, and outside of a preview. */
  projectNow(projectId: unknown): Promise<P | undefined>;
  /** Loads the look-ups. Called only after `projectNow` has returned a project. */
  lookups(): Lookups<P>;
}

/** A resource in an update. */
export interface UpdateStep<P extends ListedAt> extends ResourceStep<P> {
  id: string;
  /** The outputs in the state. */
  olds: Props;
}

/** A line, and what the adapter needs to print it. */
export interface PreviewLine {
  line: Line | undefined;
  /** Why `up` will fail. If it names a compute, that compute may leave in this run, and then `up` goes through. */
  failure?: ForeseenFailure | undefined;
  /** When the service was asked. */
  atMs?: number | undefined;
  /** What happens to an existing compute, for the sum at the stack. */
  effect?: { impact: Impact; activity: Activity | undefined } | undefined;
}

type Step = ResourceStep<ListedAt>;

const onRestartOf = ({ news, stackOnRestart }: Step): unknown => news["onRestart"] ?? stackOnRestart ?? "warn";

const approvalOf = async (step: Step): Promise<ApprovalState> =>
  refuses(step.notice?.impact ?? "none", onRestartOf(step)) ? step.approval() : "not-asked";

const failureIn = (outlook: Outlook | undefined) => (outlook?.kind === "fails" ? outlook.foreseen : undefined);

export async function linesOfUpdate<P extends ListedAt>(step: UpdateStep<P>, change: Change): Promise<PreviewLine[]> {
  const { id, olds, news } = step;
  const lines: PreviewLine[] = [];
  if (onRestartOf(step) !== "allow") {
    if (change.assessment.impact !== "none") lines.push(await impactLine(step, change));
    else if (isUnfinished(olds)) lines.push({ line: lineOfUnfinished(id) });
  }
  for (const text of unexplainedChanges(olds, news, change)) lines.push({ line: { severity: "warn", text } });
  for (const text of change.assessment.notes) lines.push({ line: { severity: "info", text } });
  return lines;
}

async function impactLine<P extends ListedAt>(step: UpdateStep<P>, change: Change): Promise<PreviewLine> {
  const { id, olds, news, secrets } = step;
  const project = await step.projectNow(olds["projectId"]);
  const now = project && step.lookups().computeIn(project, id);
  const approval = await approvalOf(step);
  const context = { id, olds, news, secrets, now, approval, onRestart: onRestartOf(step) };
  const { line, assessment } = lineOfImpact(change, context);
  const movesPrimary = change.before.type === "read_write";
  const outlook =
    project && (await step.lookups().updateOutlook(project, { id, branchId: newBranchOf(change), movesPrimary }));
  const effect = { impact: assessment.impact, activity: now?.activity };
  return { line, failure: failureIn(outlook), atMs: project?.nowMs, effect };
}

/** What a creation does to a compute that exists, and why it will fail. */
export async function lineOfCreate<P extends ListedAt>(step: ResourceStep<P>): Promise<PreviewLine> {
  const { news, secrets, notice, stackOnRestart: onRestart } = step;
  const { replaces } = notice ?? {};
  const project = await step.projectNow(news["projectId"]);
  const creation = { news, secrets, onRestart, replaces };
  const outlook = project && (await step.lookups().creationOutlookIfKnown(project, creation));
  const known = onRestartOf(step) === "allow" ? undefined : await creationLine(step, outlook);
  const effect = known && { impact: known.impact, activity: known.activity };
  return { line: known?.line, failure: failureIn(outlook), atMs: project?.nowMs, effect };
}

async function creationLine<P extends ListedAt>(step: ResourceStep<P>, outlook: Outlook | undefined) {
  const { news, notice, isPreview } = step;
  const replaces = notice?.replaces?.fate === "kept" ? undefined : notice?.replaces;
  const project = replaces && (await step.projectNow(replaces.projectId));
  const replacedActivity = project && replaces && step.lookups().computeIn(project, replaces.id)?.activity;
  return lineOfCreation(news, notice, { outlook, isPreview, replacedActivity, approval: await approvalOf(step) });
}
