// What the steps that send requests have in common.

import { Deadline } from "../clock.js";
import type { ProviderConfig } from "../config.js";
import { isKind, NotReady, type ServiceError, Stopped } from "../errors.js";
import type { Context } from "../operations/context.js";
import { untilClear } from "../operations/lost.js";
import { begunOn, settle } from "../operations/settle.js";
import { differences, isHidden, type Live, propertyOf, type SettingName, type Wish } from "../rules/settings.js";
import { wishOf } from "../rules/wish.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import { type Inputs, millisecondsOf, type Program } from "./inputs.js";
import { lookClosely, lookForRead } from "./look.js";
import { liveOf, needsLiveSettings, updateBody } from "./mapping.js";
import { knownAfter, notTakenOf, type Outputs, type Owed, outputsOf } from "./outputs.js";
import { untilRest, untilThere } from "./rest.js";
import type { Wanted } from "./wanted.js";

/** Minutes a step may take when the program sets no `customTimeouts`. */
export const DEFAULT_STEP_MINUTES = 10;

/** What all steps of one process share. */
export interface Process {
  context: Context;
  config: ProviderConfig;
  /** Ids that a create of this process returned, with what to call each: never deleted by it, never taken for another's. */
  created: Map<string, string>;
  /** Ids that the state of this run holds, as far as it was asked about them: no interrupted run has left those. */
  known: Set<string>;
  /** Which resources those ids belong to. */
  wanted?: Wanted;
  warn: (line: string) => void;
}

/** One compute in one step. */
export interface Target {
  project: string;
  id: string;
  program: Program;
  /** What was known before the step. */
  last: Partial<Outputs>;
  adopted: boolean;
  /** A restart that this step owes: what is kept after a failure says so. */
  owed?: Owed;
}

export const deadlineFor = (process: Process, limits: Inputs["customTimeouts"], step: "create" | "update" | "delete") =>
  new Deadline(process.context.clock, millisecondsOf(limits?.[step]) ?? DEFAULT_STEP_MINUTES * 60_000);

/** Settings that a PATCH can change. */
const CHANGEABLE = (name: SettingName): boolean =>
  name !== "projectId" && name !== "type" && name !== "restartTriggers";

/** The settings of the wish that the compute has otherwise, as far as a PATCH can change them. */
export const toChange = (wish: Wish, live: Live): SettingName[] => differences(wish, live).filter(CHANGEABLE);

/** Fails where the program names another region than the compute's. */
export function assertRegion({ inputs, secrets }: Program, regionId: string | undefined, what: string): void {
  if (inputs.regionId === undefined || regionId === undefined || inputs.regionId === regionId) return;
  const asked = isHidden("regionId", secrets) ? "another" : inputs.regionId;
  throw new Stopped(
    `regionId is ${asked}, but ${what} is in ${regionId}, and a compute is always in its project's region. Nothing was changed: set regionId to ${regionId} or leave it out, or name a project of that region`,
  );
}

/**
 * Sends the difference.
 * @param live the compute as it is; by its own route where `settings` are sent, since a list may be behind
 * @returns the compute as the service answered, and the operations that it began
 */
export async function patch(
  process: Process,
  target: Pick<Target, "project" | "id"> & { last?: Partial<Outputs> },
  wish: Wish,
  names: SettingName[],
  live: WireEndpoint | undefined,
  deadline: Deadline,
): Promise<WireEndpointChange> {
  const { context } = process;
  const { project, id } = target;
  const has = live ?? (needsLiveSettings(names) ? await lookClosely(context, target, deadline) : undefined);
  if (needsLiveSettings(names)) assertKnown(target, wish, has);
  const body = updateBody(names, wish, has);
  const send = () => context.client.updateEndpoint(project, id, body, deadline);
  const find = async () => {
    const now = await lookClosely(context, target, deadline);
    if (!now) throw gone(project, id);
    if (toChange(wish, liveOf(now)).some((name) => names.includes(name))) return undefined;
    return { endpoint: now, operations: await begunOn(context, project, id, deadline) };
  };
  try {
    return await untilClear(context, deadline, send, find);
  } catch (error) {
    // A branch that is not there is 404 as well.
    const missing = isKind(error, "service") && error.answer.status === 404;
    if (missing && !(await lookClosely(context, target, deadline))) throw gone(project, id);
    if (names.includes("branchId") && isKind(error, "service") && alreadyThere(error)) throw taken(wish, id, error);
    throw error;
  }
}

/**
 * `settings` are sent whole: what the request does not name may be lost. Where the service does not tell what the compute
 * has, they are sent only if the state knows of nothing that the program does not name.
 */
function assertKnown(
  { project, id, last }: Pick<Target, "project" | "id"> & { last?: Partial<Outputs> },
  wish: Wish,
  has: WireEndpoint | undefined,
): void {
  if (!has) throw gone(project, id);
  if (has.settings !== undefined) return;
  const { pgSettings, preloadLibraries } = last?.settings ?? {};
  const isNamed = (part: object | undefined, wished: unknown) =>
    Object.keys(part ?? {}).every((key) => wished instanceof Object && key in wished);
  if (last && isNamed(pgSettings, wish.pgSettings) && isNamed(preloadLibraries, wish.preloadLibraries)) return;
  throw new Stopped(
    `the service does not tell which settings compute ${id} has, and a change of one of them could drop those that the program does not name. Nothing was changed. Run the command again; if it stays so, name in the program every setting that the compute is to keep${last ? "" : ", once it is taken over without settings"}`,
  );
}

