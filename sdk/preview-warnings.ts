// Prints the warnings of a preview: one line at each resource, and the sum at the stack.

import * as pulumi from "@pulumi/pulumi";
import type { Outlook } from "../provider/lookup/live.js";
import type { ApprovalState } from "../provider/rules/approval.js";
import type { Activity } from "../provider/rules/current-state.js";
import type { ForeseenFailure } from "../provider/rules/foreseen-failure.js";
import type { Impact } from "../provider/rules/impact.js";
import { factsTail } from "../provider/rules/message-data.js";
import { type ImpactNotice, readNotice } from "../provider/rules/notice.js";
import { type OnRestart, refuses } from "../provider/rules/policies.js";
import { textsIn } from "../provider/rules/texts-in.js";
import { unchangedOutputs } from "../provider/rules/unchanged-outputs.js";
import { isUnfinished } from "../provider/rules/unfinished.js";
import {
  announcedChange,
  type Change,
  type Line,
  lineOfCreation,
  lineOfImpact,
  lineOfUnfinished,
  newBranchOf,
  textOfLine,
  unexplainedChanges,
  withFailure,
} from "../provider/rules/warnings.js";
import { desiredIn, type Props, plain } from "./hook-values.js";
import { LiveProjects, type ProjectNow } from "./live-projects.js";
import { loadLookups } from "./lookups/ask.js";
import { ProgramEnd } from "./program-end.js";
import { approvalIn } from "./soft-preview.js";
import { effectOn, Tally } from "./tally.js";
import type { UnchangedOutputs } from "./unchanged-outputs.js";

/** The state that the hook keeps during a run. */
export interface Run {
  unchangedOutputs: UnchangedOutputs;
  projects: LiveProjects;
  end: ProgramEnd;
  tally: Tally;
  /** Logs the tally's line at the stack. */
  logTally: () => void;
}

export function newRun(): Run {
  const tally = new Tally();
  const logTally = () => {
    const line = tally.line();
    if (line) void pulumi.log.warn(line);
  };
  return { unchangedOutputs: new Map(), projects: new LiveProjects(), end: new ProgramEnd(), tally, logTally };
}

/** A resource as its hook sees it. */
interface Step {
  urn: string;
  news: Props;
  secrets: Set<string>;
  notice: ImpactNotice | undefined;
  /** `onRestart`: the resource's value, else the stack's, else "warn". */
  onRestart: unknown;
  /** The stack's `compute:onRestart`. */
  stackOnRestart: OnRestart | undefined;
  approval: ApprovalState;
}

export async function logChange(args: pulumi.ResourceHookArgs, run: Run): Promise<void> {
  const secrets = new Set<string>();
  const news = await plain(args.newInputs, secrets);
  for (const name of textsIn(news["__secret"])) secrets.add(name);
  const stackOnRestart = new pulumi.Config("compute").get("onRestart") as OnRestart | undefined;
  const onRestart = news["onRestart"] ?? stackOnRestart ?? "warn";
  const notice = readNotice(news);
  const isGuarded = refuses(notice?.impact ?? "none", onRestart);
  const approval = isGuarded ? await approvalIn(args, news, secrets) : "not-asked";
  const step: Step = { urn: args.urn, news, secrets, notice, onRestart, stackOnRestart, approval };
  if (args.oldOutputs) await reportUpdate(args, step, run);
  else await reportCreation(step, run);
}

/**
 * Never awaits a message: the message waits for the URN, and the URN waits for this hook.
 * @param atMs when the service was asked
 */
function logLine(urn: string, line: Line, atMs = Date.now()): void {
  const text = textOfLine(line) + factsTail(line.facts ?? [], atMs);
  void pulumi.log[line.severity](text, { urn: pulumi.output(urn) } as unknown as pulumi.Resource);
}

function count({ tally, end, logTally }: Run, urn: string, impact: Impact, activity: Activity | undefined): void {
  if (!pulumi.runtime.isDryRun()) return;
  tally.note(urn, effectOn(impact, activity));
  end.atEnd(logTally);
}

