import { parseBody } from "../http/parse-body.js";
import { type Call, type HandlerResponse, type Route, route } from "../http/route.js";
import { applyBranchConfig } from "../model/apply-config.js";
import { assertNameFree, assertOwnsNoDatabase, assertPasswordStored, assertUnlocked } from "../model/assertions.js";
import { notFoundError } from "../model/errors.js";
import { password } from "../model/ids.js";
import { RoleCreateBody } from "../model/request-bodies.js";
import type { BranchRow, RoleRow } from "../model/rows.js";
import { timestamp } from "../model/time.js";
import { inPageOrder } from "./list-order.js";
import { branchOf, projectOf } from "./lookup.js";
import { operationResponse, roleResponse } from "./responses.js";

const named = (branch: BranchRow, name: string | undefined) => branch.roles.find((one) => one.name === name);

function findRole(call: Call): { branch: BranchRow; role: RoleRow } {
  const branch = branchOf(call, projectOf(call));
  const role = named(branch, call.params["role"]);
  if (!role) throw notFoundError("role");
  return { branch, role };
}

/** The response to a change of a role: the role, with its password if it is a new one, and the operations. */
function roleChange(
  { sim }: Call,
  branch: BranchRow,
  role: RoleRow,
  status: number,
  withPassword: boolean,
): HandlerResponse {
  const operations = applyBranchConfig(sim, branch).map(operationResponse);
  return { status, body: { role: roleResponse(branch, role, withPassword), operations } };
}

function list(call: Call): HandlerResponse {
  const branch = branchOf(call, projectOf(call));
  const roles = inPageOrder(call.sim, branch.roles);
  return { status: 200, body: { roles: roles.map((role) => roleResponse(branch, role, false)) } };
}

function get(call: Call): HandlerResponse {
  const { branch, role } = findRole(call);
  return { status: 200, body: { role: roleResponse(branch, role, false) } };
}

function create(call: Call): HandlerResponse {
  const { sim } = call;
  const project = projectOf(call);
  const { role: input } = parseBody("CreateProjectBranchRole", RoleCreateBody, call.body);
  const branch = branchOf(call, project);
  assertNameFree(branch.roles, input.name, "role");
  assertUnlocked(sim, project.id, [branch.id]);
  const at = timestamp(sim.now);
  const role: RoleRow = { name: input.name, password: password(sim.random), created_at: at };
  if (input.no_login) role.no_login = true;
  branch.roles.push(role);
  return roleChange(call, branch, role, 201, !input.no_login);
}

/** To delete a missing role is not an error, as with computes and branches. */
function remove(call: Call): HandlerResponse {
  const project = projectOf(call);
  const branch = branchOf(call, project);
  const role = named(branch, call.params["role"]);
  if (!role) return { status: 204 };
  assertOwnsNoDatabase(branch, role.name);
  assertUnlocked(call.sim, project.id, [branch.id]);
  branch.roles = branch.roles.filter((one) => one !== role);
  return roleChange(call, branch, role, 200, false);
}

function revealPassword(call: Call): HandlerResponse {
  const { role } = findRole(call);
  assertPasswordStored(projectOf(call), role);
  return { status: 200, body: { password: role.password } };
}

function resetPassword(call: Call): HandlerResponse {
  const { branch, role } = findRole(call);
  assertUnlocked(call.sim, branch.project_id, [branch.id]);
  role.password = password(call.sim.random);
  role.updated_at = timestamp(call.sim.now);
  return roleChange(call, branch, role, 200, true);
}

const ROLES = "/projects/:project/branches/:branch/roles";

export const roleRoutes: Route[] = [
  route("GET", ROLES, list),
  route("POST", ROLES, create),
  route("GET", `${ROLES}/:role`, get),
  route("DELETE", `${ROLES}/:role`, remove),
  route("GET", `${ROLES}/:role/reveal_password`, revealPassword),
  route("POST", `${ROLES}/:role/reset_password`, resetPassword),
];
