import { type Call, type HandlerResponse, type Route, route } from "../http/route.js";
import { poolerHostOf } from "../model/endpoint.js";
import { notFoundError, queryError } from "../model/errors.js";
import type { BranchRow, DatabaseRow, EndpointRow, RoleRow } from "../model/rows.js";
import { branchesOf, primaryOf } from "../model/world.js";
import { branchOf, endpointOf, projectOf } from "./lookup.js";
import { oneOf } from "./query.js";

/** A connection URI with a password, as the service's. */
function uri(role: RoleRow, host: string, database: DatabaseRow): string {
  const [user, name] = [encodeURIComponent(role.name), encodeURIComponent(database.name)];
  return `postgresql://${user}:${encodeURIComponent(role.password)}@${host}/${name}?sslmode=require`;
}

/** `connection_uris` of a new project or branch. */
export function connectionDetails(branch: BranchRow, endpoint: EndpointRow) {
  return branch.databases.flatMap((database) => {
    const role = branch.roles.find((one) => one.name === database.owner_name);
    if (!role) return [];
    const parameters = {
      database: database.name,
      password: role.password,
      role: role.name,
      host: endpoint.host,
      pooler_host: poolerHostOf(endpoint),
    };
    return [{ connection_uri: uri(role, endpoint.host, database), connection_parameters: parameters }];
  });
}

function connectionUri(call: Call): HandlerResponse {
  const project = projectOf(call);
  const required = (name: string): string => {
    const value = call.query.get(name);
    if (!value) throw queryError(name, "field required");
    return value;
  };
  const [databaseName, roleName] = [required("database_name"), required("role_name")];
  const pooled = oneOf(call.query, "pooled", ["true", "false"]) === "true";
  const { branch, endpoint } = target(call);
  if (!endpoint || endpoint.project_id !== project.id) throw notFoundError("endpoint");
  const role = branch.roles.find((one) => one.name === roleName);
  if (!role) throw notFoundError("role");
  const database = branch.databases.find((one) => one.name === databaseName);
  if (!database) throw notFoundError("database");
  const host = pooled ? poolerHostOf(endpoint) : endpoint.host;
  return { status: 200, body: { uri: uri(role, host, database) } };
}

/**
 * The branch and the compute that the query names. Without a branch: that of the compute, else the default branch.
 * Without a compute: the branch's primary.
 */
function target(call: Call): { branch: BranchRow; endpoint: EndpointRow | undefined } {
  const project = projectOf(call);
  const endpointId = call.query.get("endpoint_id");
  const named = endpointId === null ? undefined : endpointOf(call, project, endpointId);
  const { world } = call.sim;
  const byDefault = named?.branch_id ?? branchesOf(world, project.id).find((one) => one.default)?.id;
  const branch = branchOf(call, project, call.query.get("branch_id") ?? byDefault ?? "");
  if (named && named.branch_id !== branch.id) return { branch, endpoint: undefined };
  return { branch, endpoint: named ?? primaryOf(world, branch.id) };
}

export const connectionRoutes: Route[] = [route("GET", "/projects/:project/connection_uri", connectionUri)];
