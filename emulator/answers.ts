import { shownSettings } from "./settings.js";
import { msOf, seconds } from "./time.js";
import type {
  BranchRow,
  DatabaseRow,
  EndpointRow,
  JwksRow,
  OperationRow,
  PermissionRow,
  ProjectRow,
  RoleRow,
} from "./world.js";

/** The world's rows as the API shows them: whole seconds, no field without a value, nothing of the emulator's own. */

type Json = Record<string, unknown>;

/** Fields that hold a time, but don't end in `_at`. */
const TIMES = new Set(["last_active", "parent_timestamp"]);
const isTime = (name: string) => name.endsWith("_at") || TIMES.has(name);

export function shown(row: object): Json {
  const fields = Object.entries(row).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(
    fields.map(([name, value]) => [name, isTime(name) && typeof value === "string" ? seconds(value) : value]),
  );
}

export const endpointAnswer = (row: EndpointRow): Json => shown(row);

/** In the answer of a change the release is left out: no recorded answer of a change carries it. */
export function changedEndpoint(row: EndpointRow): Json {
  const { compute_release_version: _, ...rest } = row;
  return shown(rest);
}

export function operationAnswer(row: OperationRow): Json {
  const { plan: _, ...rest } = row;
  return shown(rest);
}

export const changeAnswer = (endpoint: EndpointRow, operations: OperationRow[]): Json => ({
  endpoint: changedEndpoint(endpoint),
  operations: operations.map(operationAnswer),
});

const NO_USE = { active_time_seconds: 0, compute_time_seconds: 0, written_data_bytes: 0, data_transfer_bytes: 0 };

export function branchAnswer(row: BranchRow): Json {
  const { annotation: _a, roles: _r, databases: _d, ready_at: _at, ...rest } = row;
  // Clients compare `init_source` with their default, also on a root branch: it is in every answer.
  const init_source = row.init_source ?? "parent-data";
  return shown({ ...rest, init_source, primary: row.default, creation_source: "console", cpu_used_sec: 0, ...NO_USE });
}

export const annotationAnswer = (row: BranchRow): Json => ({
  object: { type: "console/branch", id: row.id },
  value: row.annotation,
  created_at: seconds(row.created_at),
  updated_at: seconds(row.created_at),
});

export const roleAnswer = (branch: BranchRow, role: RoleRow, withPassword: boolean): Json => ({
  branch_id: branch.id,
  name: role.name,
  ...(withPassword ? { password: role.password } : {}),
  protected: false,
  created_at: seconds(role.created_at),
  updated_at: seconds(role.updated_at ?? role.created_at),
});

export const databaseAnswer = (branch: BranchRow, database: DatabaseRow): Json => ({
  id: database.id,
  branch_id: branch.id,
  name: database.name,
  owner_name: database.owner_name,
  created_at: seconds(database.created_at),
  updated_at: seconds(database.updated_at ?? database.created_at),
});

export const jwksAnswer = (row: JwksRow): Json => shown(row);
export const permissionAnswer = (row: PermissionRow): Json => shown(row);

const OWNER = "org-emulator-00000001";
const SIZE_LIMIT_MIB = 16_384;
const BYTES_PER_MIB = 1_048_576;

const platformOf = (regionId: string) => regionId.split("-")[0] as string;

/** `aws-us-east-2` is `us-east-2.aws.neon.tech` in a host name. */
export const proxyHost = (regionId: string) =>
  `${regionId.split("-").slice(1).join("-")}.${platformOf(regionId)}.neon.tech`;

export function projectAnswer(row: ProjectRow): Json {
  const from = new Date(msOf(row.created_at));
  const month = (plus: number) =>
    `${new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + plus)).toISOString().slice(0, 19)}Z`;
  return shown({
    ...projectFields(row),
    ...NO_USE,
    data_storage_bytes_hour: 0,
    consumption_period_start: month(0),
    consumption_period_end: month(1),
  });
}

/** A row of the list of projects is not the project: it has other counters. */
export const projectItem = (row: ProjectRow): Json => shown({ ...projectFields(row), active_time: 0 });

const projectFields = ({ permissions: _p, jwks: _j, ...row }: ProjectRow): Json => ({
  ...row,
  settings: shownSettings(row.settings),
  platform_id: platformOf(row.region_id),
  proxy_host: proxyHost(row.region_id),
  branch_logical_size_limit: SIZE_LIMIT_MIB,
  branch_logical_size_limit_bytes: SIZE_LIMIT_MIB * BYTES_PER_MIB,
  cpu_used_sec: 0,
  creation_source: "console",
  owner_id: row.org_id ?? OWNER,
});
