import { EndpointCreateBody, EndpointUpdateBody } from "../../provider/wire/endpoint.js";
import { parseBody } from "../http/parse-body.js";
import { type Call, type HandlerResponse, type Route, route } from "../http/route.js";
import { applyUpdate } from "../model/apply-config.js";
import {
  assertBranchReady,
  assertComputeSize,
  assertEnabled,
  assertEndpointUnlocked,
  assertNoPrimary,
  assertProvisioner,
  assertRegion,
  assertSuspendTimeout,
  assertUnlocked,
  assertUnprotected,
} from "../model/assertions.js";
import { assertEndpointInput, newEndpoint, patchedSettings } from "../model/endpoint.js";
import { restartIdleError } from "../model/errors.js";
import { withoutIgnoredFields } from "../model/ignored-fields.js";
import { beginOperations, endpointStep } from "../model/operations.js";
import type { EndpointRow } from "../model/rows.js";
import type { Simulation } from "../model/simulation.js";
import { timestamp } from "../model/time.js";
import { inListOrder } from "./list-order.js";
import { branchOf, endpointIn, endpointOf, endpointsOfBranch, projectOf } from "./lookup.js";
import { endpointChangeResponse, endpointResponse } from "./responses.js";

const ok = (body: unknown): HandlerResponse => ({ status: 200, body });

const listed = (call: Call, rows: EndpointRow[]): HandlerResponse =>
  ok({ endpoints: inListOrder(call.sim, rows).map(endpointResponse) });

function create(call: Call): HandlerResponse {
  const { sim } = call;
  const project = projectOf(call);
  const { endpoint: input } = parseBody("CreateProjectEndpoint", EndpointCreateBody, call.body);
  if (input.region_id !== undefined) assertRegion(input.region_id, project);
  const branch = branchOf(call, project, input.branch_id);
  assertEndpointInput(project, input);
  assertBranchReady(sim, branch);
  assertUnlocked(sim, project.id, [branch.id]);
  if (input.type === "read_write") assertNoPrimary(sim, branch.id);
  const endpoint = newEndpoint(sim, project, withoutIgnoredFields(sim, "POST", input));
  sim.world.endpoints[endpoint.id] = endpoint;
  // Modelling choice: a compute that is created disabled starts like any other, and is suspended at once.
  const stages = endpoint.disabled ? [["start_compute"], ["suspend_compute"]] : [["start_compute"]];
  if (endpoint.disabled) endpoint.pending_state = "idle";
  const steps = stages.map((names) => names.map((action) => endpointStep(endpoint, action)));
  return { status: 201, body: endpointChangeResponse(endpoint, beginOperations(sim, project.id, steps)) };
}

function list(call: Call): HandlerResponse {
  const project = projectOf(call);
  const rows = Object.values(call.sim.world.endpoints).filter((one) => one.project_id === project.id);
  return listed(call, rows);
}

function listOfBranch(call: Call): HandlerResponse {
  const branch = branchOf(call, projectOf(call));
  return listed(call, endpointsOfBranch(call, branch.id));
}

function get(call: Call): HandlerResponse {
  return ok({ endpoint: endpointResponse(endpointOf(call, projectOf(call))) });
}

function update(call: Call): HandlerResponse {
  const { sim } = call;
  const project = projectOf(call);
  const { endpoint: input } = parseBody("UpdateProjectEndpoint", EndpointUpdateBody, call.body);
  const endpoint = endpointOf(call, project);
  // The service checks the whole request, and then ignores some fields.
  const requested = patched(sim, endpoint, input);
  assertComputeSize(requested.autoscaling_limit_min_cu, requested.autoscaling_limit_max_cu);
  assertSuspendTimeout(requested.suspend_timeout_seconds);
  assertProvisioner(requested.provisioner);
  const branch = branchOf(call, project, requested.branch_id);
  const moves = requested.branch_id !== endpoint.branch_id;
  if (moves) assertBranchReady(sim, branch);
  assertUnlocked(sim, project.id, [endpoint.branch_id, branch.id]);
  if (moves && endpoint.type === "read_write") assertNoPrimary(sim, branch.id);

  const changed = patched(sim, endpoint, withoutIgnoredFields(sim, "PATCH", input, endpoint));
  const restarts = RESTARTING.some((field) => changed[field] !== endpoint[field]);
  Object.assign(endpoint, changed, { updated_at: timestamp(sim.now) });
  return ok(endpointChangeResponse(endpoint, applyUpdate(sim, endpoint, restarts)));
}