/** Whether the service refuses a second primary: its code first, its status second. */
export function alreadyThere(error: ServiceError): boolean {
  const { code, status, message } = error.answer;
  return /already exists/i.test(message) && (code === "ENDPOINTS_LIMIT_EXCEEDED" || status === 409);
}

const taken = (wish: Wish, id: string, error: ServiceError): Stopped =>
  new Stopped(
    `compute ${id} can't move to branch ${String(wish.branchId)}, which has its primary compute already: a branch has only one. Nothing was changed. Name another branch, or delete or move that compute first (${error.message})`,
  );

/**
 * Waits for what a change began; a failure keeps the compute in the state, with what is unfinished.
 * @param starts whether the change has made the compute, or starts it
 * @returns the compute as it was seen last
 */
export async function settleOrKeep(
  process: Process,
  target: Target,
  change: WireEndpointChange,
  deadline: Deadline,
  starts = false,
): Promise<WireEndpoint> {
  const { endpoint, operations } = change;
  if (target.program.inputs.waitForReady === false) return endpoint;
  try {
    const { vanished } =
      operations.length > 0 ? await settle(process.context, target.project, operations, deadline) : { vanished: [] };
    // With operations that were told and are done, the read-back is soon enough.
    const isSilent = operations.length === 0 && endpoint.pending_state !== undefined && endpoint.disabled !== true;
    if (vanished.length === 0 && !change.untold && !isSilent) return endpoint;
    return await untilRest(process.context, target, { change, starts, vanished }, deadline);
  } catch (error) {
    const ids =
      isKind(error, "operation-failed") || isKind(error, "deadline")
        ? error.operationIds
        : operations.map((one) => one.id);
    throw kept(target, endpoint, ids.length > 0 ? ids : [UNKNOWN_OPERATION], error);
  }
}

/** Stands in the state for operations whose ids are not known: the next step looks at the compute itself. */
export const UNKNOWN_OPERATION = "unknown";

/** The error that keeps a compute in the state, so that the next `pulumi up` finishes the work. */
export function kept(target: Target, endpoint: WireEndpoint, unfinished: string[], cause: unknown): NotReady {
  const { adopted, owed } = target;
  const outputs = outputsOf(endpoint, target.program, { adopted, unfinished, owed }, target.last);
  const reason = `${messageOf(cause)}. Compute ${target.id} of project ${target.project} is kept in the state; run \`pulumi up\` again to finish the work`;
  return new NotReady(target.id, { ...outputs }, [reason], { cause });
}

/** Reads the compute once more, says what the service did not take, and makes the state of it. */
export async function readBack(
  process: Process,
  target: Target,
  answered: WireEndpoint,
  deadline: Deadline,
): Promise<Outputs> {
  const { inputs, secrets } = target.program;
  const wish = wishOf(inputs);
  // A field that an answer leaves out is no sign that the service did not take it.
  const differ = (one: WireEndpoint) => toChange(wish, { ...(wish as Live), ...liveOf(one) });
  let now = await seenAfter(process, target, answered, deadline);
  // A list may show how the compute was before.
  if (now && differ(now).length > 0) {
    now = (await lookClosely(process.context, target, deadline).catch(() => undefined)) ?? now;
  }
  now ??= answered;
  const has = liveOf(now);
  const shown = (name: SettingName, words: (asked: string, live: string) => string) =>
    isHidden(propertyOf(name), secrets) ? "" : ` (${words(JSON.stringify(wish[name]), JSON.stringify(has[name]))})`;
  // The answer to the change had it: then it is no longer what the change made of it.
  const changed = differ(now).filter(
    (name) => liveOf(answered)[name] !== undefined && !differ(answered).includes(name),
  );
  const missed = differ(now).filter((name) => !changed.includes(name));
  for (const name of changed) {
    process.warn(
      `compute ${target.id}: somebody else has changed ${propertyOf(name)} since this run did${shown(name, (asked, live) => `it was ${asked}, it is ${live}`)}. \`pulumi refresh\` shows it as drift; two stacks with one compute undo each other's changes`,
    );
  }
  for (const name of missed) {
    process.warn(
      `compute ${target.id}: the service accepted the request, but did not take ${propertyOf(name)}${shown(name, (asked, live) => `asked for ${asked}, it has ${live}`)}. It will be asked again by the next \`pulumi up\`; perhaps the plan of the account does not allow it`,
    );
  }
  const record = { adopted: target.adopted, notTaken: notTakenOf(missed, wish, secrets) };
  // What somebody else does comes into the state by a refresh.
  const kept = { ...now, ...updateBody(changed, wish, now).endpoint };
  return outputsOf(kept, target.program, record, knownAfter(target.last, inputs));
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
    process.warn(
      `compute ${id} was changed, but reading it afterwards failed: ${messageOf(error)}. The state holds what the change itself answered; \`pulumi refresh\` reads it again`,
    );
    return undefined;
  }
  try {
    now ??= await untilThere(context, target, deadline);
    const rests = now.pending_state === undefined || now.disabled === true || program.inputs.waitForReady === false;
    return rests ? now : await untilRest(context, target, { change: { endpoint: answered, operations: [] } }, deadline);
  } catch (error) {
    const ids = isKind(error, "operation-failed") || isKind(error, "deadline") ? error.operationIds : [];
    throw kept(target, answered, ids.length > 0 ? ids : [UNKNOWN_OPERATION], error);
  }
}

export const gone = (project: string, id: string): Stopped =>
  new Stopped(
    `compute ${id} is not in project ${project} any more: somebody deleted it. The state was left as it was. Run \`pulumi refresh\`, and the next \`pulumi up\` makes a new one (with a new host)`,
  );

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
