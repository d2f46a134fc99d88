// Ends a step: reads the compute again, warns about settings that the service did not apply, and builds the outputs.

import type { Deadline } from "../clock.js";
import { isKind, messageOf } from "../errors.js";
import { pick, type SettingValues, valuesByPath } from "../rules/paths.js";
import { desiredSettings, isSecret } from "../rules/settings.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { findComputeDirectly, findComputeRecent } from "./find.js";
import { reportedBy } from "./mapping.js";
import { knownAfter, type Outputs, outputsOf } from "./outputs.js";
import { notReadyError, unfinishedIn } from "./settle-or-keep.js";
import type { SharedState, Target } from "./shared-state.js";
import { waitUntilFound, waitUntilStable } from "./stabilize.js";
import { unappliedPaths, withActualValues } from "./unapplied.js";

/** The settings that a step asked the service for. */
export interface SentSettings {
  sent: SettingValues;
  /** The compute as it was when the step took it over. Values that it already had were not sent. */
  existing?: WireEndpoint | undefined;
  /** Paths that were not sent, because the service did not apply them before. */
  unapplied?: readonly string[];
}

export async function readBack(
  shared: SharedState,
  target: Target,
  answered: WireEndpoint,
  { sent, existing, unapplied = [] }: SentSettings,
  deadline: Deadline,
): Promise<Outputs> {
  const { id, last, desiredState, adopted, origin } = target;
  const found = await computeAfter(shared, target, answered, deadline);
  // A stale list shows the compute before the change.
  const direct =
    found && unappliedPaths(sent, found).length > 0
      ? await findComputeDirectly(shared.context, target, deadline).catch(() => undefined)
      : undefined;
  const now = direct ?? found ?? answered;
  const { values: has } = reportedBy(now);
  // If the response or the compute had the value before, the service applied it. If it differs now, somebody else changed it.
  const had = (one: WireEndpoint, path: string) =>
    reportedBy(one).isReported(path) && !unappliedPaths(sent, one).includes(path);
  const isApplied = (path: string) => had(answered, path) || (existing !== undefined && had(existing, path));
  const changed = unappliedPaths(sent, now).filter(isApplied);
  const newlyUnapplied = unappliedPaths(sent, now).filter((path) => !isApplied(path));
  const warnOf = (path: string, text: typeof unappliedText) =>
    shared.warn(`compute ${id}: ${text(path, sent[path], has[path], desiredState.secrets)}`);
  for (const path of changed) warnOf(path, changedText);
  for (const path of newlyUnapplied) warnOf(path, unappliedText);
  const allUnapplied = [...newlyUnapplied, ...unapplied];
  const known = withActualValues(knownAfter(last, desiredState.inputs, allUnapplied), now, newlyUnapplied);
  const record = { adopted, unapplied: pick(valuesByPath(desiredSettings(desiredState.inputs)), allUnapplied) };
  return outputsOf(now, desiredState, record, known, origin);
}

/** The compute after a step, once it is stable, or at once where the program does not wait. Undefined where that failed. */
async function computeAfter(
  shared: SharedState,
  target: Target,
  answered: WireEndpoint,
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  const { context } = shared;
  const { id, desiredState } = target;
  let now: WireEndpoint | undefined;
  try {
    now = await findComputeRecent(context, target, deadline);
  } catch (error) {
    if (isKind(error, "cancelled")) {
      // A program that does not wait needs only the answer. All others need to read the compute.
      if (desiredState.inputs.waitForReady === false) return undefined;
      throw notReadyError(target, answered, unfinishedIn(error) ?? [], error);
    }
    shared.warn(
      `compute ${id} was changed, but reading it afterwards failed: ${messageOf(error)}. The state has the service's answer to the change; \`pulumi refresh\` reads the compute again`,
    );
    return undefined;
  }
  try {
    now ??= await waitUntilFound(context, target, deadline);
    const isStable =
      now.pending_state === undefined || now.disabled === true || desiredState.inputs.waitForReady === false;
    if (isStable) return now;
    return await waitUntilStable(context, target, { change: { endpoint: answered, operations: [] } }, deadline);
  } catch (error) {
    throw notReadyError(target, answered, unfinishedIn(error) ?? [], error);
  }
}

function unappliedText(path: string, asked: unknown, has: unknown, secrets: ReadonlySet<string>): string {
  const values = isShown(path, asked, secrets)
    ? ` (asked for ${JSON.stringify(asked)}, it has ${JSON.stringify(has) ?? "nothing"})`
    : "";
  return `the service accepted the request, but did not apply ${path}${values}. Perhaps the plan of the account does not allow it. The provider does not send it again unless the program changes it, or you run \`pulumi config set compute:askAgain true\``;
}

function changedText(path: string, asked: unknown, has: unknown, secrets: ReadonlySet<string>): string {
  const values = isShown(path, asked, secrets)
    ? `: this run set it to ${JSON.stringify(asked)}, and now it is ${JSON.stringify(has) ?? "not set"}`
    : "";
  return `somebody else has changed ${path} since this run did${values}. \`pulumi refresh\` shows it as drift. Two stacks with one compute undo each other's changes`;
}

/** Strings, and lists of them, are never shown: a transform may have made them secret, and Pulumi does not tell. */
const isShown = (path: string, asked: unknown, secrets: ReadonlySet<string>): boolean =>
  (typeof asked === "number" || typeof asked === "boolean") && !isSecret(path, secrets);
