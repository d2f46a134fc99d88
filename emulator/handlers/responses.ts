// Rows of the world as the API shows them: times in whole seconds, no field without a value, no field of the emulator itself.

import { platformOf, proxyHost, withDefaultSettings } from "../model/project.js";
import type {
  BranchRow,
  DatabaseRow,
  EndpointRow,
  JwksRow,
  OperationRow,
  PermissionRow,
  ProjectRow,
  RoleRow,
} from "../model/rows.js";
import { toMs, wholeSeconds } from "../model/time.js";

type Json = Record<string, unknown>;

/** Fields with a time whose name does not end in `_at`. */
const TIMES = new Set(["last_active", "parent_timestamp"]);
const isTime = (name: string) => name.endsWith("_at") || TIMES.has(name);

export function publicFields(row: object): Json {
  const fields = Object.entries(row).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, isTime(name) && typeof value === "string" ? wholeSeconds(value) : value]),
  );
}

export const endpointResponse = (row: EndpointRow): Json => publicFields(row);

/** The compute in the response to a change, without the release: no recorded response to a change has it. */
export function changedEndpointResponse(row: EndpointRow): Json {
  const { compute_release_version: _, ...rest } = row;
  return publicFields(rest);
}

export function operationResponse(row: OperationRow): Json {
  const { plan: _, ...rest } = row;
  return publicFields(rest);
}

export const endpointChangeResponse = (endpoint: EndpointRow, operations: OperationRow[]): Json => ({
  endpoint: changedEndpointResponse(endpoint),
  operations: operations.map(operationResponse),
});

const NO_USE = { active_time_seconds: 0, compute_time_seconds: 0, written_data_bytes: 0, data_transfer_bytes: 0 };

export function branchResponse(row: BranchRow): Json {
  const { annotation: _a, roles: _r, databases: _d, ready_at: _at, ...rest } = row;
  // Clients compare `init_source` with their default even on a root branch, so each response has it.
  const init_source = row.init_source ?? "parent-data";
  return publicFields({
    ...rest,
    init_source,
    primary: row.default,
    creation_source: "console",
    cpu_used_sec: 0,
    ...NO_USE,
  });
}

export const annotationResponse = (row: BranchRow): Json => ({
  object: { type: "console/branch", id: row.id },
  value: row.annotation,
  created_at: wholeSeconds(row.created_at),
  updated_at: wholeSeconds(row.created_at),
});

export const roleResponse = (branch: BranchRow, role: RoleRow, withPassword: boolean): Json => ({
  branch_id: branch.id,
  name: role.name,
  ...(withPassword ? { password: role.password } : {}),
  protected: false,
  created_at: wholeSeconds(role.created_at),
  updated_at: wholeSeconds(role.updated_at ?? role.created_at),
});

export const databaseResponse = (branch: BranchRow, database: DatabaseRow): Json => ({
  id: database.id,
  branch_id: branch.id,
  name: database.name,
  owner_name: database.owner_name,
  created_at: wholeSeconds(database.created_at),
  updated_at: wholeSeconds(database.updated_at ?? database.created_at),
});

export const jwksResponse = (row: JwksRow): Json => publicFields(row);
export const permissionResponse = (row: PermissionRow): Json => publicFields(row);

const OWNER = "org-emulator-00000001";
const SIZE_LIMIT_MIB = 16_384;
const BYTES_PER_MIB = 1_048_576;

export function projectResponse(row: ProjectRow): Json {
  const from = new Date(toMs(row.created_at));
  const month = (plus: number) =>
    `${new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + plus)).toISOString().slice(0, 19)}Z`;
  return publicFields({
    ...projectFields(row),
    ...NO_USE,
    data_storage_bytes_hour: 0,
    consumption_period_start: month(0),
    consumption_period_end: month(1),
  });
}

/** A project in the list of projects, which has other counters than a single project. */
export const listedProjectResponse = (row: ProjectRow): Json => publicFields({ ...projectFields(row), active_time: 0 });

const projectFields = ({ permissions: _p, jwks: _j, ...row }: ProjectRow): Json => ({
  ...row,
  settings: withDefaultSettings(row.settings),
  platform_id: platformOf(row.region_id),
  proxy_host: proxyHost(row.region_id),
  branch_logical_size_limit: SIZE_LIMIT_MIB,
  branch_logical_size_limit_bytes: SIZE_LIMIT_MIB * BYTES_PER_MIB,
  cpu_used_sec: 0,
  creation_source: "console",
  owner_id: row.org_id ?? OWNER,
});
