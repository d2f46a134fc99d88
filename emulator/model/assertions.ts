// The service's conditions: each function throws an error response if its condition does not hold. The sizes are written out
// again on purpose: with the provider's own table, the emulator would repeat a mistake in that table and nobody would notice.

import {
  endpointInTransitionError,
  invalidRequestError,
  primaryExistsError,
  projectBusyError,
  ServiceError,
} from "./errors.js";
import { conflictingOperations, pendingOn, remainingMs } from "./operations.js";
import type { BranchRow, EndpointRow, ProjectRow, RoleRow } from "./rows.js";
import type { Simulation } from "./simulation.js";
import { primaryOf } from "./world.js";

const LARGEST_AUTOSCALING_CU = 16;

const LARGEST_CU = 56;

const LARGEST_RANGE_CU = 8;

const SHORTEST_SUSPEND_SECONDS = 60;

const KNOWN_PROVISIONERS = ["k8s-neonvm", "k8s-pod", "serverless-platform"];

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function isOnSizeLadder(cu: number): boolean {
  if (cu === 0.25 || cu === 0.5) return true;
  if (!Number.isInteger(cu) || cu < 1 || cu > LARGEST_CU) return false;
  return cu <= LARGEST_AUTOSCALING_CU || cu % 2 === 0;
}

/** Checks the limits after the change. One may come from the request, the other from the compute or the project. */
export function assertComputeSize(min: number, max: number): void {
  if (max - min > LARGEST_RANGE_CU) {
    throw new ServiceError(
      400,
      `autoscaling range is not allowed: the difference between the limits cannot exceed ${LARGEST_RANGE_CU}`,
    );
  }
  for (const cu of [min, max]) {
    if (!isOnSizeLadder(cu)) throw invalidRequestError(`autoscaling limits: ${cu} is not an available compute size`);
  }
  if (min > max) throw invalidRequestError(`autoscaling limits: the minimum ${min} is above the maximum ${max}`);
  if (min !== max && max > LARGEST_AUTOSCALING_CU) {
    throw invalidRequestError(`autoscaling limits: above ${LARGEST_AUTOSCALING_CU} only a fixed size is available`);
  }
}

export function assertSuspendTimeout(seconds: number): void {
  if (seconds > 0 && seconds < SHORTEST_SUSPEND_SECONDS) {
    throw invalidRequestError(
      `suspend_timeout_seconds: ${seconds} is not -1, 0 or at least ${SHORTEST_SUSPEND_SECONDS}`,
    );
  }
}

export function assertProvisioner(provisioner: string): void {
  if (!KNOWN_PROVISIONERS.includes(provisioner))
    throw invalidRequestError(`provisioner: unknown ${JSON.stringify(provisioner)}`);
}

export function assertRegion(regionId: string, project: ProjectRow): void {
  if (regionId !== project.region_id) throw invalidRequestError(`region_id: the project is in ${project.region_id}`);
}

export function assertOperationId(id: string): void {
  if (!UUID.test(id)) throw invalidRequestError("decode path: operation_id: not a UUID");
}

export function assertNoPrimary(sim: Simulation, branchId: string): void {
  if (primaryOf(sim.world, branchId)) throw primaryExistsError();
}

/** A request for a new branch may contain several computes. */
export function assertOnePrimaryAtMost(inputs: { type: string }[]): void {
  if (inputs.filter((one) => one.type === "read_write").length > 1) throw primaryExistsError();
}

/**
 * Call it before `assertUnlocked`, which would hide this error: the operation that makes the branch ready also locks the project.
 * If `branchNotReadyStatus` is 423 and the project is locked, the lock's error is returned. Modelling choice: the message is the
 * same for 422 and 423.
 */
export function assertBranchReady(sim: Simulation, branch: BranchRow): void {
  if (branch.current_state === "ready") return;
  const status = sim.behavior.branchNotReadyStatus;
  if (status === 423) assertUnlocked(sim, branch.project_id, [branch.id]);
  throw new ServiceError(status, "branch not ready yet");
}

/** Refuses work on these branches, or without `branchIds` on the whole project, while operations lock them. */
export function assertUnlocked(sim: Simulation, projectId: string, branchIds?: string[]): void {
  const busy = conflictingOperations(sim, { projectId, ...(branchIds ? { branchIds } : {}) });
  if (busy.length === 0) return;
  throw projectBusyError(remainingMs(sim, busy));
}

/** For start, suspend, restart and delete. If the compute itself has pending operations, the message is another one. */
export function assertEndpointUnlocked(
  sim: Simulation,
  { id, project_id: projectId, branch_id: branchId }: EndpointRow,
): void {
  const own = pendingOn(sim.world, id);
  if (own.length > 0) throw endpointInTransitionError(remainingMs(sim, own));
  assertUnlocked(sim, projectId, [branchId]);
}

/** Modelling choice: only `disabled: false` wakes a disabled compute. The status is not documented. */
export function assertEnabled(endpoint: EndpointRow): void {
  if (endpoint.disabled) throw new ServiceError(412, "endpoint is disabled");
}

/** The status is not documented. The reference suggests 422. */
export function assertUnprotected(branch: BranchRow | undefined, what: "branch" | "endpoint" | "project"): void {
  if (branch?.protected) throw new ServiceError(422, `${what} cannot be deleted: branch ${branch.name} is protected`);
}

export function assertBranchDeletable(sim: Simulation, branch: BranchRow): void {
  if (branch.default) throw new ServiceError(422, "cannot delete the default branch");
  // Modelling choice: a schema-only branch is a root branch too, but it can be deleted.
  if (branch.parent_id === undefined && branch.init_source !== "schema-only")
    throw new ServiceError(422, "cannot delete a root branch");
  if (Object.values(sim.world.branches).some((one) => one.parent_id === branch.id)) {
    throw new ServiceError(422, "cannot delete a branch that has children");
  }
  assertUnprotected(branch, "branch");
}

export function assertNameFree(rows: { name: string }[], name: string, what: "role" | "database"): void {
  if (rows.some((one) => one.name === name)) {
    throw new ServiceError(409, `${what} with the name ${JSON.stringify(name)} already exists`);
  }
}

/** The status is not documented. */
export function assertOwnsNoDatabase(branch: BranchRow, role: string): void {
  const owned = branch.databases.find((one) => one.owner_name === role);
  if (owned) throw new ServiceError(422, `role ${role} owns the database ${owned.name}`);
}

export function assertPasswordStored(project: ProjectRow, role: RoleRow): void {
  if (!project.store_passwords) throw new ServiceError(412, "the project does not store passwords");
  if (role.no_login) throw new ServiceError(412, `role ${role.name} has no password`);
}

export function assertBranchNameFree(sim: Simulation, projectId: string, name: string, except?: string): void {
  const taken = Object.values(sim.world.branches).some(
    (one) => one.project_id === projectId && one.name === name && one.id !== except,
  );
  if (taken) throw new ServiceError(409, `branch with the name ${JSON.stringify(name)} already exists`);
}
