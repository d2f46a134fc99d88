// Access to a project: people with whom it is shared, and issuers of tokens for its databases.

import { parseBody } from "../http/parse-body.js";
import { type Call, type HandlerResponse, type Route, route } from "../http/route.js";
import { notFoundError } from "../model/errors.js";
import { uuid } from "../model/ids.js";
import { JwksCreateBody, PermissionCreateBody } from "../model/request-bodies.js";
import type { JwksRow } from "../model/rows.js";
import { timestamp, wholeSeconds } from "../model/time.js";
import { assertAccountKey } from "./account.js";
import { branchOf, projectOf } from "./lookup.js";
import { jwksResponse, permissionResponse } from "./responses.js";

const permissions = (call: Call): HandlerResponse => ({
  status: 200,
  body: { project_permissions: (projectOf(call).permissions ?? []).map(permissionResponse) },
});

/** Modelling choice: a second grant to the same person changes nothing and returns the permission that is there. */
function grant(call: Call): HandlerResponse {
  const { sim } = call;
  const project = projectOf(call);
  assertAccountKey(call);
  const { email } = parseBody("GrantPermissionToProject", PermissionCreateBody, call.body);
  project.permissions ??= [];
  let row = project.permissions.find((one) => one.granted_to_email === email);
  if (!row) {
    row = { id: uuid(sim.random), granted_to_email: email, granted_at: timestamp(sim.now) };
    project.permissions.push(row);
  }
  return { status: 200, body: permissionResponse(row) };
}

/** Modelling choice: a revoked permission leaves the list. */
function revoke(call: Call): HandlerResponse {
  const project = projectOf(call);
  assertAccountKey(call);
  const row = removeRow(project.permissions, call.params["permission"]);
  if (!row) throw notFoundError("permission");
  return { status: 200, body: { ...permissionResponse(row), revoked_at: wholeSeconds(timestamp(call.sim.now)) } };
}

const jwks = (call: Call): HandlerResponse => ({
  status: 200,
  body: { jwks: (projectOf(call).jwks ?? []).map(jwksResponse) },
});

/** Modelling choice: it starts no operations, no operation locks it, and it creates no roles. Nothing fetches the URL. */
function addJwks(call: Call): HandlerResponse {
  const { sim } = call;
  const project = projectOf(call);
  const { skip_role_creation: _, ...input } = parseBody("AddProjectJWKS", JwksCreateBody, call.body);
  if (input.branch_id !== undefined) branchOf(call, project, input.branch_id);
  const at = timestamp(sim.now);
  const row: JwksRow = { id: uuid(sim.random), project_id: project.id, ...input, created_at: at, updated_at: at };
  project.jwks ??= [];
  project.jwks.push(row);
  return { status: 201, body: { jwks: jwksResponse(row), operations: [] } };
}

function removeJwks(call: Call): HandlerResponse {
  const row = removeRow(projectOf(call).jwks, call.params["jwks"]);
  if (!row) throw notFoundError("jwks");
  return { status: 200, body: jwksResponse(row) };
}

/** Removes the row from the list, and returns it. */
function removeRow<T extends { id: string }>(rows: T[] = [], id: string | undefined): T | undefined {
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
