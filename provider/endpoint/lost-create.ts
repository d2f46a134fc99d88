// Finds the compute of a create whose answer was lost.

import type { Deadline } from "../clock.js";
import { Stopped } from "../errors.js";
import { NEWEST_PAGE, POLL_TIMEOUT_MS } from "../operations/poll.js";
import { operationsOf } from "../operations/queries.js";
import { differences } from "../rules/equality.js";
import { pruned } from "../rules/pruned.js";
import type { DesiredSettings } from "../rules/settings.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import { formatComputes, getCompute } from "./find.js";
import type { DesiredState } from "./inputs.js";
import { observedSettings } from "./mapping.js";
import { knownAfter } from "./outputs.js";
import { notReadyError, UNKNOWN_OPERATION } from "./settle-or-keep.js";
import type { SharedState, Target } from "./shared-state.js";

/** Describes the compute in messages: "api-1a2b3c4d on branch br-…". */
export const describeDesiredState = ({ inputs: { name, branchId, projectId }, autoName }: DesiredState): string =>
  `${name ?? autoName ?? "without a name"} on branch ${branchId} of project ${projectId}`;

/**
 * Finds the new compute with the requested settings that no other create of this process has. A compute with the generated name
 * is ours even if some settings were not applied: the name is unique.
 */
export async function findLostCreate(
  shared: SharedState,
  desiredState: DesiredState,
  computesBefore: readonly WireEndpoint[],
  desired: DesiredSettings,
  deadline: Deadline,
): Promise<WireEndpointChange | undefined> {
  const { inputs, autoName } = desiredState;
  const project = inputs.projectId ?? "";
  const listed = await shared.context.lists.fresh(project, deadline);
  const found =
    lostIn(shared, desiredState, computesBefore, listed, desired) ??
    lostIn(
      shared,
      desiredState,
      computesBefore,
      await unlistedComputes(shared, project, [...computesBefore, ...listed], deadline),
      desired,
    );
  if (!found) return undefined;
  shared.claimed.set(found.id, describeDesiredState(desiredState));
  try {
    // The compute is new, so all its operations belong to this create. One that has failed already counts as well.
    return { endpoint: found, operations: await operationsOf(shared.context, project, found.id, deadline) };
  } catch (error) {
    const last = knownAfter(pruned({ name: autoName }), inputs);
    const target: Target = { project, id: found.id, desiredState, last, adopted: false, origin: "create" };
    throw notReadyError(target, found, [UNKNOWN_OPERATION], error);
  }
}

/** This create's operations may look this much older than the create, because the service's clock may differ from ours. */
const SKEW_MS = 90_000;
/** The most computes that are looked up one by one. */
const MOST_SINGLE_REQUESTS = 10;

/**
 * Computes in the newest operations that are missing from the list. The list may be stale, and no compute may be created twice.
 */
async function unlistedComputes(
  { context, claimed }: SharedState,
  project: string,
  known: readonly WireEndpoint[],
  deadline: Deadline,
): Promise<WireEndpoint[]> {
  const { client, clock } = context;
  const soon = deadline.atMost(POLL_TIMEOUT_MS, deadline.graceMs);
  const page = await client.listOperations(project, { limit: NEWEST_PAGE }, soon).catch(() => undefined);
  const since = clock.wall() - deadline.elapsedMs() - SKEW_MS;
  const ids = new Set(
    page?.operations.flatMap(({ endpoint_id: id, created_at }) =>
      id !== undefined && !(Date.parse(created_at ?? "") < since) ? [id] : [],
    ),
  );
  for (const id of [...claimed.keys(), ...known.map((one) => one.id)]) ids.delete(id);
  const looked = [...ids].slice(0, MOST_SINGLE_REQUESTS).map((id) => getCompute(context, { project, id }, deadline));
  return (await Promise.all(looked)).filter((one) => one !== undefined);
}

/** The compute among `now` that a lost request has created. @throws Stopped if it can't be told from others */
function lostIn(
  shared: SharedState,
  desiredState: DesiredState,
  computesBefore: readonly WireEndpoint[],
  now: readonly WireEndpoint[],
  desired: DesiredSettings,
): WireEndpoint | undefined {
  const { inputs, autoName } = desiredState;
  const project = inputs.projectId ?? "";
  const known = new Set(computesBefore.map((one) => one.id));
  const added = now.filter((one) => {
    const { type } = { ...desired, ...observedSettings(one) };
    return !known.has(one.id) && !shared.claimed.has(one.id) && type === desired.type;
  });
  const name = inputs.name ?? autoName;
  // A setting that the answer leaves out is taken as desired. The name, which may be generated, is compared apart.
  const asAsked = added.filter(
    (one) =>
      (one.name === undefined ? one.branch_id !== undefined : one.name === name) &&
      differences(desired, { ...(desired as object), ...observedSettings(one), name: inputs.name }).length === 0,
  );
  // Somebody may already have changed its settings, or its branch.
  const named = added.filter((one) => name !== undefined && one.name === name);
  // If the response has no name, the owner is unclear. Then the compute is neither adopted nor duplicated.
  const nameless = added.filter(
    (one) => one.name === undefined && (one.branch_id ?? desired.branchId) === desired.branchId,
  );
  const candidates = [asAsked, named, nameless].find((some) => some.length > 0) ?? [];
  const isCertain = candidates === asAsked || (candidates === named && inputs.name === undefined);
  if (candidates.length > 1 || (candidates[0] && !isCertain)) {
    throw new Stopped(
      `the answer to creating a compute in project ${project} was lost, and it may be one of the new computes there: ${formatComputes(candidates)}. Nothing is in the state. Take the right one over with adopt: "ep-…", and delete those that nobody needs (\`npx --no compute-endpoint delete ${project}/ep-…\`)`,
    );
  }
  return candidates[0];
}
