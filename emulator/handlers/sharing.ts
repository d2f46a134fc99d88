import { jwksAnswer, permissionAnswer } from "../answers.js";
import { uuid } from "../ids.js";
import * as refuse from "../refuse.js";
import { type Answer, type Call, type Route, route } from "../route.js";
import { instant, seconds } from "../time.js";
import type { JwksRow } from "../world.js";
import { ofPerson } from "./account.js";
import { JwksCreateBody, PermissionCreateBody } from "./bodies.js";
import { branchOf, projectOf } from "./lookup.js";

/** Access to a project: people it is shared with, and issuers of tokens for its databases. */

const permissions = (call: Call): Answer => ({
  status: 200,
  body: { project_permissions: (projectOf(call).permissions ?? []).map(permissionAnswer) },
});

/** Modelling choice: a second grant to the same person changes nothing and returns the permission that is there. */
function grant(call: Call): Answer {
  const { site } = call;
  const project = projectOf(call);
  ofPerson(call);
  const { email } = refuse.badBody("GrantPermissionToProject", PermissionCreateBody, call.body);
  project.permissions ??= [];
  let row = project.permissions.find((one) => one.granted_to_email === email);
  if (!row) {
    row = { id: uuid(site.random), granted_to_email: email, granted_at: instant(site.now) };
    project.permissions.push(row);
  }
  return { status: 200, body: permissionAnswer(row) };
}

/** Modelling choice: a revoked permission leaves the list. */
function revoke(call: Call): Answer {
  const project = projectOf(call);
  ofPerson(call);
  const row = taken(project.permissions, call.params["permission"]);
  if (!row) throw refuse.missing("permission");
  return { status: 200, body: { ...permissionAnswer(row), revoked_at: seconds(instant(call.site.now)) } };
}

const jwks = (call: Call): Answer => ({
  status: 200,
  body: { jwks: (projectOf(call).jwks ?? []).map(jwksAnswer) },
});

/** Modelling choice: it begins no operations, is not locked by any, and makes no roles. Nothing fetches the URL. */
function addJwks(call: Call): Answer {
  const { site } = call;
  const project = projectOf(call);
  const { skip_role_creation: _, ...wish } = refuse.badBody("AddProjectJWKS", JwksCreateBody, call.body);
  if (wish.branch_id !== undefined) branchOf(call, project, wish.branch_id);
  const at = instant(site.now);
  const row: JwksRow = { id: uuid(site.random), project_id: project.id, ...wish, created_at: at, updated_at: at };
  project.jwks ??= [];
  project.jwks.push(row);
  return { status: 201, body: { jwks: jwksAnswer(row), operations: [] } };
}

function removeJwks(call: Call): Answer {
  const row = taken(projectOf(call).jwks, call.params["jwks"]);
  if (!row) throw refuse.missing("jwks");
  return { status: 200, body: jwksAnswer(row) };
}

/** Removes the row from the list, and returns it. */
function taken<T extends { id: string }>(rows: T[] = [], id: string | undefined): T | undefined {
  const index = rows.findIndex((one) => one.id === id);
  return index < 0 ? undefined : rows.splice(index, 1)[0];
}

export const sharingRoutes: Route[] = [
  route("GET", "/projects/:project/permissions", permissions),
  route("POST", "/projects/:project/permissions", grant),
  route("DELETE", "/projects/:project/permissions/:permission", revoke),
  route("GET", "/projects/:project/jwks", jwks),
  route("POST", "/projects/:project/jwks", addJwks),
  route("DELETE", "/projects/:project/jwks/:jwks", removeJwks),
];
