// Prints the warnings: one line at each resource, in a preview and in `up`, and in a preview the sum at the stack.
// `provider/rules/preview-lines.ts` decides which lines there are.

import * as pulumi from "@pulumi/pulumi";
import type { ForeseenFailure } from "../provider/rules/foreseen-failure.js";
import { factsTail } from "../provider/rules/message-data.js";
import { readNotice } from "../provider/rules/notice.js";
import type { OnRestart } from "../provider/rules/policies.js";
import { lineOfCreate, linesOfUpdate, type PreviewLine, type ResourceStep } from "../provider/rules/preview-lines.js";
import { textsIn } from "../provider/rules/texts-in.js";
import { unchangedOutputs } from "../provider/rules/unchanged-outputs.js";
import { announcedChange, type Line, textOfLine, withFailure } from "../provider/rules/warnings.js";
import { desiredIn, plain } from "./hook-values.js";
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
type Step = ResourceStep<ProjectNow>;

export async function logChange(args: pulumi.ResourceHookArgs, run: Run): Promise<void> {
  const step = await stepOf(args, run);
  if (args.oldOutputs) await reportUpdate(args, step, run);
  else await reportCreation(args.urn, step, run);
}

async function stepOf(args: pulumi.ResourceHookArgs, run: Run): Promise<Step> {
  const secrets = new Set<string>();
  const news = await plain(args.newInputs, secrets);
  for (const name of textsIn(news["__secret"])) secrets.add(name);
  return {
    news,
    secrets,
    notice: readNotice(news),
    stackOnRestart: new pulumi.Config("compute").get("onRestart") as OnRestart | undefined,
    isPreview: pulumi.runtime.isDryRun(),
    approval: () => approvalIn(args, news, secrets),
    projectNow: (projectId) => run.projects.projectOf(args.urn, projectId),
    lookups: loadLookups,
  };
}

async function reportUpdate(args: pulumi.ResourceHookArgs, step: Step, run: Run): Promise<void> {
  const { news, notice } = step;
  const secrets = new Set(step.secrets);
  const olds = await plain(args.oldOutputs, secrets);
  const old = { inputs: await plain(args.oldInputs, secrets), outputs: olds };
  const askAgain = new pulumi.Config("compute").get("askAgain") === "true";
  const change = announcedChange(old, { news, desired: desiredIn(news), secrets, notice, askAgain });
  // The old outputs as Pulumi has them, so that secrets stay secrets.
  run.unchangedOutputs.set(args.urn, unchangedOutputs(args.oldOutputs ?? {}, change.before, change.desired, news));
  for (const line of await linesOfUpdate({ ...step, secrets, id: args.id, olds }, change)) {
    report(args.urn, line, step, run);
  }
}

async function reportCreation(urn: string, step: Step, run: Run): Promise<void> {
  const { replaces } = step.notice ?? {};
  if (replaces) run.end.ids.add(replaces.id);
  report(urn, await lineOfCreate(step), step, run);
}

/**
 * Prints the line and the failure as one line. If a resource of this program has the conflicting compute, that compute may leave
 * in this run. This is known only at the end of the program, so the line is printed then.
 */
function report(urn: string, { line, failure: found, atMs, effect }: PreviewLine, step: Step, run: Run): void {
  const { tally, end, logTally } = run;
  const print = (whole: Line | undefined) => whole && logLine(urn, whole, atMs);
  const failure = found && withoutSecrets(found, step);
  const conflictingId = failure?.id;
  if (conflictingId === undefined) print(withFailure(line, failure));
  else
    end.atEnd((isComplete) =>
      print(withFailure(line, isComplete && !end.ids.has(conflictingId) ? failure : undefined)),
    );
  if (effect === undefined || !step.isPreview) return;
  tally.note(urn, effectOn(effect.impact, effect.activity));
  end.atEnd(logTally);
}

/**
 * Never awaits a message: the message waits for the URN, and the URN waits for this hook.
 * @param atMs when the service was asked
 */
function logLine(urn: string, line: Line, atMs = Date.now()): void {
  const text = textOfLine(line) + factsTail(line.facts ?? [], atMs);
  void pulumi.log[line.severity](text, { urn: pulumi.output(urn) } as unknown as pulumi.Resource);
}

function withoutSecrets({ problem, way, ...rest }: ForeseenFailure, { news, secrets }: Step): ForeseenFailure {
  const lookups = loadLookups();
  lookups.keepSecret(news, [...secrets]);
  return { ...rest, problem: lookups.redacted(problem), way: lookups.redacted(way) };
}
