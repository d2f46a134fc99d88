import { databaseAnswer, operationAnswer } from "../answers.js";
import { databaseId } from "../ids.js";
import * as refuse from "../refuse.js";
import { type Answer, type Call, type Route, route } from "../route.js";
import { instant } from "../time.js";
import type { BranchRow, DatabaseRow } from "../world.js";
import { DatabaseCreateBody, DatabaseUpdateBody } from "./bodies.js";
import { configure } from "./configure.js";
import { branchOf, projectOf } from "./lookup.js";
import { inPageOrder } from "./order.js";

const named = (branch: BranchRow, name: string | undefined) => branch.databases.find((one) => one.name === name);

function found(call: Call): { branch: BranchRow; database: DatabaseRow } {
  const branch = branchOf(call, projectOf(call));
  const database = named(branch, call.params["database"]);
  if (!database) throw refuse.missing("database");
  return { branch, database };
}

function ownerIn(branch: BranchRow, name: string): void {
  if (!branch.roles.some((one) => one.name === name)) throw refuse.missing("role");
}

function changed({ site }: Call, branch: BranchRow, database: DatabaseRow, status: number): Answer {
  const operations = configure(site, branch).map(operationAnswer);
  return { status, body: { database: databaseAnswer(branch, database), operations } };
}

function list(call: Call): Answer {
  const branch = branchOf(call, projectOf(call));
  const databases = inPageOrder(call.site, branch.databases);
  return { status: 200, body: { databases: databases.map((one) => databaseAnswer(branch, one)) } };
}

function get(call: Call): Answer {
  const { branch, database } = found(call);
  return { status: 200, body: { database: databaseAnswer(branch, database) } };
}

function create(call: Call): Answer {
  const { site } = call;
  const project = projectOf(call);
  const { database: wish } = refuse.badBody("CreateProjectBranchDatabase", DatabaseCreateBody, call.body);
  const branch = branchOf(call, project);
  ownerIn(branch, wish.owner_name);
  refuse.nameTaken(branch.databases, wish.name, "database");
  refuse.whileBusy(site, project.id, [branch.id]);
  const database: DatabaseRow = { id: databaseId(site.random), ...wish, created_at: instant(site.now) };
  branch.databases.push(database);
  return changed(call, branch, database, 201);
}

function update(call: Call): Answer {
  const { site } = call;
  const { database: wish } = refuse.badBody("UpdateProjectBranchDatabase", DatabaseUpdateBody, call.body);
  const { branch, database } = found(call);
  if (wish.owner_name !== undefined) ownerIn(branch, wish.owner_name);
  const others = branch.databases.filter((one) => one !== database);
  if (wish.name !== undefined) refuse.nameTaken(others, wish.name, "database");
  refuse.whileBusy(site, branch.project_id, [branch.id]);
  Object.assign(database, wish, { updated_at: instant(site.now) });
  return changed(call, branch, database, 200);
}

/** A missing database is no error, as with computes and branches. */
function remove(call: Call): Answer {
  const branch = branchOf(call, projectOf(call));
  const database = named(branch, call.params["database"]);
  if (!database) return { status: 204 };
  refuse.whileBusy(call.site, branch.project_id, [branch.id]);
  branch.databases = branch.databases.filter((one) => one !== database);
  return changed(call, branch, database, 200);
}

const DATABASES = "/projects/:project/branches/:branch/databases";

export const databaseRoutes: Route[] = [
  route("GET", DATABASES, list),
  route("POST", DATABASES, create),
  route("GET", `${DATABASES}/:database`, get),
  route("PATCH", `${DATABASES}/:database`, update),
  route("DELETE", `${DATABASES}/:database`, remove),
];