/** The fields whose change restarts an active compute. */
const RESTARTING = ["branch_id", "autoscaling_limit_min_cu", "autoscaling_limit_max_cu", "provisioner"] as const;

function patched(sim: Simulation, endpoint: EndpointRow, input: EndpointUpdateBody["endpoint"]): EndpointRow {
  const { settings, ...fields } = input;
  const set = settings ? { settings: patchedSettings(sim, endpoint.settings, settings) } : {};
  return { ...endpoint, ...fields, ...set };
}

/** Modelling choice: the compute leaves the lists at once, although the operation that stops it still runs. */
function remove(call: Call): HandlerResponse {
  const { sim } = call;
  const project = projectOf(call);
  const endpoint = endpointIn(call, project);
  if (!endpoint) return { status: 204 };
  assertUnprotected(sim.world.branches[endpoint.branch_id], "endpoint");
  assertEndpointUnlocked(sim, endpoint);
  delete sim.world.endpoints[endpoint.id];
  endpoint.updated_at = timestamp(sim.now);
  const running = endpoint.current_state === "active";
  if (running) endpoint.pending_state = "idle";
  const operations = running ? beginOperations(sim, project.id, [[endpointStep(endpoint, "suspend_compute")]]) : [];
  return ok(endpointChangeResponse(endpoint, operations));
}

/** A handler for start, suspend or restart. `plan` gives the state to which the compute moves, and the actions for it. */
const action =
  (plan: (sim: Simulation, endpoint: EndpointRow) => [EndpointRow["pending_state"], string[]]) => (call: Call) => {
    const { sim } = call;
    const project = projectOf(call);
    const endpoint = endpointOf(call, project);
    assertEndpointUnlocked(sim, endpoint);
    const [pending, actions] = plan(sim, endpoint);
    if (actions.length === 0) return ok(endpointChangeResponse(endpoint, []));
    endpoint.pending_state = pending;
    endpoint.updated_at = timestamp(sim.now);
    const stages = actions.map((one) => [endpointStep(endpoint, one)]);
    return ok(endpointChangeResponse(endpoint, beginOperations(sim, project.id, stages)));
  };

/** To start an active compute, or to suspend an idle one, succeeds and does nothing. That is a modelling choice. */
const start = action((_sim, endpoint) => {
  if (endpoint.current_state === "active") return [undefined, []];
  assertEnabled(endpoint);
  return ["active", ["start_compute"]];
});

const suspend = action((_sim, endpoint) =>
  endpoint.current_state === "active" ? ["idle", ["suspend_compute"]] : [undefined, []],
);

const restart = action((sim, endpoint) => {
  if (endpoint.current_state !== "active") throw restartIdleError(sim.behavior.restartIdleStatus);
  return ["active", ["suspend_compute", "start_compute"]];
});

export const endpointRoutes: Route[] = [
  route("POST", "/projects/:project/endpoints", create),
  route("GET", "/projects/:project/endpoints", list),
  route("GET", "/projects/:project/branches/:branch/endpoints", listOfBranch),
  route("GET", "/projects/:project/endpoints/:endpoint", get),
  route("PATCH", "/projects/:project/endpoints/:endpoint", update),
  route("DELETE", "/projects/:project/endpoints/:endpoint", remove),
  route("POST", "/projects/:project/endpoints/:endpoint/start", start),
  route("POST", "/projects/:project/endpoints/:endpoint/suspend", suspend),
  route("POST", "/projects/:project/endpoints/:endpoint/restart", restart),
];
