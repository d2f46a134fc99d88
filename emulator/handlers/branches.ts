import {
  annotationAnswer,
  branchAnswer,
  changedEndpoint,
  databaseAnswer,
  operationAnswer,
  roleAnswer,
} from "../answers.js";
import { newBranch } from "../branch.js";
import { checkWish, newEndpoint } from "../endpoint.js";
import { taken } from "../ignored.js";
import { begin, type Step } from "../operations.js";
import * as refuse from "../refuse.js";
import { type Answer, type Call, type Route, route } from "../route.js";
import { instant, worldTime } from "../time.js";
import type { BranchRow, ProjectRow } from "../world.js";
import { BranchCreateBody, BranchUpdateBody } from "./bodies.js";
import { connectionDetails } from "./connections.js";
import { branchOf, endpointsOfBranch, projectOf } from "./lookup.js";
import { oneOf, wholeNumber } from "./query.js";

const LARGEST_LIMIT = 10_000;

function create(call: Call): Answer {
  const { site } = call;
  const { world } = site;
  const project = projectOf(call);
  const {
    branch: wish = {},
    endpoints: computes = [],
    annotation_value,
  } = refuse.badBody("CreateProjectBranch", BranchCreateBody, call.body ?? {});
  const parent = wish.parent_id === undefined ? defaultBranch(call, project) : branchOf(call, project, wish.parent_id);
  const branch = newBranch(site, project, {
    name: wish.name,
    parent,
    point: wish,
    initSource: wish.init_source,
    protected: wish.protected,
    expires_at: wish.expires_at,
    annotation: annotation_value,
  });
  const wishes = computes.map((one) => ({ ...one, branch_id: branch.id }));
  for (const one of wishes) checkWish(project, one);
  refuse.twoPrimaries(computes);
  refuse.branchNotReady(site, parent);
  refuse.whileBusy(site, project.id, [parent.id]);
  refuse.branchNameTaken(site, project.id, branch.name);
  const endpoints = wishes.map((one) => newEndpoint(site, project, taken(site, "POST", one)));
  world.branches[branch.id] = branch;
  for (const endpoint of endpoints) world.endpoints[endpoint.id] = endpoint;
  const starts = endpoints.map((one): Step => ({ action: "start_compute", branch_id: branch.id, endpoint_id: one.id }));
  const create: Step = { action: "create_branch", branch_id: branch.id };
  const operations = begin(site, project.id, [[create], starts]);
  const primary = endpoints.find((one) => one.type === "read_write");
  return {
    status: 201,
    body: {
      branch: branchAnswer(branch),
      endpoints: endpoints.map(changedEndpoint),
      operations: operations.map(operationAnswer),
      roles: branch.roles.map((role) => roleAnswer(branch, role, false)),
      databases: branch.databases.map((database) => databaseAnswer(branch, database)),
      ...(primary ? { connection_uris: connectionDetails(branch, primary) } : {}),
    },
  };
}

function branchesOf(call: Call, project: ProjectRow): BranchRow[] {
  return Object.values(call.site.world.branches).filter((one) => one.project_id === project.id);
}

function defaultBranch(call: Call, project: ProjectRow): BranchRow {
  const branch = branchesOf(call, project).find((one) => one.default);
  if (!branch) throw refuse.missing("branch");
  return branch;
}

function matching(call: Call): (branch: BranchRow) => boolean {
  const search = call.query.get("search") ?? "";
  return ({ name, id }) => name.includes(search) || id.includes(search);
}

function count(call: Call): Answer {
  return { status: 200, body: { count: branchesOf(call, projectOf(call)).filter(matching(call)).length } };
}

const SORTS = ["name", "created_at", "updated_at"] as const;

