// What the steps that send requests have in common.

import { Deadline } from "../clock.js";
import type { ProviderConfig } from "../config.js";
import { isKind, NotReady, type ServiceError, Stopped } from "../errors.js";
import type { Context } from "../operations/context.js";
import { untilClear } from "../operations/lost.js";
import { begunOn, settle } from "../operations/settle.js";
import { pick } from "../rules/paths.js";
import { differences, isHidden, type Live } from "../rules/settings.js";
import { rangeProblem } from "../rules/size.js";
import { wishOf } from "../rules/wish.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import type { CheckedInputs } from "./checked-inputs.js";
import { type Inputs, millisecondsOf, type Program, type StepRequest } from "./inputs.js";
import { lookClosely } from "./look.js";
import { liveOf, updateBody } from "./mapping.js";
import { unlike, withRefused } from "./not-taken.js";
import { knownAfter, liveOfOutputs, type Origin, type Outputs, type Owed, outputsOf, stillRefused } from "./outputs.js";
import type { Ownership } from "./ownership.js";
import { changeable } from "./plan.js";
import { type Begins, untilRest } from "./rest.js";
import { whose } from "./whose.js";

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
  /** The old inputs of what was checked, for the steps after it. */
  checked: CheckedInputs;
  /** Which resources of the run hold which computes, also those of other processes. */
  ownership?: Ownership;
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
  /** What the step does, which decides whose word counts for a setting in the state. */
  origin: Origin;
  /** A restart that this step owes: what is kept after a failure says so. */
  owed?: Owed;
}

/**
 * @param request the engine's request. Its timeout counts first: `transforms` change it after the constructor
 * @param limits the timeouts that the constructor saw. They count where the request has none, as for an imported or old state
 */
export function deadlineFor(
  process: Process,
  step: "create" | "update" | "delete",
  { timeoutMs }: StepRequest,
  limits: Inputs["customTimeouts"],
): Deadline {
  const asked = timeoutMs || millisecondsOf(limits?.[step]) || DEFAULT_STEP_MINUTES * 60_000;
  return new Deadline(process.context.clock, asked);
}

/** Fails where the program names another region than the compute's. */
export function assertRegion({ inputs, secrets }: Program, regionId: string | undefined, what: string): void {
  if (inputs.regionId === undefined || regionId === undefined || inputs.regionId === regionId) return;
  const asked = isHidden("regionId", secrets) ? "another" : inputs.regionId;
  throw new Stopped(
    `regionId is ${asked}, but ${what} is in ${regionId}, and a compute is always in its project's region. Nothing was changed: set regionId to ${regionId} or leave it out, or name a project of that region`,
  );
}

/**
 * Sends a change of these settings.
 * @param live the compute as it is, where the request carries more than the change: by its own route, since a list may be
 *   behind
 * @returns the compute as the service answered, and the operations that it began
 */
export async function patch(
  process: Process,
  target: Pick<Target, "project" | "id" | "last" | "program">,
  part: Live,
  live: WireEndpoint | undefined,
  deadline: Deadline,
): Promise<WireEndpointChange> {
  const { context } = process;
  const { project, id, last, program } = target;
  const body = updateBody(part, live, liveOfOutputs(knownAfter(last, program.inputs)));
  refuseIllegalPair(process, target, part, body.endpoint);
  const send = () => context.client.updateEndpoint(project, id, body, deadline);
  const find = async (until: Deadline) => {
    const now = await lookClosely(context, target, until);
    if (!now) throw gone(project, id);
    if (differences(part, liveOf(now)).length > 0) return undefined;
    return { endpoint: now, operations: await begunOn(context, project, id, until) };
  };
  try {
    return await untilClear(context, deadline, send, find);
  } catch (error) {
    // A branch that is not there is 404 as well.
    const missing = isKind(error, "service") && error.answer.status === 404;
    if (missing && !(await lookClosely(context, target, deadline))) throw gone(project, id);
    if (part.branchId !== undefined && isKind(error, "service") && alreadyThere(error)) {
      const all = await context.lists.look(project, deadline).catch(() => []);
      const there = all.find((one) => one.branch_id === part.branchId && one.type === "read_write");
      throw taken(part, id, there ? whose(process, there) : "", error);
    }
    throw error;
  }
}

