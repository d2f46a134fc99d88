import { parseBody } from "../http/parse-body.js";
import { type Call, type HandlerResponse, type Route, route } from "../http/route.js";
import {
  assertBranchDeletable,
  assertBranchNameFree,
  assertBranchReady,
  assertOnePrimaryAtMost,
  assertUnlocked,
} from "../model/assertions.js";
import { newBranch } from "../model/branch.js";
import { assertEndpointInput, newEndpoint } from "../model/endpoint.js";
import { notFoundError, queryError } from "../model/errors.js";
import { withoutIgnoredFields } from "../model/ignored-fields.js";
import { beginOperations, endpointStep, type OperationStep } from "../model/operations.js";
import { BranchCreateBody, BranchUpdateBody } from "../model/request-bodies.js";
import type { BranchRow, ProjectRow } from "../model/rows.js";
import { normalizeTimestamp, timestamp } from "../model/time.js";
import { branchesOf, findRow } from "../model/world.js";
import { connectionDetails } from "./connection-uris.js";
import { branchOf, endpointsOfBranch, projectOf } from "./lookup.js";
import { oneOf, wholeNumber } from "./query.js";
import {
  annotationResponse,
  branchResponse,
  changedEndpointResponse,
  databaseResponse,
  operationResponse,
  roleResponse,
} from "./responses.js";

const LARGEST_LIMIT = 10_000;

function create(call: Call): HandlerResponse {
  const { sim } = call;
  const { world } = sim;
  const project = projectOf(call);
  const {
    branch: input = {},
    endpoints: computes = [],
    annotation_value,
  } = parseBody("CreateProjectBranch", BranchCreateBody, call.body ?? {});
  const parent =
    input.parent_id === undefined ? defaultBranch(call, project) : branchOf(call, project, input.parent_id);
  const branch = newBranch(sim, project, {
    name: input.name,
    parent,
    point: input,
    initSource: input.init_source,
    protected: input.protected,
    expires_at: input.expires_at,
    annotation: annotation_value,
  });
  const inputs = computes.map((one) => ({ ...one, branch_id: branch.id }));
  for (const one of inputs) assertEndpointInput(project, one);
  assertOnePrimaryAtMost(computes);
  assertBranchReady(sim, parent);
  assertUnlocked(sim, project.id, [parent.id]);
  assertBranchNameFree(sim, project.id, branch.name);
  const endpoints = inputs.map((one) => newEndpoint(sim, project, withoutIgnoredFields(sim, "POST", one)));
  world.branches[branch.id] = branch;
  for (const endpoint of endpoints) world.endpoints[endpoint.id] = endpoint;
  const starts = endpoints.map((one) => endpointStep(one, "start_compute"));
  const create: OperationStep = { action: "create_branch", branch_id: branch.id };
  const operations = beginOperations(sim, project.id, [[create], starts]);
  const primary = endpoints.find((one) => one.type === "read_write");
  return {
    status: 201,
    body: {
      branch: branchResponse(branch),
      endpoints: endpoints.map(changedEndpointResponse),
      operations: operations.map(operationResponse),
      roles: branch.roles.map((role) => roleResponse(branch, role, false)),
      databases: branch.databases.map((database) => databaseResponse(branch, database)),
      ...(primary ? { connection_uris: connectionDetails(branch, primary) } : {}),
    },
  };
}

function defaultBranch({ sim }: Call, project: ProjectRow): BranchRow {
  const branch = branchesOf(sim.world, project.id).find((one) => one.default);
  if (!branch) throw notFoundError("branch");
  return branch;
}

function matching(call: Call): (branch: BranchRow) => boolean {
  const search = call.query.get("search") ?? "";
  return ({ name, id }) => name.includes(search) || id.includes(search);
}

function count(call: Call): HandlerResponse {
  return { status: 200, body: { count: branchesOf(call.sim.world, projectOf(call).id).filter(matching(call)).length } };
}

const SORTS = ["name", "created_at", "updated_at"] as const;

