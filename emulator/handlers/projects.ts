import { parseBody } from "../http/parse-body.js";
import { type Call, type HandlerResponse, type Route, route } from "../http/route.js";
import { assertUnlocked, assertUnprotected } from "../model/assertions.js";
import { newBranch } from "../model/branch.js";
import { assertEndpointInput, newEndpoint } from "../model/endpoint.js";
import { forbiddenError } from "../model/errors.js";
import { beginOperations, endpointStep } from "../model/operations.js";
import { newProject, patchedProjectSettings } from "../model/project.js";
import { ProjectCreateBody, ProjectUpdateBody } from "../model/request-bodies.js";
import type { Simulation } from "../model/simulation.js";
import { timestamp } from "../model/time.js";
import { branchesOf } from "../model/world.js";
import { connectionDetails } from "./connection-uris.js";
import { inPageOrder } from "./list-order.js";
import { projectOf } from "./lookup.js";
import { wholeNumber } from "./query.js";
import {
  branchResponse,
  changedEndpointResponse,
  databaseResponse,
  listedProjectResponse,
  operationResponse,
  projectResponse,
  roleResponse,
} from "./responses.js";

const DEFAULT_LIMIT = 10;
const LARGEST_LIMIT = 400;

/** A new project has a root branch with one role, one database and a primary compute. */
function create(call: Call): HandlerResponse {
  const { sim } = call;
  if (call.keyProjectId !== undefined) throw forbiddenError();
  const { project: input } = parseBody("CreateProject", ProjectCreateBody, call.body);
  const project = newProject(sim, input);
  const branch = newBranch(sim, project, {
    name: input.branch?.name ?? "main",
    default: true,
    annotation: input.branch?.annotations ?? {},
    role: input.branch?.role_name,
    database: input.branch?.database_name,
  });
  const first = { branch_id: branch.id, type: "read_write" as const, provisioner: input.provisioner };
  assertEndpointInput(project, first);
  const endpoint = newEndpoint(sim, project, first);
  sim.world.projects[project.id] = project;
  sim.world.branches[branch.id] = branch;
  sim.world.endpoints[endpoint.id] = endpoint;
  const operations = beginOperations(sim, project.id, [
    [{ action: "create_timeline", branch_id: branch.id }],
    [endpointStep(endpoint, "start_compute")],
  ]);
  return {
    status: 201,
    body: {
      project: projectResponse(project),
      connection_uris: connectionDetails(branch, endpoint),
      roles: branch.roles.map((role) => roleResponse(branch, role, true)),
      databases: branch.databases.map((database) => databaseResponse(branch, database)),
      operations: operations.map(operationResponse),
      branch: branchResponse(branch),
      endpoints: [changedEndpointResponse(endpoint)],
    },
  };
}

/** The cursor is the id of the page's last project. Modelling choice: newest first. */
function list(call: Call): HandlerResponse {
  if (call.keyProjectId !== undefined) throw forbiddenError();
  const limit = wholeNumber(call.query, "limit", 1, LARGEST_LIMIT) ?? DEFAULT_LIMIT;
  const search = call.query.get("search") ?? "";
  const orgId = call.query.get("org_id");
  const cursor = call.query.get("cursor");
  // The service can restore deleted projects for a while. The emulator can't.
  const projects = call.query.get("recoverable") === "true" ? [] : Object.values(call.sim.world.projects);
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
      projects: inPageOrder(call.sim, page).map(listedProjectResponse),
      ...(last ? { pagination: { cursor: last.id } } : {}),
      applications: {},
      integrations: {},
    },
  };
}

/** Projects that other accounts share with this one. The emulator has one account, but clients ask for the list. */
const shared = (): HandlerResponse => ({ status: 200, body: { projects: [] } });

const get = (call: Call): HandlerResponse => ({ status: 200, body: { project: projectResponse(projectOf(call)) } });

function update(call: Call): HandlerResponse {
  const { sim } = call;
  const project = projectOf(call);
  const { project: input } = parseBody("UpdateProject", ProjectUpdateBody, call.body);
  assertUnlocked(sim, project.id);
  const { settings, default_endpoint_settings: defaults, ...fields } = input;
  Object.assign(project, fields, { updated_at: timestamp(sim.now) });
  project.settings = patchedProjectSettings(sim.behavior, project.settings, settings);
  project.default_endpoint_settings = { ...project.default_endpoint_settings, ...defaults };
  const operations = settings?.enable_logical_replication === true ? suspendAll(sim, project.id) : [];
  return { status: 200, body: { project: projectResponse(project), operations: operations.map(operationResponse) } };
}

/** Suspends all active computes: the service does so when logical replication is turned on. */
function suspendAll(sim: Simulation, projectId: string) {
  const active = Object.values(sim.world.endpoints).filter(
    (one) => one.project_id === projectId && one.current_state === "active",
  );
  for (const one of active) one.pending_state = "idle";
  const steps = active.map((one) => endpointStep(one, "suspend_compute"));
  return beginOperations(sim, projectId, [steps]);
}

/** Observed on the service: pending operations do not lock the delete of a project, and it starts no operations. */
function remove(call: Call): HandlerResponse {
  const { world } = call.sim;
  const project = projectOf(call);
  if (call.keyProjectId !== undefined) throw forbiddenError();
  const branches = branchesOf(world, project.id);
  for (const branch of branches) assertUnprotected(branch, "project");
  for (const branch of branches) delete world.branches[branch.id];
  for (const endpoint of Object.values(world.endpoints)) {
    if (endpoint.project_id === project.id) delete world.endpoints[endpoint.id];
  }
  world.operations = world.operations.filter((one) => one.project_id !== project.id);
  delete world.projects[project.id];
  return { status: 200, body: { project: projectResponse(project) } };
}

export const projectRoutes: Route[] = [
  route("POST", "/projects", create),
  route("GET", "/projects", list),
  route("GET", "/projects/shared", shared),
  route("GET", "/projects/:project", get),
  route("PATCH", "/projects/:project", update),
  route("DELETE", "/projects/:project", remove),
];