async function reportUpdate(args: pulumi.ResourceHookArgs, step: Step, run: Run): Promise<void> {
  const { urn, news, secrets, notice, onRestart } = step;
  const olds = await plain(args.oldOutputs, secrets);
  const old = { inputs: await plain(args.oldInputs, secrets), outputs: olds };
  const askAgain = new pulumi.Config("compute").get("askAgain") === "true";
  const change = announcedChange(old, { news, desired: desiredIn(news), secrets, notice, askAgain });
  // The old outputs as Pulumi has them, so that secrets stay secrets.
  run.unchangedOutputs.set(urn, unchangedOutputs(args.oldOutputs ?? {}, change.before, change.desired, news));
  if (onRestart !== "allow" && change.verdict.impact !== "none") {
    await reportImpact({ ...step, id: args.id, olds }, change, run);
  } else if (onRestart !== "allow" && isUnfinished(olds)) logLine(urn, lineOfUnfinished(args.id));
  for (const text of unexplainedChanges(olds, news, change)) logLine(urn, { severity: "warn", text });
  for (const text of change.verdict.notes) logLine(urn, { severity: "info", text });
}

async function reportImpact(step: Step & { id: string; olds: Props }, change: Change, run: Run): Promise<void> {
  const { projects, end } = run;
  const { id, urn, olds, news, onRestart, secrets } = step;
  const project = await projects.projectOf(urn, olds["projectId"]);
  const now = project && loadLookups().computeIn(project, id);
  const { approval } = step;
  const { line, verdict } = lineOfImpact(change, { id, olds, news, secrets, now, approval, onRestart });
  const failure = project && (await failureOf(project, id, change));
  reportWithFailure(urn, line, failure && withoutSecrets(failure, step), { end, atMs: project?.nowMs });
  count(run, urn, verdict.impact, now?.activity);
}

/** Why the update will fail, if the project's list shows it. */
async function failureOf(project: ProjectNow, id: string, change: Change): Promise<ForeseenFailure | undefined> {
  const movesPrimary = change.before.type === "read_write";
  const outlook = await loadLookups().updateOutlook(project, { id, branchId: newBranchOf(change), movesPrimary });
  return outlook?.kind === "fails" ? outlook.foreseen : undefined;
}

/**
 * Prints the line and the failure as one line. If a resource of this program has the conflicting compute, that compute may leave
 * in this run. This is known only at the end of the program, so the line is printed then.
 */
function reportWithFailure(
  urn: string,
  line: Line | undefined,
  failure: ForeseenFailure | undefined,
  { end, atMs }: { end: ProgramEnd; atMs: number | undefined },
): void {
  const report = (whole: Line | undefined) => whole && logLine(urn, whole, atMs);
  const conflictingId = failure?.id;
  if (failure === undefined || conflictingId === undefined) return void report(withFailure(line, failure));
  end.atEnd(
    (isComplete) => void report(withFailure(line, isComplete && !end.ids.has(conflictingId) ? failure : undefined)),
  );
}

async function reportCreation(step: Step, run: Run): Promise<void> {
  const { urn, news, notice, onRestart } = step;
  if (notice?.replaces) run.end.ids.add(notice.replaces.id);
  const project = await run.projects.projectOf(urn, news["projectId"]);
  const outlook = project && (await outlookOf(step, project));
  const line = await creationLine(step, outlook, run);
  const failure = outlook?.kind === "fails" ? withoutSecrets(outlook.foreseen, step) : undefined;
  reportWithFailure(urn, onRestart === "allow" ? undefined : line, failure, { end: run.end, atMs: project?.nowMs });
}

const outlookOf = ({ notice, stackOnRestart, ...step }: Step, project: ProjectNow) =>
  loadLookups().creationOutlookIfKnown(project, { ...step, onRestart: stackOnRestart, replaces: notice?.replaces });

function withoutSecrets({ problem, way, ...rest }: ForeseenFailure, { news, secrets }: Step): ForeseenFailure {
  const lookups = loadLookups();
  lookups.keepSecret(news, [...secrets]);
  return { ...rest, problem: lookups.redacted(problem), way: lookups.redacted(way) };
}

/** What the creation does to a compute that exists. */
async function creationLine(step: Step, outlook: Outlook | undefined, run: Run): Promise<Line | undefined> {
  const { urn, news, notice, approval } = step;
  const replaces = notice?.replaces?.fate === "kept" ? undefined : notice?.replaces;
  const replacedProject = replaces && (await run.projects.projectOf(urn, replaces.projectId));
  const replacedActivity =
    replacedProject && replaces && loadLookups().computeIn(replacedProject, replaces.id)?.activity;
  const creation = lineOfCreation(news, notice, {
    outlook,
    isPreview: pulumi.runtime.isDryRun(),
    replacedActivity,
    approval,
  });
  if (creation && step.onRestart !== "allow") count(run, urn, creation.impact, creation.activity);
  return creation?.line;
}
