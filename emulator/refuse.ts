import type { z } from "zod";
import { conflicts, pendingOn, remainingMs } from "./operations.js";
import type { Site } from "./rules.js";
import type { BranchRow, EndpointRow, ProjectRow, RoleRow } from "./world.js";

/**
 * Every refusal and its words. The rules for sizes are written out here again on purpose: if the emulator asked the
 * provider's own table, a mistake in it would never be noticed.
 */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Empty in most answers of the service. */
    readonly code = "",
    /** When to come again, in milliseconds, where the refusal ends by itself. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

const LARGEST_AUTOSCALING_CU = 16;
const LARGEST_CU = 56;
const LARGEST_RANGE_CU = 8;
const SHORTEST_SUSPEND_SECONDS = 60;
const KNOWN_PROVISIONERS = ["k8s-neonvm", "k8s-pod", "serverless-platform"];
/** Characters of a client's value that are shown in a message. */
const LONGEST_SHOWN = 200;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const invalid = (words: string) => new Refusal(400, `invalid request: ${words}`);

export const unauthorized = () => new Refusal(401, "supplied credentials do not pass authentication");
export const notAllowed = () => new Refusal(403, "this key is not allowed to do that");
export const missing = (
  what: "project" | "branch" | "endpoint" | "operation" | "role" | "database" | "permission" | "jwks" | "key" | "route",
) => new Refusal(404, `${what} not found`);
/** A control route was told something that makes no sense. */
export const badControl = (reason: string) => new Refusal(400, reason);
export const wrongMethod = () => new Refusal(405, "method not allowed");
export const tooLarge = () => new Refusal(413, "request body too large");
export function notJson(type: string): Refusal {
  const given = type === "" ? "is missing" : `is ${JSON.stringify(type.slice(0, LONGEST_SHOWN))}`;
  return new Refusal(415, `Content-Type ${given}: a body must be application/json`);
}
export const tooDeep = (levels: number) => invalid(`decode application/json: nested deeper than ${levels} levels`);
export const pathTooLong = (most: number) => new Refusal(414, `the path has more than ${most} characters`);
export const tooManyWait = (most: number) =>
  new Refusal(503, `${most} answers are delayed already: the emulator delays no more at the same time`);
export const brokenJson = (reason: string) => invalid(`decode application/json: ${reason}`);
export const brokenPath = () => invalid("decode path: invalid percent-encoding");

/** The body as the schema has it, or a 400 that names the first thing wrong with it in the service's way. */
export function badBody<T extends z.ZodType>(operation: string, schema: T, body: unknown): z.output<T> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  if (body === undefined) throw invalid(`operation ${operation}: decode request: body required`);
  const issue = result.error.issues[0] as z.core.$ZodIssue;
  const path = issue.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] as string] : issue.path;
  const value = path.reduce<unknown>((at, name) => (at as Record<PropertyKey, unknown> | undefined)?.[name], body);
  const nested = [...path]
    .reverse()
    .reduce<string>(
      (inner, name, depth) => `${String(name)} (${depth > 0 ? "invalid: " : ""}${inner})`,
      words(issue, value),
    );
  throw invalid(`operation ${operation}: decode request: validate: invalid: ${nested}`);
}

function words(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === "unrecognized_keys") return "unexpected field";
  if (value === undefined) return "field required";
  const shown = JSON.stringify(value);
  const kind = issue.code === "too_small" || issue.code === "too_big" ? issue.origin : "";
  const hasLength = kind === "string" || kind === "array";
  const measure = hasLength ? "len" : Number.isInteger(value) ? "int: value" : "float: value";
  const amount = hasLength ? (value as string | unknown[]).length : shown;
  if (issue.code === "too_small") return `${measure} ${amount} less than ${issue.minimum}`;
  if (issue.code === "too_big") return `${measure} ${amount} greater than ${issue.maximum}`;
  if (issue.code === "invalid_value") return `invalid value: ${shown}`;
  return issue.code === "invalid_type" ? `unexpected ${shown}, ${issue.expected} expected` : issue.message;
}

function onLadder(cu: number): boolean {
  if (cu === 0.25 || cu === 0.5) return true;
  if (!Number.isInteger(cu) || cu < 1 || cu > LARGEST_CU) return false;
  return cu <= LARGEST_AUTOSCALING_CU || cu % 2 === 0;
}

/** The rules hold for the pair that would result, wherever each half comes from. */
export function badSize(min: number, max: number): void {
  if (max - min > LARGEST_RANGE_CU) {
    throw new Refusal(
      400,
      `autoscaling range is not allowed: the difference between the limits cannot exceed ${LARGEST_RANGE_CU}`,
    );
  }
  for (const cu of [min, max]) {
    if (!onLadder(cu)) throw invalid(`autoscaling limits: ${cu} is not an available compute size`);
  }
  if (min > max) throw invalid(`autoscaling limits: the minimum ${min} is above the maximum ${max}`);
  if (min !== max && max > LARGEST_AUTOSCALING_CU) {
    throw invalid(`autoscaling limits: above ${LARGEST_AUTOSCALING_CU} only a fixed size is available`);
  }
}

export function badTimeout(seconds: number): void {
  if (seconds > 0 && seconds < SHORTEST_SUSPEND_SECONDS) {
    throw invalid(`suspend_timeout_seconds: ${seconds} is not -1, 0 or at least ${SHORTEST_SUSPEND_SECONDS}`);
  }
}