/** The cursor is opaque (`pagination.next`), unlike those of the other lists: here the id of the last row. */
function list(call: Call): Answer {
  const project = projectOf(call);
  const limit = wholeNumber(call.query, "limit", 1, LARGEST_LIMIT) ?? LARGEST_LIMIT;
  const sortBy = oneOf(call.query, "sort_by", SORTS) ?? "updated_at";
  const sortOrder = oneOf(call.query, "sort_order", ["asc", "desc"]) ?? "desc";
  const cursor = call.query.get("cursor");
  const rows = branchesOf(call, project)
    .filter(matching(call))
    .sort((a, b) => (a[sortBy] < b[sortBy] ? -1 : a[sortBy] > b[sortBy] ? 1 : 0));
  if (sortOrder === "desc") rows.reverse();
  const after = cursor === null ? "" : Buffer.from(cursor, "base64url").toString();
  const from = rows.findIndex((one) => one.id === after) + 1;
  if (cursor !== null && from === 0) throw refuse.badQuery("cursor", "unknown");
  const page = rows.slice(from, from + limit);
  const more = from + limit < rows.length;
  return {
    status: 200,
    body: {
      branches: page.map(branchAnswer),
      annotations: Object.fromEntries(
        page.filter((one) => Object.keys(one.annotation).length > 0).map((one) => [one.id, annotationAnswer(one)]),
      ),
      pagination: {
        ...(more ? { next: Buffer.from((page.at(-1) as BranchRow).id).toString("base64url") } : {}),
        sort_by: sortBy,
        sort_order: sortOrder.toUpperCase(),
      },
    },
  };
}

function get(call: Call): Answer {
  const branch = branchOf(call, projectOf(call));
  return { status: 200, body: { branch: branchAnswer(branch), annotation: annotationAnswer(branch) } };
}

function update(call: Call): Answer {
  const { site } = call;
  const project = projectOf(call);
  const { branch: wish } = refuse.badBody("UpdateProjectBranch", BranchUpdateBody, call.body);
  const branch = branchOf(call, project);
  refuse.whileBusy(site, project.id, [branch.id]);
  if (wish.name !== undefined) refuse.branchNameTaken(site, project.id, wish.name, branch.id);
  branch.name = wish.name ?? branch.name;
  branch.protected = wish.protected ?? branch.protected;
  if (wish.expires_at === null) delete branch.expires_at;
  else if (wish.expires_at !== undefined) branch.expires_at = worldTime(wish.expires_at);
  branch.updated_at = instant(site.now);
  return { status: 200, body: { branch: branchAnswer(branch), operations: [] } };
}

/** Nothing about computes changes with it, so it takes no work. */
function setAsDefault(call: Call): Answer {
  const { site } = call;
  const project = projectOf(call);
  const branch = branchOf(call, project);
  refuse.whileBusy(site, project.id, [branch.id]);
  for (const one of branchesOf(call, project)) one.default = one === branch;
  branch.updated_at = instant(site.now);
  return { status: 200, body: { branch: branchAnswer(branch), operations: [] } };
}

/** The branch's computes go with it. Modelling choice: all are gone from the lists at once, while the work runs. */
function remove(call: Call): Answer {
  const { site } = call;
  const project = projectOf(call);
  const branch = Object.hasOwn(site.world.branches, call.params["branch"] as string)
    ? branchOf(call, project)
    : undefined;
  if (!branch) return { status: 204 };
  refuse.branchStays(site, branch);
  refuse.whileBusy(site, project.id, [branch.id]);
  const computes = endpointsOfBranch(call, branch.id);
  const stops = computes
    .filter((one) => one.current_state === "active")
    .map((one): Step => ({ action: "suspend_compute", branch_id: branch.id, endpoint_id: one.id }));
  const drop: Step = { action: "delete_timeline", branch_id: branch.id };
  const operations = begin(site, project.id, [stops, [drop]]);
  for (const one of computes) delete site.world.endpoints[one.id];
  delete site.world.branches[branch.id];
  branch.updated_at = instant(site.now);
  return { status: 200, body: { branch: branchAnswer(branch), operations: operations.map(operationAnswer) } };
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
