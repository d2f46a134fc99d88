// The end of a step: how the compute is now, what the service did not take, and the state that comes of it.

import type { Deadline } from "../clock.js";
import { isKind } from "../errors.js";
import { pick, type SettingValues, valuesByPath } from "../rules/paths.js";
import { isHidden } from "../rules/settings.js";
import { wishOf } from "../rules/wish.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { lookClosely, lookForRead } from "./look.js";
import { toldBy } from "./mapping.js";
import { unlike, withRefused } from "./not-taken.js";
import { knownAfter, type Outputs, outputsOf } from "./outputs.js";
import { untilRest, untilThere } from "./rest.js";
import { kept, leftBy, messageOf, type Process, type Target } from "./step.js";

/** What a step sent, and what it did not ask for again since the service had not taken it before. */
export interface Asked {
  sent: SettingValues;
  /** The compute as it was when the step took it over. The step did not send values that it already had. */
  existing?: WireEndpoint | undefined;
  notTaken?: readonly string[];
}

/** Reads the compute once more, says what the service did not take, and makes the state of it. */
export async function readBack(
  process: Process,
  target: Target,
  answered: WireEndpoint,
  { sent, existing, notTaken = [] }: Asked,
  deadline: Deadline,
): Promise<Outputs> {
  const { id, last, program, adopted, origin } = target;
  const seen = await seenAfter(process, target, answered, deadline);
  // A list may show how the compute was before.
  const closer =
    seen && unlike(sent, seen).length > 0
      ? await lookClosely(process.context, target, deadline).catch(() => undefined)
      : undefined;
  const now = closer ?? seen ?? answered;
  const { values: has } = toldBy(now);
  // The compute had this value before the change, or in the answer to it. If it has another one now, somebody changed it since.
  const had = (one: WireEndpoint, path: string) => toldBy(one).isTold(path) && !unlike(sent, one).includes(path);
  const isTaken = (path: string) => had(answered, path) || (existing !== undefined && had(existing, path));
  const changed = unlike(sent, now).filter(isTaken);
  const missed = unlike(sent, now).filter((path) => !isTaken(path));
  const tell = (path: string, text: typeof notTakenText) =>
    process.warn(`compute ${id}: ${text(path, sent[path], has[path], program.secrets)}`);
  for (const path of changed) tell(path, changedText);
  for (const path of missed) tell(path, notTakenText);
  const refused = [...missed, ...notTaken];
  const known = withRefused(knownAfter(last, program.inputs, refused), now, missed);
  const record = { adopted, notTaken: pick(valuesByPath(wishOf(program.inputs)), refused) };
  return outputsOf(now, program, record, known, origin);
}

/** The compute after a step. It rests, unless nobody waits for that. Undefined where a look at it failed. */
async function seenAfter(
  process: Process,
  target: Target,
  answered: WireEndpoint,
  deadline: Deadline,
): Promise<WireEndpoint | undefined> {
  const { context } = process;
  const { id, program } = target;
  let now: WireEndpoint | undefined;
  try {
    now = await lookForRead(context, target, deadline);
  } catch (error) {
    if (isKind(error, "cancelled")) {
      // A program that does not wait asked for no more than the answer. For all others the answer proves nothing without a
      // look.
      if (program.inputs.waitForReady === false) return undefined;
      throw kept(target, answered, leftBy(error) ?? [], error);
    }
    process.warn(
      `compute ${id} was changed, but reading it afterwards failed: ${messageOf(error)}. The state holds what the change itself answered; \`pulumi refresh\` reads it again`,
    );
    return undefined;
  }
  try {
    now ??= await untilThere(context, target, deadline);
    const rests = now.pending_state === undefined || now.disabled === true || program.inputs.waitForReady === false;
    if (rests) return now;
    return await untilRest(context, target, { change: { endpoint: answered, operations: [] } }, deadline);
  } catch (error) {
    throw kept(target, answered, leftBy(error) ?? [], error);
  }
}

function notTakenText(path: string, asked: unknown, has: unknown, secrets: ReadonlySet<string>): string {
  const values = isShown(path, asked, secrets)
    ? ` (asked for ${JSON.stringify(asked)}, it has ${JSON.stringify(has) ?? "nothing"})`
    : "";
  return `the service accepted the request, but did not take ${path}${values}. Perhaps the plan of the account does not allow it. It is not asked for again until the program says otherwise; \`pulumi config set compute:askAgain true\` asks again`;
}

function changedText(path: string, asked: unknown, has: unknown, secrets: ReadonlySet<string>): string {
  const values = isShown(path, asked, secrets)
    ? `: this run made it ${JSON.stringify(asked)}, it is ${JSON.stringify(has) ?? "not set"}`
    : "";
  return `somebody else has changed ${path} since this run did${values}. \`pulumi refresh\` shows it as drift. Two stacks with one compute undo each other's changes`;
}

/** Strings, also those in a list, may be secret without our knowing. */
const isShown = (path: string, asked: unknown, secrets: ReadonlySet<string>): boolean =>
  (typeof asked === "number" || typeof asked === "boolean") && !isHidden(path, secrets);
