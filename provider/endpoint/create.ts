// Creates a compute, or adopts one: checks for conflicts, sends the request, records the id, waits. POST …/endpoints

import type { Deadline } from "../clock.js";
import { isKind } from "../errors.js";
import { retryUnlessApplied } from "../operations/retry-unless-applied.js";
import { updatableValues } from "../rules/paths.js";
import { pruned } from "../rules/pruned.js";
import { desiredSettings } from "../rules/settings.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import { adoptCompute, computeToAdopt } from "./adopt.js";
import { explainedCreateError, refuseDuplicateUnlessGone } from "./create-conflicts.js";
import { listWith } from "./find.js";
import type { DesiredState, Inputs } from "./inputs.js";
import { describeDesiredState, findLostCreate } from "./lost-create.js";
import { createBody } from "./mapping.js";
import { knownAfter, type Outputs } from "./outputs.js";
import { isAlreadyExists } from "./patch.js";
import { readBack } from "./read-back.js";
import { assertRegion, notFoundError } from "./refusals.js";
import { settleOrKeep } from "./settle-or-keep.js";
import { deadlineFor, type SharedState, type Target } from "./shared-state.js";
import { startIfNeverStarted } from "./start.js";

export async function create(
  shared: SharedState,
  desiredState: DesiredState,
): Promise<{ id: string; outputs: Outputs }> {
  const { context } = shared;
  const { inputs } = desiredState;
  const project = inputs.projectId ?? "";
  const { target, existing, answer, deadline } = await context.mutations.run(project, keysOf(inputs), async () => {
    const stepDeadline = deadlineFor(shared, "create", desiredState, inputs.customTimeouts);
    // List only when it is this create's turn, so the list is fresh. The request is shared with the read-back of the previous
    // create.
    const listed = await context.lists.fresh(project, stepDeadline).catch((error: unknown) => {
      throw notFoundError(error, `project ${project}`, "projectId");
    });
    const { adopt } = inputs;
    const computes =
      typeof adopt === "string" ? await listWith(context, { project, id: adopt }, listed, stepDeadline) : listed;
    if (computes[0]) assertRegion(desiredState, computes[0].region_id, `project ${project}`);
    const replaced = shared.ownership?.replacedBy(desiredState);
    const existing = computeToAdopt(shared, desiredState, project, computes);
    // Record the claim at once, because another create may find the same primary.
    if (existing) shared.claimed.set(existing.id, describeDesiredState(desiredState));
    if (existing) context.mutations.addKey(project, inputs.branchId ?? "", existing.id);
    const made = existing
      ? await adoptCompute(shared, desiredState, existing, stepDeadline).catch((error: unknown) => {
          shared.claimed.delete(existing.id);
          shared.ownership?.releaseClaim(existing.id);
          throw error;
        })
      : await sendCreate(shared, desiredState, computes, stepDeadline);
    const target: Target = {
      project,
      id: made.endpoint.id,
      desiredState,
      last: knownAfter(existing ? {} : pruned({ name: desiredState.autoName }), inputs),
      // If the resource gets its own compute back, `adopted` stays as it was.
      adopted: existing !== undefined && (existing.id === replaced?.id ? replaced.adopted : true),
      origin: "create",
    };
    shared.claimed.set(target.id, describeDesiredState(desiredState));
    if (!existing) await shared.ownership?.claim(target.id);
    const after = await settleOrKeep(shared, target, made, stepDeadline, existing ? undefined : "created");
    // A compute that an interrupted run has left may have failed to start.
    const latest = { ...made, endpoint: after };
    const answer = existing
      ? await startIfNeverStarted(shared, target, target.last, latest, stepDeadline)
      : made.endpoint;
    return { target, existing, answer, deadline: stepDeadline };
  });
  const sent = updatableValues(desiredSettings(inputs));
  return { id: target.id, outputs: await readBack(shared, target, answer, { sent, existing }, deadline) };
}

/** Two creates must not run at once with the same branch, compute, or name: a lost create is found by its name. */
const keysOf = ({ branchId, adopt, name }: Inputs) => [
  branchId,
  typeof adopt === "string" ? adopt : undefined,
  name === undefined ? undefined : `name:${name}`,
];

/** Sends the create. After a lost answer it looks for the compute before it sends another one. */
async function sendCreate(
  shared: SharedState,
  desiredState: DesiredState,
  computes: readonly WireEndpoint[],
  deadline: Deadline,
): Promise<WireEndpointChange> {
  const { inputs, autoName } = desiredState;
  const { client } = shared.context;
  const project = inputs.projectId ?? "";
  await refuseDuplicateUnlessGone(shared, desiredState, project, computes, deadline);
  const desired = desiredSettings(inputs);
  const body = createBody(desired, { autoName, regionId: inputs.regionId });
  let isAnswerLost = false;
  const send = async () => {
    try {
      return await client.createEndpoint(project, body, deadline);
    } catch (error) {
      // After a lost answer, "already exists" may mean the compute of the first request.
      if (!isAnswerLost || !isKind(error, "service") || !isAlreadyExists(error)) throw error;
      const ours = await find(deadline);
      if (ours) return ours;
      throw error;
    }
  };
  const find = (until: Deadline) => {
    isAnswerLost = true;
    return findLostCreate(shared, desiredState, computes, desired, until);
  };
  try {
    return await retryUnlessApplied(shared.context, deadline, send, find);
  } catch (error) {
    throw await explainedCreateError(shared, error, desiredState, project, deadline);
  }
}