export function badProvisioner(provisioner: string): void {
  if (!KNOWN_PROVISIONERS.includes(provisioner)) throw invalid(`provisioner: unknown ${JSON.stringify(provisioner)}`);
}

export function badRegion(regionId: string, project: ProjectRow): void {
  if (regionId !== project.region_id) throw invalid(`region_id: the project is in ${project.region_id}`);
}

export const unknownRegion = (regionId: string) => invalid(`region_id: unknown region ${JSON.stringify(regionId)}`);

export const badQuery = (name: string, reason: string) => invalid(`decode query: ${name}: ${reason}`);

export function badOperationId(id: string): void {
  if (!UUID.test(id)) throw invalid("decode path: operation_id: not a UUID");
}

const secondPrimaryHere = () => new Refusal(409, "read_write endpoint already exists", "ENDPOINTS_LIMIT_EXCEEDED");

export function secondPrimary(site: Site, branchId: string): void {
  const primary = Object.values(site.world.endpoints).find(
    (one) => one.branch_id === branchId && one.type === "read_write",
  );
  if (primary) throw secondPrimaryHere();
}

/** A new branch can ask for several computes at once. */
export function twoPrimaries(wishes: { type: string }[]): void {
  if (wishes.filter((one) => one.type === "read_write").length > 1) throw secondPrimaryHere();
}

/**
 * Asked before the lock, which would hide it: the operation that makes the branch ready also locks the project. With status 423
 * the refusal of the lock comes first. Modelling choice: where nothing is locked, 422 and 423 have the same words.
 */
export function branchNotReady(site: Site, branch: BranchRow): void {
  if (branch.current_state === "ready") return;
  const status = site.rules.branchNotReadyStatus;
  if (status === 423) whileBusy(site, branch.project_id, [branch.id]);
  throw new Refusal(status, "branch not ready yet");
}

/** Work on these branches; without them, on the project as a whole. */
export function whileBusy(site: Site, projectId: string, branchIds?: string[]): void {
  const busy = conflicts(site, { projectId, ...(branchIds ? { branchIds } : {}) });
  if (busy.length === 0) return;
  const words = "project already has running conflicting operations, scheduling of new ones is prohibited";
  throw new Refusal(423, words, "", remainingMs(site, busy));
}

const inBetween = (ms?: number) => new Refusal(423, "endpoint is in some transitive state, could not suspend", "", ms);

/** Start, suspend, restart and delete look at their compute first, so it has words of its own. */
export function whileEndpointBusy(site: Site, { id, project_id: projectId, branch_id: branchId }: EndpointRow): void {
  const own = pendingOn(site.world, id);
  if (own.length > 0) throw inBetween(remainingMs(site, own));
  whileBusy(site, projectId, [branchId]);
}

/** Not documented, so the caller chooses; nor are the words. */
export const restartIdle = (status: 412 | 423) =>
  status === 412 ? new Refusal(412, "endpoint is not active, could not restart") : inBetween();

/** The status is documented, the words are not. */
export const tooMany = (retryAfterMs: number) => new Refusal(429, "rate limit exceeded", "", retryAfterMs);

/** Modelling choice: nothing but `disabled: false` wakes a disabled compute; the status is not documented. */
export function startDisabled(endpoint: EndpointRow): void {
  if (endpoint.disabled) throw new Refusal(412, "endpoint is disabled");
}

/** The status is not documented; 422 is what the reference suggests. */
export function protectedBranch(branch: BranchRow | undefined, what: "branch" | "endpoint" | "project"): void {
  if (branch?.protected) throw new Refusal(422, `${what} cannot be deleted: branch ${branch.name} is protected`);
}

export function branchStays(site: Site, branch: BranchRow): void {
  if (branch.default) throw new Refusal(422, "cannot delete the default branch");
  // Modelling choice: a schema-only branch is a root branch too, but it can be deleted.
  if (branch.parent_id === undefined && branch.init_source !== "schema-only")
    throw new Refusal(422, "cannot delete a root branch");
  if (Object.values(site.world.branches).some((one) => one.parent_id === branch.id)) {
    throw new Refusal(422, "cannot delete a branch that has children");
  }
  protectedBranch(branch, "branch");
}

/** A role or a database of this name is there. */
export function nameTaken(rows: { name: string }[], name: string, what: "role" | "database"): void {
  if (rows.some((one) => one.name === name)) {
    throw new Refusal(409, `${what} with the name ${JSON.stringify(name)} already exists`);
  }
}

/** The status is not documented. */
export function ownerStays(branch: BranchRow, role: string): void {
  const owned = branch.databases.find((one) => one.owner_name === role);
  if (owned) throw new Refusal(422, `role ${role} owns the database ${owned.name}`);
}

export function passwordKept(project: ProjectRow, role: RoleRow): void {
  if (!project.store_passwords) throw new Refusal(412, "the project does not store passwords");
  if (role.no_login) throw new Refusal(412, `role ${role.name} has no password`);
}

export const noPointInTime = () => invalid("source_lsn or source_timestamp: required to restore a branch from itself");
/** Restoring leaves the old state somewhere, where there is somebody who needs it. */
export const nothingPreserved = (reason: string) => invalid(`preserve_under_name: required when ${reason}`);

export function branchNameTaken(site: Site, projectId: string, name: string, except?: string): void {
  const taken = Object.values(site.world.branches).some(
    (one) => one.project_id === projectId && one.name === name && one.id !== except,
  );
  if (taken) throw new Refusal(409, `branch with the name ${JSON.stringify(name)} already exists`);
}
