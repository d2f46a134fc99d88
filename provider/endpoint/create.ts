// Creates a compute, or adopts one: checks for conflicts, sends the request, records the id, waits. POST …/endpoints

import type { Deadline } from "../clock.js";
import { isKind } from "../errors.js";
import { retryUnlessApplied } from "../operations/retry-unless-applied.js";
import { updatableValues } from "../rules/paths.js";
import { pruned } from "../rules/pruned.js";
import { desiredSettings } from "../rules/settings.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import { computeToTake, takeOver } from "./adopt.js";
import { explainedCreateError, notFoundError, refuseDuplicateUnlessGone } from "./create-conflicts.js";
import { getCompute } from "./find.js";
import type { Inputs, Program } from "./inputs.js";
import { calledAs, findLostCreate } from "./lost-create.js";
import { createBody } from "./mapping.js";
import { knownAfter, type Outputs } from "./outputs.js";
import { isAlreadyExists } from "./patch.js";
import { deadlineFor, type Process, type Target } from "./process.js";
import { readBack } from "./read-back.js";
import { assertRegion } from "./refusals.js";
import { settleOrKeep } from "./settle-or-keep.js";
import { startIfNeverStarted } from "./start.js";

export async function create(process: Process, program: Program): Promise<{ id: string; outputs: Outputs }> {
  const { context } = process;
  const { inputs } = program;
  const project = inputs.projectId ?? "";
  const { target, existing, answer, deadline } = await context.mutations.run(project, keysOf(inputs), async () => {
    const deadline = deadlineFor(process, "create", program, inputs.customTimeouts);
    // List only when it is this create's turn, so the list is fresh. The request is shared with the read-back of the previous
    // create.
    const listed = await context.lists.fresh(project, deadline).catch((error: unknown) => {
      throw notFoundError(error, `project ${project}`, "projectId");
    });
    const before = await withAdopted(process, inputs, listed, deadline);
    if (before[0]) assertRegion(program, before[0].region_id, `project ${project}`);
    const replaced = process.ownership?.replacedBy(program);
    const existing = computeToTake(process, program, project, before);
    // Record the claim at once, because another create may find the same primary.
    if (existing) process.claimed.set(existing.id, calledAs(program));
    if (existing) context.mutations.addLockId(project, inputs.branchId ?? "", existing.id);
    const made = existing
      ? await takeOver(process, program, existing, deadline).catch((error: unknown) => {
          process.claimed.delete(existing.id);
          process.ownership?.releaseClaim(existing.id);
          throw error;
        })
      : await sendCreate(process, program, before, deadline);
    const target: Target = {
      project,
      id: made.endpoint.id,
      program,
      last: knownAfter(existing ? {} : pruned({ name: program.autoName }), inputs),
      // If the resource gets its own compute back, `adopted` stays as it was.
      adopted: existing !== undefined && (existing.id === replaced?.id ? replaced.adopted : true),
      origin: "create",
    };
    process.claimed.set(target.id, calledAs(program));
    if (!existing) await process.ownership?.claim(target.id);
    const after = await settleOrKeep(process, target, made, deadline, existing ? undefined : "made");
    // A compute that an interrupted run has left may have failed to start.
    const latest = { ...made, endpoint: after };
    const answer = existing ? await startIfNeverStarted(process, target, target.last, latest, deadline) : made.endpoint;
    return { target, existing, answer, deadline };
  });
  const sent = updatableValues(desiredSettings(inputs));
  return { id: target.id, outputs: await readBack(process, target, answer, { sent, existing }, deadline) };
}

/** Two creates must not run at once with the same branch, compute, or name: a lost create is found by its name. */
const keysOf = ({ branchId, adopt, name }: Inputs) => [
  branchId,
  typeof adopt === "string" ? adopt : undefined,
  name === undefined ? undefined : `name:${name}`,
];

/** The list with the compute that `adopt` names. A list may be behind, and lack it. */
async function withAdopted(
  { context }: Process,
  { adopt, projectId: project = "" }: Inputs,
  listed: readonly WireEndpoint[],
  deadline: Deadline,
): Promise<readonly WireEndpoint[]> {
  if (typeof adopt !== "string" || listed.some(({ id }) => id === adopt)) return listed;
  const found = await getCompute(context, { project, id: adopt }, deadline);
  return found ? [...listed, found] : listed;
}

/** Sends the create. After a lost answer it looks for the compute before it sends another one. */
async function sendCreate(
  process: Process,
  program: Program,
  before: readonly WireEndpoint[],
  deadline: Deadline,
): Promise<WireEndpointChange> {
  const { inputs, autoName } = program;
  const { client } = process.context;
  const project = inputs.projectId ?? "";
  await refuseDuplicateUnlessGone(process, program, project, before, deadline);
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
    return findLostCreate(process, program, before, desired, until);
  };
  try {
    return await retryUnlessApplied(process.context, deadline, send, find);
  } catch (error) {
    throw await explainedCreateError(process, error, program, project, deadline);
  }
}
