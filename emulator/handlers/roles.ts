import { operationAnswer, roleAnswer } from "../answers.js";
import { password } from "../ids.js";
import * as refuse from "../refuse.js";
import { type Answer, type Call, type Route, route } from "../route.js";
import { instant } from "../time.js";
import type { BranchRow, RoleRow } from "../world.js";
import { RoleCreateBody } from "./bodies.js";
import { configure } from "./configure.js";
import { branchOf, projectOf } from "./lookup.js";
import { inPageOrder } from "./order.js";

const named = (branch: BranchRow, name: string | undefined) => branch.roles.find((one) => one.name === name);

function found(call: Call): { branch: BranchRow; role: RoleRow } {
  const branch = branchOf(call, projectOf(call));
  const role = named(branch, call.params["role"]);
  if (!role) throw refuse.missing("role");
  return { branch, role };
}

/** The role, with its password where it is a new one, and the work that makes it so. */
function changed({ site }: Call, branch: BranchRow, role: RoleRow, status: number, withPassword: boolean): Answer {
  const operations = configure(site, branch).map(operationAnswer);
  return { status, body: { role: roleAnswer(branch, role, withPassword), operations } };
}

function list(call: Call): Answer {
  const branch = branchOf(call, projectOf(call));
  const roles = inPageOrder(call.site, branch.roles);
  return { status: 200, body: { roles: roles.map((role) => roleAnswer(branch, role, false)) } };
}

function get(call: Call): Answer {
  const { branch, role } = found(call);
  return { status: 200, body: { role: roleAnswer(branch, role, false) } };
}

function create(call: Call): Answer {
  const { site } = call;
  const project = projectOf(call);
  const { role: wish } = refuse.badBody("CreateProjectBranchRole", RoleCreateBody, call.body);
  const branch = branchOf(call, project);
  refuse.nameTaken(branch.roles, wish.name, "role");
  refuse.whileBusy(site, project.id, [branch.id]);
  const at = instant(site.now);
  const role: RoleRow = { name: wish.name, password: password(site.random), created_at: at };
  if (wish.no_login) role.no_login = true;
  branch.roles.push(role);
  return changed(call, branch, role, 201, !wish.no_login);
}

/** A missing role is no error, as with computes and branches. */
function remove(call: Call): Answer {
  const project = projectOf(call);
  const branch = branchOf(call, project);
  const role = named(branch, call.params["role"]);
  if (!role) return { status: 204 };
  refuse.ownerStays(branch, role.name);
  refuse.whileBusy(call.site, project.id, [branch.id]);
  branch.roles = branch.roles.filter((one) => one !== role);
  return changed(call, branch, role, 200, false);
}

function revealPassword(call: Call): Answer {
  const { role } = found(call);
  refuse.passwordKept(projectOf(call), role);
  return { status: 200, body: { password: role.password } };
}

function resetPassword(call: Call): Answer {
  const { branch, role } = found(call);
  refuse.whileBusy(call.site, branch.project_id, [branch.id]);
  role.password = password(call.site.random);
  role.updated_at = instant(call.site.now);
  return changed(call, branch, role, 200, true);
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
