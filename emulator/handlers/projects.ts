import {
  branchAnswer,
  changedEndpoint,
  databaseAnswer,
  operationAnswer,
  projectAnswer,
  projectItem,
  roleAnswer,
} from "../answers.js";
import { newBranch, newProject } from "../branch.js";
import { checkWish, newEndpoint } from "../endpoint.js";
import { begin, type Step } from "../operations.js";
import * as refuse from "../refuse.js";
import { type Answer, type Call, type Route, route } from "../route.js";
import type { Site } from "../rules.js";
import { patchedProjectSettings } from "../settings.js";
import { instant } from "../time.js";
import { ProjectCreateBody, ProjectUpdateBody } from "./bodies.js";
import { connectionDetails } from "./connections.js";
import { projectOf } from "./lookup.js";
import { inPageOrder } from "./order.js";
import { wholeNumber } from "./query.js";

const DEFAULT_LIMIT = 10;
const LARGEST_LIMIT = 400;

/** A new project has a root branch, and on it one role, one database and the primary compute. */
function create(call: Call): Answer {
  const { site } = call;
  if (call.reach !== undefined) throw refuse.notAllowed();
  const { project: wish } = refuse.badBody("CreateProject", ProjectCreateBody, call.body);
  const project = newProject(site, wish);
  const branch = newBranch(site, project, {
    name: wish.branch?.name ?? "main",
    default: true,
    annotation: wish.branch?.annotations ?? {},
    role: wish.branch?.role_name,
    database: wish.branch?.database_name,
  });
  const first = { branch_id: branch.id, type: "read_write" as const, provisioner: wish.provisioner };
  checkWish(project, first);
  const endpoint = newEndpoint(site, project, first);
  site.world.projects[project.id] = project;
  site.world.branches[branch.id] = branch;
  site.world.endpoints[endpoint.id] = endpoint;
  const operations = begin(site, project.id, [
    [{ action: "create_timeline", branch_id: branch.id }],
    [{ action: "start_compute", branch_id: branch.id, endpoint_id: endpoint.id }],
  ]);
  return {
    status: 201,
    body: {
      project: projectAnswer(project),
      connection_uris: connectionDetails(branch, endpoint),
      roles: branch.roles.map((role) => roleAnswer(branch, role, true)),
      databases: branch.databases.map((database) => databaseAnswer(branch, database)),
      operations: operations.map(operationAnswer),
      branch: branchAnswer(branch),
      endpoints: [changedEndpoint(endpoint)],
    },
  };
}

/** The cursor holds the id of the page's last project. Modelling choice: newest first. */
function list(call: Call): Answer {
  if (call.reach !== undefined) throw refuse.notAllowed();
  const limit = wholeNumber(call.query, "limit", 1, LARGEST_LIMIT) ?? DEFAULT_LIMIT;
  const search = call.query.get("search") ?? "";
  const orgId = call.query.get("org_id");
  const cursor = call.query.get("cursor");
  // Deleted projects can be had back for a while from the service; here they are gone.
  const projects = call.query.get("recoverable") === "true" ? [] : Object.values(call.site.world.projects);
  const rows = projects
    .reverse()
    .filter((one) => one.name.includes(search) || one.id.includes(search))
    .filter((one) => orgId === null || one.org_id === undefined || one.org_id === orgId);
  const from = cursor === null ? 0 : rows.findIndex((one) => one.id === cursor) + 1;
  const page = cursor !== null && from === 0 ? [] : rows.slice(from, from + limit);
  const last = page.at(-1);
  return {
    status: 200,
    body: {
      projects: inPageOrder(call.site, page).map(projectItem),
      ...(last ? { pagination: { cursor: last.id } } : {}),
      applications: {},
      integrations: {},
    },
  };
}

/** Nobody shares anything here, but clients ask. */
const shared = (): Answer => ({ status: 200, body: { projects: [] } });

const get = (call: Call): Answer => ({ status: 200, body: { project: projectAnswer(projectOf(call)) } });

function update(call: Call): Answer {
  const { site } = call;
  const project = projectOf(call);
  const { project: wish } = refuse.badBody("UpdateProject", ProjectUpdateBody, call.body);
  refuse.whileBusy(site, project.id);
  const { settings, default_endpoint_settings: defaults, ...fields } = wish;
  Object.assign(project, fields, { updated_at: instant(site.now) });
  project.settings = patchedProjectSettings(site.rules, project.settings, settings);
  project.default_endpoint_settings = { ...project.default_endpoint_settings, ...defaults };
  const operations = settings?.enable_logical_replication === true ? suspendAll(site, project.id) : [];
  return { status: 200, body: { project: projectAnswer(project), operations: operations.map(operationAnswer) } };
}

/** Logical replication comes with a suspension of all that runs. */
function suspendAll(site: Site, projectId: string) {
  const active = Object.values(site.world.endpoints).filter(
    (one) => one.project_id === projectId && one.current_state === "active",
  );
  for (const one of active) one.pending_state = "idle";
  const steps = active.map(({ id, branch_id }): Step => ({ action: "suspend_compute", branch_id, endpoint_id: id }));
  return begin(site, projectId, [steps]);
}

/** Not locked by pending operations, and without operations of its own: so the service was seen to behave. */
function remove(call: Call): Answer {
  const { world } = call.site;
  const project = projectOf(call);
  if (call.reach !== undefined) throw refuse.notAllowed();
  const branches = Object.values(world.branches).filter((one) => one.project_id === project.id);
  for (const branch of branches) refuse.protectedBranch(branch, "project");
  for (const branch of branches) delete world.branches[branch.id];
  for (const endpoint of Object.values(world.endpoints)) {
    if (endpoint.project_id === project.id) delete world.endpoints[endpoint.id];
  }
  world.operations = world.operations.filter((one) => one.project_id !== project.id);
  delete world.projects[project.id];
  return { status: 200, body: { project: projectAnswer(project) } };
}

export const projectRoutes: Route[] = [
  route("POST", "/projects", create),
  route("GET", "/projects", list),
  route("GET", "/projects/shared", shared),
  route("GET", "/projects/:project", get),
  route("PATCH", "/projects/:project", update),
  route("DELETE", "/projects/:project", remove),
];
