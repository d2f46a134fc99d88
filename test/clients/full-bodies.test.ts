/**
 * The emulator refuses fields that it does not know, so it has to know each that a client can send. The bodies here have
 * all of them: where a client's types get a new field, this file no longer compiles.
 */
import {
  type AddProjectJwksRequest,
  type ApiKeyCreateRequest,
  type BranchCreateRequest,
  type BranchRestoreRequest,
  type BranchUpdateRequest,
  createNeonClient,
  type DatabaseCreateRequest,
  type DatabaseUpdateRequest,
  type EndpointCreateRequest,
  type EndpointUpdateRequest,
  type GrantPermissionToProjectRequest,
  type ProjectCreateRequest,
  type ProjectUpdateRequest,
  type RoleCreateRequest,
  raw,
} from "@neon/sdk";
import type * as older from "@neondatabase/api-client";
import { afterEach, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";

/** All fields, all the way down; not the names in what maps names to values. */
type Full<T> = T extends (infer Item)[]
  ? Full<Item>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { [K in keyof T]-?: Full<NonNullable<T[K]>> }
    : T;

const { projectId: project_id, primaryId, branches } = SEED;
const branch = { project_id, branch_id: branches.dev };

const settings: Full<EndpointCreateRequest["endpoint"]["settings"]> = {
  pg_settings: { work_mem: "64MB" },
  pgbouncer_settings: { pool_mode: "transaction" },
  preload_libraries: { use_defaults: true, enabled_libraries: ["pg_cron"] },
};
const size = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2 } as const;
const options = { ...size, suspend_timeout_seconds: 600, provisioner: "k8s-neonvm", settings };

const endpoint: Full<EndpointUpdateRequest["endpoint"]> = {
  ...options,
  branch_id: branches.dev,
  name: "full",
  pooler_enabled: true,
  pooler_mode: "transaction",
  disabled: false,
  passwordless_access: true,
};
const createEndpoint: Full<EndpointCreateRequest> = {
  endpoint: { ...endpoint, type: "read_only", region_id: SEED.regionId },
};

const defaults = {
  ...size,
  suspend_timeout_seconds: 60,
  pg_settings: settings.pg_settings,
  pgbouncer_settings: settings.pgbouncer_settings,
};
const updateProject: Full<ProjectUpdateRequest> = {
  project: {
    name: "full",
    history_retention_seconds: 3600,
    default_endpoint_settings: defaults,
    settings: {
      quota: {
        active_time_seconds: 1,
        compute_time_seconds: 1,
        written_data_bytes: 1,
        data_transfer_bytes: 1,
        logical_size_bytes: 1,
      },
      allowed_ips: { ips: ["192.0.2.1"], protected_branches_only: true },
      enable_logical_replication: false,
      maintenance_window: { weekdays: [1], start_time: "01:00", end_time: "02:00" },
      block_public_connections: false,
      block_vpc_connections: false,
      audit_log_level: "base",
      hipaa: false,
      preload_libraries: settings.preload_libraries,
    },
  },
};
const createProject: Full<ProjectCreateRequest> = {
  project: {
    ...updateProject.project,
    ...size,
    provisioner: "k8s-neonvm",
    region_id: "aws-eu-central-1",
    pg_version: 18,
    store_passwords: true,
    org_id: "org-any-00000001",
    branch: { name: "trunk", role_name: "app", database_name: "app", annotations: { from: "test" } },
  },
};

const createBranch: Full<BranchCreateRequest> = {
  endpoints: [{ ...options, type: "read_write" }],
  branch: {
    name: "full",
    parent_id: branches.dev,
    parent_lsn: "0/1A2B3C",
    parent_timestamp: "2026-01-01T00:00:00Z",
    protected: false,
    archived: false,
    init_source: "parent-data",
    expires_at: "2030-01-01T00:00:00Z",
  },
};
const updateBranch: Full<BranchUpdateRequest> = {
  branch: { name: "full", protected: true, expires_at: "2030-01-01T00:00:00Z" },
};
const restore: Full<BranchRestoreRequest> = {
  source_branch_id: branches.dev,
  source_lsn: "0/1A2B3C",
  source_timestamp: "2026-01-01T00:00:00Z",
  preserve_under_name: "before",
};
const createRole: Full<RoleCreateRequest> = { role: { name: "full", no_login: true } };
const createDatabase: Full<DatabaseCreateRequest> = { database: { name: "full", owner_name: "neondb_owner" } };
const updateDatabase: Full<DatabaseUpdateRequest> = { database: { name: "full", owner_name: "neondb_owner" } };

