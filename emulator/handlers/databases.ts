import { parseBody } from "../http/parse-body.js";
import { type Call, type HandlerResponse, type Route, route } from "../http/route.js";
import { applyBranchConfig } from "../model/apply-config.js";
import { assertNameFree, assertUnlocked } from "../model/assertions.js";
import { notFoundError } from "../model/errors.js";
import { databaseId } from "../model/ids.js";
import { DatabaseCreateBody, DatabaseUpdateBody } from "../model/request-bodies.js";
import type { BranchRow, DatabaseRow } from "../model/rows.js";
import { timestamp } from "../model/time.js";
import { inPageOrder } from "./list-order.js";
import { branchOf, projectOf } from "./lookup.js";
import { databaseResponse, operationResponse } from "./responses.js";

const named = (branch: BranchRow, name: string | undefined) => branch.databases.find((one) => one.name === name);

function findDatabase(call: Call): { branch: BranchRow; database: DatabaseRow } {
  const branch = branchOf(call, projectOf(call));
  const database = named(branch, call.params["database"]);
  if (!database) throw notFoundError("database");
  return { branch, database };
}

function assertRoleExists(branch: BranchRow, name: string): void {
  if (!branch.roles.some((one) => one.name === name)) throw notFoundError("role");
}

function databaseChange({ sim }: Call, branch: BranchRow, database: DatabaseRow, status: number): HandlerResponse {
  const operations = applyBranchConfig(sim, branch).map(operationResponse);
  return { status, body: { database: databaseResponse(branch, database), operations } };
}

function list(call: Call): HandlerResponse {
  const branch = branchOf(call, projectOf(call));
  const databases = inPageOrder(call.sim, branch.databases);
  return { status: 200, body: { databases: databases.map((one) => databaseResponse(branch, one)) } };
}

function get(call: Call): HandlerResponse {
  const { branch, database } = findDatabase(call);
  return { status: 200, body: { database: databaseResponse(branch, database) } };
}

function create(call: Call): HandlerResponse {
  const { sim } = call;
  const project = projectOf(call);
  const { database: input } = parseBody("CreateProjectBranchDatabase", DatabaseCreateBody, call.body);
  const branch = branchOf(call, project);
  assertRoleExists(branch, input.owner_name);
  assertNameFree(branch.databases, input.name, "database");
  assertUnlocked(sim, project.id, [branch.id]);
  const database: DatabaseRow = { id: databaseId(sim.random), ...input, created_at: timestamp(sim.now) };
  branch.databases.push(database);
  return databaseChange(call, branch, database, 201);
}

function update(call: Call): HandlerResponse {
  const { sim } = call;
  const { database: input } = parseBody("UpdateProjectBranchDatabase", DatabaseUpdateBody, call.body);
  const { branch, database } = findDatabase(call);
  if (input.owner_name !== undefined) assertRoleExists(branch, input.owner_name);
  const others = branch.databases.filter((one) => one !== database);
  if (input.name !== undefined) assertNameFree(others, input.name, "database");
  assertUnlocked(sim, branch.project_id, [branch.id]);
  Object.assign(database, input, { updated_at: timestamp(sim.now) });
  return databaseChange(call, branch, database, 200);
}

/** To delete a missing database is not an error, as with computes and branches. */
function remove(call: Call): HandlerResponse {
  const branch = branchOf(call, projectOf(call));
  const database = named(branch, call.params["database"]);
  if (!database) return { status: 204 };
  assertUnlocked(call.sim, branch.project_id, [branch.id]);
  branch.databases = branch.databases.filter((one) => one !== database);
  return databaseChange(call, branch, database, 200);
}

const DATABASES = "/projects/:project/branches/:branch/databases";

export const databaseRoutes: Route[] = [
  route("GET", DATABASES, list),
  route("POST", DATABASES, create),
  route("GET", `${DATABASES}/:database`, get),
  route("PATCH", `${DATABASES}/:database`, update),
  route("DELETE", `${DATABASES}/:database`, remove),
];
