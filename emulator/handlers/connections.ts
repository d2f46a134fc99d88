import { poolerHostOf } from "../endpoint.js";
import * as refuse from "../refuse.js";
import { type Answer, type Call, type Route, route } from "../route.js";
import type { BranchRow, DatabaseRow, EndpointRow, RoleRow } from "../world.js";
import { branchOf, endpointOf, endpointsOfBranch, projectOf } from "./lookup.js";
import { oneOf } from "./query.js";

/** Holds a password, as the service's does: to be treated as a secret. */
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

function connectionUri(call: Call): Answer {
  const project = projectOf(call);
  const required = (name: string): string => {
    const value = call.query.get(name);
    if (!value) throw refuse.badQuery(name, "field required");
    return value;
  };
  const [databaseName, roleName] = [required("database_name"), required("role_name")];
  const pooled = oneOf(call.query, "pooled", ["true", "false"]) === "true";
  const { branch, endpoint } = target(call);
  if (!endpoint || endpoint.project_id !== project.id) throw refuse.missing("endpoint");
  const role = branch.roles.find((one) => one.name === roleName);
  if (!role) throw refuse.missing("role");
  const database = branch.databases.find((one) => one.name === databaseName);
  if (!database) throw refuse.missing("database");
  const host = pooled ? poolerHostOf(endpoint) : endpoint.host;
  return { status: 200, body: { uri: uri(role, host, database) } };
}

/** The branch defaults to the default one (or that of the compute), the compute to the branch's primary. */
function target(call: Call): { branch: BranchRow; endpoint: EndpointRow | undefined } {
  const project = projectOf(call);
  const endpointId = call.query.get("endpoint_id");
  const named = endpointId === null ? undefined : endpointOf(call, project, endpointId);
  const branches = Object.values(call.site.world.branches).filter((one) => one.project_id === project.id);
  const byDefault = named?.branch_id ?? branches.find((one) => one.default)?.id;
  const branch = branchOf(call, project, call.query.get("branch_id") ?? byDefault ?? "");
  if (named && named.branch_id !== branch.id) return { branch, endpoint: undefined };
  return { branch, endpoint: named ?? endpointsOfBranch(call, branch.id).find((one) => one.type === "read_write") };
}

export const connectionRoutes: Route[] = [route("GET", "/projects/:project/connection_uri", connectionUri)];