const createApiKey: Full<ApiKeyCreateRequest> = { key_name: "full" };
const grant: Full<GrantPermissionToProjectRequest> = { email: "one@example.com" };
const addJwks: Full<AddProjectJwksRequest> = {
  jwks_url: "https://example.com/jwks.json",
  provider_name: "any",
  branch_id: branches.dev,
  jwt_audience: "app",
  role_names: ["authenticated"],
  skip_role_creation: true,
};

/** The older client has no field beyond these. */
type Beyond<Older, Newer> = Exclude<keyof Older, keyof Newer>;
const NOTHING_BEYOND: Record<
  | Beyond<older.EndpointCreateRequest["endpoint"], EndpointCreateRequest["endpoint"]>
  | Beyond<older.EndpointUpdateRequest["endpoint"], EndpointUpdateRequest["endpoint"]>
  | Beyond<older.ProjectCreateRequest["project"], ProjectCreateRequest["project"]>
  | Beyond<older.ProjectUpdateRequest["project"], ProjectUpdateRequest["project"]>
  | Beyond<older.BranchCreateRequest, BranchCreateRequest>
  | Beyond<older.BranchUpdateRequest["branch"], BranchUpdateRequest["branch"]>,
  never
> = {};

type Call = (
  client: ReturnType<typeof createNeonClient>["client"],
) => Promise<{ response?: Response; error?: unknown }>;

let em: RunningEmulator;
afterEach(() => em?.close());

test.each<[string, Call]>([
  ["createProject", (client) => raw.createProject({ client, body: createProject })],
  ["updateProject", (client) => raw.updateProject({ client, path: { project_id }, body: updateProject })],
  ["createProjectBranch", (client) => raw.createProjectBranch({ client, path: { project_id }, body: createBranch })],
  ["updateProjectBranch", (client) => raw.updateProjectBranch({ client, path: branch, body: updateBranch })],
  ["restoreProjectBranch", (client) => raw.restoreProjectBranch({ client, path: branch, body: restore })],
  [
    "createProjectEndpoint",
    (client) => raw.createProjectEndpoint({ client, path: { project_id }, body: createEndpoint }),
  ],
  [
    "updateProjectEndpoint",
    (client) => raw.updateProjectEndpoint({ client, path: { project_id, endpoint_id: primaryId }, body: { endpoint } }),
  ],
  ["createApiKey", (client) => raw.createApiKey({ client, body: createApiKey })],
  ["grantPermissionToProject", (client) => raw.grantPermissionToProject({ client, path: { project_id }, body: grant })],
  ["addProjectJwks", (client) => raw.addProjectJwks({ client, path: { project_id }, body: addJwks })],
  ["createProjectBranchRole", (client) => raw.createProjectBranchRole({ client, path: branch, body: createRole })],
  [
    "createProjectBranchDatabase",
    (client) => raw.createProjectBranchDatabase({ client, path: branch, body: createDatabase }),
  ],
  [
    "updateProjectBranchDatabase",
    (client) =>
      raw.updateProjectBranchDatabase({ client, path: { ...branch, database_name: "neondb" }, body: updateDatabase }),
  ],
])("%s takes every field that the client has", async (_, call) => {
  em = await startEmulator({ operationMs: 0 });
  const { client } = createNeonClient({ apiKey: em.apiKey, baseUrl: em.url });
  const { response, error } = await call(client);
  expect(error).toBeUndefined();
  expect(response?.ok).toBe(true);
  expect(NOTHING_BEYOND).toEqual({});
});
