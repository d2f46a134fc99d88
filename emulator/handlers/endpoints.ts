import { EndpointCreateBody, EndpointUpdateBody } from "../../provider/wire/endpoint.js";
import { changeAnswer, endpointAnswer } from "../answers.js";
import { checkWish, newEndpoint, patchedSettings } from "../endpoint.js";
import { taken } from "../ignored.js";
import { begin, type Step } from "../operations.js";
import * as refuse from "../refuse.js";
import { type Answer, type Call, type Route, route } from "../route.js";
import type { Site } from "../rules.js";
import { instant } from "../time.js";
import type { EndpointRow } from "../world.js";
import { branchOf, endpointIn, endpointOf, endpointsOfBranch, projectOf } from "./lookup.js";
import { inListOrder } from "./order.js";

const ok = (body: unknown): Answer => ({ status: 200, body });

const listed = (call: Call, rows: EndpointRow[]): Answer =>
  ok({ endpoints: inListOrder(call.site, rows).map(endpointAnswer) });

const step = (endpoint: EndpointRow, action: string): Step => ({
  action,
  branch_id: endpoint.branch_id,
  endpoint_id: endpoint.id,
});

function create(call: Call): Answer {
  const { site } = call;
  const project = projectOf(call);
  const { endpoint: wish } = refuse.badBody("CreateProjectEndpoint", EndpointCreateBody, call.body);
  if (wish.region_id !== undefined) refuse.badRegion(wish.region_id, project);
  const branch = branchOf(call, project, wish.branch_id);
  checkWish(project, wish);
  refuse.branchNotReady(site, branch);
  refuse.whileBusy(site, project.id, [branch.id]);
  if (wish.type === "read_write") refuse.secondPrimary(site, branch.id);
  const endpoint = newEndpoint(site, project, taken(site, "POST", wish));
  site.world.endpoints[endpoint.id] = endpoint;
  // Modelling choice: a compute that is created disabled starts like any other and is stopped at once.
  const stages = endpoint.disabled ? [["start_compute"], ["suspend_compute"]] : [["start_compute"]];
  if (endpoint.disabled) endpoint.pending_state = "idle";
  const steps = stages.map((names) => names.map((action) => step(endpoint, action)));
  return { status: 201, body: changeAnswer(endpoint, begin(site, project.id, steps)) };
}

function list(call: Call): Answer {
  const project = projectOf(call);
  const rows = Object.values(call.site.world.endpoints).filter((one) => one.project_id === project.id);
  return listed(call, rows);
}

function listOfBranch(call: Call): Answer {
  const branch = branchOf(call, projectOf(call));
  return listed(call, endpointsOfBranch(call, branch.id));
}

function get(call: Call): Answer {
  return ok({ endpoint: endpointAnswer(endpointOf(call, projectOf(call))) });
}

function update(call: Call): Answer {
  const { site } = call;
  const project = projectOf(call);
  const { endpoint: wish } = refuse.badBody("UpdateProjectEndpoint", EndpointUpdateBody, call.body);
  const endpoint = endpointOf(call, project);
  const asked = patched(site, endpoint, wish);
  refuse.badSize(asked.autoscaling_limit_min_cu, asked.autoscaling_limit_max_cu);
  refuse.badTimeout(asked.suspend_timeout_seconds);
  refuse.badProvisioner(asked.provisioner);
  const branch = branchOf(call, project, asked.branch_id);
  const moves = asked.branch_id !== endpoint.branch_id;
  if (moves) refuse.branchNotReady(site, branch);
  refuse.whileBusy(site, project.id, [endpoint.branch_id, branch.id]);
  if (moves && endpoint.type === "read_write") refuse.secondPrimary(site, branch.id);

  const changed = patched(site, endpoint, taken(site, "PATCH", wish, endpoint));
  const restarts = RESTARTING.some((field) => changed[field] !== endpoint[field]);
  Object.assign(endpoint, changed, { updated_at: instant(site.now) });
  return ok(changeAnswer(endpoint, applied(site, endpoint, restarts)));
}

/** What an active compute can only take by starting anew. */
const RESTARTING = ["branch_id", "autoscaling_limit_min_cu", "autoscaling_limit_max_cu", "provisioner"] as const;

function patched(site: Site, endpoint: EndpointRow, wish: EndpointUpdateBody["endpoint"]): EndpointRow {
  const { settings, ...fields } = wish;
  const set = settings ? { settings: patchedSettings(site, endpoint.settings, settings) } : {};
  return { ...endpoint, ...fields, ...set };
}

/**
 * What an update sets going. It does so even where nothing differs: the service compares nothing. Modelling choice:
 * `pg_settings` never need more than `apply_config`, and a resize needs no stop and start of its own.
 */
function applied(site: Site, endpoint: EndpointRow, restarts: boolean) {
  const apply = step(endpoint, "apply_config");
  if (endpoint.current_state === "active" && !endpoint.disabled) {
    endpoint.pending_state = "active";
    return begin(site, endpoint.project_id, [[{ ...apply, restarts }]]);
  }
  const active = endpoint.current_state === "active";
  if (!active && site.rules.idleUpdate === "none") return [];
  endpoint.pending_state = "idle";
  // An idle compute is woken to take the change, and put to sleep again.
  return begin(site, endpoint.project_id, [[{ ...apply, restarts: !active }], [step(endpoint, "suspend_compute")]]);
}

/** Modelling choice: the compute is gone from every list at once, while the operation that stops it still runs. */
function remove(call: Call): Answer {
  const { site } = call;
  const project = projectOf(call);
  const endpoint = endpointIn(call, project);
  if (!endpoint) return { status: 204 };
  refuse.protectedBranch(site.world.branches[endpoint.branch_id], "endpoint");
  refuse.whileEndpointBusy(site, endpoint);
  delete site.world.endpoints[endpoint.id];
  endpoint.updated_at = instant(site.now);
  const running = endpoint.current_state === "active";
  if (running) endpoint.pending_state = "idle";
  const operations = running ? begin(site, project.id, [[step(endpoint, "suspend_compute")]]) : [];
  return ok(changeAnswer(endpoint, operations));
}

/** Start, suspend and restart: from the compute's state to the state it is moved to and the work that takes. */
const action =
  (plan: (site: Site, endpoint: EndpointRow) => [EndpointRow["pending_state"], string[]]) => (call: Call) => {
    const { site } = call;
    const project = projectOf(call);
    const endpoint = endpointOf(call, project);
    refuse.whileEndpointBusy(site, endpoint);
    const [pending, actions] = plan(site, endpoint);
    if (actions.length === 0) return ok(changeAnswer(endpoint, []));
    endpoint.pending_state = pending;
    endpoint.updated_at = instant(site.now);
    const stages = actions.map((one) => [step(endpoint, one)]);
    return ok(changeAnswer(endpoint, begin(site, project.id, stages)));
  };

/** Modelling choice: starting what is active, and suspending what is not, does nothing and is no error. */
const start = action((_site, endpoint) => {
  if (endpoint.current_state === "active") return [undefined, []];
  refuse.startDisabled(endpoint);
  return ["active", ["start_compute"]];
});

const suspend = action((_site, endpoint) =>
  endpoint.current_state === "active" ? ["idle", ["suspend_compute"]] : [undefined, []],
);

const restart = action((site, endpoint) => {
  if (endpoint.current_state !== "active") throw refuse.restartIdle(site.rules.restartIdleStatus);
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