/** The cursor (`pagination.next`) is opaque, unlike those of the other lists. It contains the id of the last row. */
function list(call: Call): HandlerResponse {
  const project = projectOf(call);
  const limit = wholeNumber(call.query, "limit", 1, LARGEST_LIMIT) ?? LARGEST_LIMIT;
  const sortBy = oneOf(call.query, "sort_by", SORTS) ?? "updated_at";
  const sortOrder = oneOf(call.query, "sort_order", ["asc", "desc"]) ?? "desc";
  const cursor = call.query.get("cursor");
  const rows = branchesOf(call.sim.world, project.id)
    .filter(matching(call))
    .sort((a, b) => (a[sortBy] < b[sortBy] ? -1 : a[sortBy] > b[sortBy] ? 1 : 0));
  if (sortOrder === "desc") rows.reverse();
  const after = cursor === null ? "" : Buffer.from(cursor, "base64url").toString();
  const from = rows.findIndex((one) => one.id === after) + 1;
  if (cursor !== null && from === 0) throw queryError("cursor", "unknown");
  const page = rows.slice(from, from + limit);
  const more = from + limit < rows.length;
  return {
    status: 200,
    body: {
      branches: page.map(branchResponse),
      annotations: Object.fromEntries(
        page.filter((one) => Object.keys(one.annotation).length > 0).map((one) => [one.id, annotationResponse(one)]),
      ),
      pagination: {
        ...(more ? { next: Buffer.from((page.at(-1) as BranchRow).id).toString("base64url") } : {}),
        sort_by: sortBy,
        sort_order: sortOrder.toUpperCase(),
      },
    },
  };
}

function get(call: Call): HandlerResponse {
  const branch = branchOf(call, projectOf(call));
  return { status: 200, body: { branch: branchResponse(branch), annotation: annotationResponse(branch) } };
}

function update(call: Call): HandlerResponse {
  const { sim } = call;
  const project = projectOf(call);
  const { branch: input } = parseBody("UpdateProjectBranch", BranchUpdateBody, call.body);
  const branch = branchOf(call, project);
  assertUnlocked(sim, project.id, [branch.id]);
  if (input.name !== undefined) assertBranchNameFree(sim, project.id, input.name, branch.id);
  branch.name = input.name ?? branch.name;
  branch.protected = input.protected ?? branch.protected;
  if (input.expires_at === null) delete branch.expires_at;
  else if (input.expires_at !== undefined) branch.expires_at = normalizeTimestamp(input.expires_at);
  branch.updated_at = timestamp(sim.now);
  return { status: 200, body: { branch: branchResponse(branch), operations: [] } };
}

/** It changes no compute, so it starts no operations. */
function setAsDefault(call: Call): HandlerResponse {
  const { sim } = call;
  const project = projectOf(call);
  const branch = branchOf(call, project);
  assertUnlocked(sim, project.id, [branch.id]);
  for (const one of branchesOf(sim.world, project.id)) one.default = one === branch;
  branch.updated_at = timestamp(sim.now);
  return { status: 200, body: { branch: branchResponse(branch), operations: [] } };
}

/**
 * Deletes the branch with its computes. Modelling choice: they leave the lists at once, although the operations still
 * run.
 */
function remove(call: Call): HandlerResponse {
  const { sim } = call;
  const project = projectOf(call);
  if (!findRow(sim.world.branches, call.params["branch"])) return { status: 204 };
  const branch = branchOf(call, project);
  assertBranchDeletable(sim, branch);
  assertUnlocked(sim, project.id, [branch.id]);
  const computes = endpointsOfBranch(call, branch.id);
  const stops = computes
    .filter((one) => one.current_state === "active")
    .map((one) => endpointStep(one, "suspend_compute"));
  const drop: OperationStep = { action: "delete_timeline", branch_id: branch.id };
  const operations = beginOperations(sim, project.id, [stops, [drop]]);
  for (const one of computes) delete sim.world.endpoints[one.id];
  delete sim.world.branches[branch.id];
  branch.updated_at = timestamp(sim.now);
  return { status: 200, body: { branch: branchResponse(branch), operations: operations.map(operationResponse) } };
}

export const branchRoutes: Route[] = [
  route("POST", "/projects/:project/branches", create),
  route("GET", "/projects/:project/branches", list),
  route("GET", "/projects/:project/branches/count", count),
  route("GET", "/projects/:project/branches/:branch", get),
  route("PATCH", "/projects/:project/branches/:branch", update),
  route("DELETE", "/projects/:project/branches/:branch", remove),
  route("POST", "/projects/:project/branches/:branch/set_as_default", setAsDefault),
];