/** One limit of the program beside the compute's other one may be a pair that no service takes. */
function refuseIllegalPair(
  { config }: Process,
  { id }: Pick<Target, "id">,
  part: Live,
  {
    autoscaling_limit_min_cu: min,
    autoscaling_limit_max_cu: max,
  }: { autoscaling_limit_min_cu?: number; autoscaling_limit_max_cu?: number },
): void {
  const isWhole = (part.autoscalingLimitMinCu === undefined) === (part.autoscalingLimitMaxCu === undefined);
  if (isWhole || min === undefined || max === undefined) return;
  const problem = min > max || config.sizes === "checked" ? rangeProblem(min, max) : undefined;
  if (problem === undefined) return;
  throw new Stopped(
    `updating compute ${id} would set autoscalingLimitMinCu to ${min} and autoscalingLimitMaxCu to ${max}: ${problem}. The program changes one of the two, and the compute has another value for the other than the state: somebody changed it. Nothing was changed, and the state was left as it was. Run \`pulumi up --refresh\`: it reads the compute first, and its preview shows what changes; where the service did not take one of the limits before, set compute:askAgain to true for that run`,
  );
}

/** Whether the service refuses a second primary: its code first, its status second. */
export function alreadyThere(error: ServiceError): boolean {
  const { code, status, message } = error.answer;
  return /already exists/i.test(message) && (code === "ENDPOINTS_LIMIT_EXCEEDED" || status === 409);
}

const taken = ({ branchId }: Live, id: string, whoseItIs: string, error: ServiceError): Stopped =>
  new Stopped(
    `compute ${id} can't move to branch ${branchId}, which has its primary compute already: a branch has only one. Nothing was changed.${whoseItIs} Name another branch, or delete or move that compute first (${error.message})`,
    "occupied",
  );

/**
 * Waits for what a change began; a failure keeps the compute in the state, with what is unfinished.
 * @param begins what the change has done, where it starts the compute
 * @returns the compute as it was seen last
 */
export async function settleOrKeep(
  process: Process,
  target: Target,
  change: WireEndpointChange,
  deadline: Deadline,
  begins?: Begins,
): Promise<WireEndpoint> {
  const { endpoint, operations } = change;
  if (target.program.inputs.waitForReady === false) return endpoint;
  try {
    const { vanished } =
      operations.length > 0 ? await settle(process.context, target.project, operations, deadline) : { vanished: [] };
    // With operations that were told and are done, the read-back is soon enough.
    const isSilent = operations.length === 0 && endpoint.pending_state !== undefined && endpoint.disabled !== true;
    if (vanished.length === 0 && !change.untold && !isSilent) return endpoint;
    return await untilRest(process.context, target, { change, begins, vanished }, deadline);
  } catch (error) {
    throw kept(target, endpoint, leftBy(error) ?? operations.map((one) => one.id), error);
  }
}

/** Ids of operations that a wait has left, where its error tells them. */
export const leftBy = (error: unknown): string[] | undefined =>
  isKind(error, "operation-failed") || isKind(error, "deadline") || isKind(error, "cancelled")
    ? error.operationIds
    : undefined;

/** Stands in the state for operations whose ids are not known: the next step looks at the compute itself. */
export const UNKNOWN_OPERATION = "unknown";

/** The error that keeps a compute in the state, so that the next `pulumi up` finishes the work. */
export function kept(target: Target, endpoint: WireEndpoint, left: string[], cause: unknown): NotReady {
  const { adopted, owed, origin, program, last } = target;
  const unfinished = left.length > 0 ? left : [UNKNOWN_OPERATION];
  const asked = changeable(wishOf(program.inputs));
  // The answer to a create shows what the service took. The answer to a change may show the compute as it was before.
  const isNew = origin === "create" && !adopted;
  const refused = isNew ? unlike(asked, endpoint) : stillRefused(asked, last);
  const known = isNew ? withRefused(last, endpoint, refused) : last;
  const record = { adopted, unfinished, owed, notTaken: pick(asked, refused) };
  const outputs = outputsOf(endpoint, program, record, known, origin);
  const reason = `${messageOf(cause)}. Compute ${target.id} of project ${target.project} is kept in the state; run \`pulumi up\` again to finish the work`;
  return new NotReady(target.id, { ...outputs }, [reason], { cause });
}

export const gone = (project: string, id: string): Stopped =>
  new Stopped(
    `compute ${id} is not in project ${project} any more: somebody deleted it. The state was left as it was. Run \`pulumi refresh\`, and the next \`pulumi up\` makes a new one (with a new host)`,
  );

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
