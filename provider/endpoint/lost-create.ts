// The compute that a POST has made whose answer was lost.

import { Deadline } from "../clock.js";
import { Stopped } from "../errors.js";
import { operationsOf } from "../operations/settle.js";
import { LOOK_MS, PAGE } from "../operations/watch.js";
import { pruned } from "../rules/pruned.js";
import { differences, type Wish } from "../rules/settings.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import type { Program } from "./inputs.js";
import { lookAtItself } from "./look.js";
import { liveOf } from "./mapping.js";
import { knownAfter } from "./outputs.js";
import { kept, type Process, type Target, UNKNOWN_OPERATION } from "./step.js";

/** For whoever has to tell it from the others: "api-1a2b3c4d on branch br-…". */
export const calledAs = ({ inputs: { name, branchId, projectId }, autoName }: Program): string =>
  `${name ?? autoName ?? "without a name"} on branch ${branchId} of project ${projectId}`;

/**
 * What was not there before, is as we asked, and is no other create's of this process. A compute with the name that is
 * ours alone is ours even where the service did not take every setting.
 */
export async function findLost(
  process: Process,
  program: Program,
  before: readonly WireEndpoint[],
  wish: Wish,
  deadline: Deadline,
): Promise<WireEndpointChange | undefined> {
  const { inputs, autoName } = program;
  const project = inputs.projectId ?? "";
  const listed = await process.context.lists.look(project, deadline);
  const found =
    lostIn(process, program, before, listed, wish) ??
    lostIn(process, program, before, await unlisted(process, project, [...before, ...listed], deadline), wish);
  if (!found) return undefined;
  process.created.set(found.id, calledAs(program));
  try {
    // All that ever happened to it is ours; what has failed already is as bad as what fails later.
    return { endpoint: found, operations: await operationsOf(process.context, project, found.id, deadline) };
  } catch (error) {
    const last = knownAfter(pruned({ name: autoName }), inputs);
    const target: Target = { project, id: found.id, program, last, adopted: false, origin: "create" };
    throw kept(target, found, [UNKNOWN_OPERATION], error);
  }
}

/** Operations are looked at for a while before a create began: the service's clock may be a minute from ours. */
const SKEW_MS = 90_000;
/** Computes that are asked for one by one. */
const SOME = 10;

/** Computes that the project's newest operations tell of and its list lacks: it may be behind, and none must be made twice. */
async function unlisted(
  { context, created }: Process,
  project: string,
  known: readonly WireEndpoint[],
  deadline: Deadline,
): Promise<WireEndpoint[]> {
  const { client, clock } = context;
  const soon = new Deadline(clock, Math.min(LOOK_MS, deadline.leftMs()), deadline.graceMs);
  const page = await client.listOperations(project, { limit: PAGE }, soon).catch(() => undefined);
  const since = clock.wall() - deadline.passedMs() - SKEW_MS;
  const ids = new Set(
    page?.operations.flatMap(({ endpoint_id: id, created_at }) =>
      id !== undefined && !(Date.parse(created_at ?? "") < since) ? [id] : [],
    ),
  );
  for (const id of [...created.keys(), ...known.map((one) => one.id)]) ids.delete(id);
  const looked = [...ids].slice(0, SOME).map((id) => lookAtItself(context, { project, id }, deadline));
  return (await Promise.all(looked)).filter((one) => one !== undefined);
}

/** The one among these computes that a lost request has made. @throws Stopped where several may be it */
function lostIn(
  process: Process,
  program: Program,
  before: readonly WireEndpoint[],
  now: readonly WireEndpoint[],
  wish: Wish,
): WireEndpoint | undefined {
  const { inputs, autoName } = program;
  const project = inputs.projectId ?? "";
  const known = new Set(before.map((one) => one.id));
  const fresh = now.filter((one) => {
    const { type } = { ...wish, ...liveOf(one) };
    return !known.has(one.id) && !process.created.has(one.id) && type === wish.type;
  });
  const name = inputs.name ?? autoName;
  const asAsked = fresh.filter(
    (one) =>
      (one.name === undefined ? one.branch_id !== undefined : one.name === name) &&
      differences(wish, { ...(wish as object), ...liveOf(one), name: inputs.name }).length === 0,
  );
  // Somebody may have moved it to another branch already.
  const named = fresh.filter((one) => name !== undefined && one.name === name);
  // One of which the answer shows too little is not taken, and none is made beside it.
  const nameless = fresh.filter((one) => one.name === undefined && (one.branch_id ?? wish.branchId) === wish.branchId);
  const candidates = [asAsked, named, nameless].find((some) => some.length > 0) ?? [];
  const sure = candidates === asAsked || (candidates === named && inputs.name === undefined);
  if (candidates.length > 1 || (candidates[0] && !sure)) {
    throw new Stopped(
      `the answer to creating a compute in project ${project} was lost, and what is new there may or may not be it: ${list(candidates)}. Nothing is in the state. Take the right one over with adopt: "ep-…", and delete what nobody needs`,
    );
  }
  return candidates[0];
}

/** For a text that names them. */
export const list = (some: readonly WireEndpoint[]): string =>
  some.length === 0
    ? "none"
    : some.map((one) => `${one.id} (${one.type ?? "compute"} on ${one.branch_id ?? "some branch"})`).join(", ");
