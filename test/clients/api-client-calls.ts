/**
 * The calls of `@neondatabase/api-client`, each with what it is told and what comes of it.
 */
import { EndpointType } from "@neondatabase/api-client";
import { expect } from "vitest";
import { type RunningEmulator, SEED } from "../../emulator/index.js";
import { type Client, type Row, SHARING_ROWS } from "./api-client-sharing";

const { projectId, primaryId, branches, second } = SEED;
const { main, dev } = branches;
const P = projectId;
const AT = { projectId };

const made = { current_state: "init", pending_state: "active" };
const running = (...actions: string[]) => ({ operations: actions.map((action) => ({ action })) });
/** What clients read without a look whether it is there. */
const SETTINGS = { allowed_ips: { ips: [], protected_branches_only: false } };
const QUOTA = { quota: { active_time_seconds: 60 } };
const APPLIED = running("apply_config");

const addRole = (em: RunningEmulator, name: string) =>
  em.world.branches[main]!.roles.push({ name, password: "p", created_at: em.world.branches[main]!.created_at });

async function idle(api: Client): Promise<void> {
  await api.suspendProjectEndpoint(P, primaryId);
}

export const ROWS: Row[] = [
  ...SHARING_ROWS,
  ["getCurrentUserInfo", (api) => api.getCurrentUserInfo(), 200, { plan: "scale" }],
  ["getCurrentUserOrganizations", (api) => api.getCurrentUserOrganizations(), 200, { organizations: [] }],
  ["getActiveRegions", (api) => api.getActiveRegions({}), 200, { regions: expect.any(Array) }],
  [
    "createProject",
    (api) => api.createProject({ project: { name: "new", pg_version: 16, branch: { name: "trunk" } } }),
    201,
    {
      project: { name: "new", pg_version: 16, settings: SETTINGS },
      branch: { name: "trunk", default: true, init_source: "parent-data" },
      endpoints: [{ type: "read_write", ...made }],
      roles: [{ name: "neondb_owner" }],
      databases: [{ name: "neondb" }],
      connection_uris: [{ connection_parameters: { role: "neondb_owner", database: "neondb" } }],
      ...running("create_timeline", "start_compute"),
    },
  ],
  [
    "listProjects",
    (api) => api.listProjects({ limit: 1, search: "quiet" }),
    200,
    { projects: [{ id: P, settings: SETTINGS }], pagination: { cursor: P } },
  ],
  ["listSharedProjects", (api) => api.listSharedProjects({ limit: 100 }), 200, { projects: [] }],
  ["getProject", (api) => api.getProject(P), 200, { project: { id: P, settings: SETTINGS } }],
  [
    "updateProject",
    (api) => api.updateProject(P, { project: { name: "n", settings: { ...QUOTA, allowed_ips: {} } } }),
    200,
    { project: { name: "n", settings: { ...QUOTA, ...SETTINGS } }, operations: [] },
  ],
  ["deleteProject", (api) => api.deleteProject(second.projectId), 200, { project: { id: second.projectId } }],
  [
    "getAvailablePreloadLibraries",
    (api) => api.getAvailablePreloadLibraries(P),
    200,
    { libraries: expect.arrayContaining([expect.objectContaining({ library_name: "pg_cron" })]) },
  ],
  ["listProjectVpcEndpoints", (api) => api.listProjectVpcEndpoints(P), 200, { endpoints: [] }],
  ["listSnapshots", (api) => api.listSnapshots(P), 200, { snapshots: [] }],
  ["listProjectBranchBuckets", (api) => api.listProjectBranchBuckets(P, main), 200, { buckets: [] }],
  ["listProjectBranchFunctions", (api) => api.listProjectBranchFunctions({ ...AT, branchId: main }), 200, {}],
  ["listCredentials", (api) => api.listCredentials(P, main), 200, { credentials: [] }],

  [
    "createProjectBranch",
    (api) =>
      api.createProjectBranch(P, {
        branch: { name: "feature", parent_id: dev, expires_at: "2030-01-01T00:00:00Z", parent_lsn: "0/1A2B3C" },
        endpoints: [{ type: EndpointType.ReadWrite, autoscaling_limit_max_cu: 2, suspend_timeout_seconds: 60 }],
        annotation_value: { from: "a-test" },
      }),
    201,
    {
      branch: {
        ...{ name: "feature", parent_id: dev, expires_at: "2030-01-01T00:00:00Z", current_state: "init" },
        ...{ init_source: "parent-data", parent_lsn: "0/1A2B3C" },
      },
      endpoints: [{ autoscaling_limit_max_cu: 2, suspend_timeout_seconds: 60 }],
      ...running("create_branch", "start_compute"),
    },
  ],
  [
    "listProjectBranches",
    (api) => api.listProjectBranches({ ...AT, limit: 2, sort_by: "name", sort_order: "asc" }),
    200,
    {
      branches: [{ name: "dev", init_source: "parent-data" }, { name: "main" }],
      annotations: {},
      pagination: { next: expect.any(String) },
    },
  ],
  ["countProjectBranches", (api) => api.countProjectBranches({ ...AT, search: "ev" }), 200, { count: 2 }],
  [
    "getProjectBranch",
    (api) => api.getProjectBranch(P, main),
    200,
    { branch: { id: main, init_source: "parent-data" } },
  ],
  [
    "updateProjectBranch",
    (api) => api.updateProjectBranch(P, dev, { branch: { name: "develop", protected: true, expires_at: null } }),
    200,
    { branch: { id: dev, name: "develop", protected: true }, operations: [] },
  ],
  [
    "setDefaultProjectBranch",
    (api) => api.setDefaultProjectBranch(P, dev),
    200,
    { branch: { id: dev, default: true }, operations: [] },
  ],
  [
    "restoreProjectBranch",
    (api) => api.restoreProjectBranch(P, dev, { source_branch_id: main, preserve_under_name: "before" }),
    200,
    { branch: { name: "dev", last_reset_at: expect.any(String) }, ...running("create_branch") },
  ],
  [
    "deleteProjectBranch",
    (api) => api.deleteProjectBranch({ ...AT, branchId: dev }),
    200,
    { branch: { id: dev }, ...running("delete_timeline") },
  ],

  [
    "listProjectBranchRoles",
    (api) => api.listProjectBranchRoles(P, main),
    200,
    { roles: [{ name: "neondb_owner", branch_id: main }] },
  ],
  [
    "createProjectBranchRole",
    (api) => api.createProjectBranchRole(P, main, { role: { name: "app" } }),
    201,
    { role: { name: "app", password: expect.any(String) }, ...APPLIED },
  ],
  ["getProjectBranchRole", (api) => api.getProjectBranchRole(P, main, "neondb_owner"), 200, { role: {} }],
  [
    "getProjectBranchRolePassword",
    (api) => api.getProjectBranchRolePassword(P, main, "neondb_owner"),
    200,
    { password: expect.any(String) },
  ],
  [
    "resetProjectBranchRolePassword",
    (api) => api.resetProjectBranchRolePassword(P, main, "neondb_owner"),
    200,
    { role: { password: expect.any(String) }, ...APPLIED },
  ],
  [
    "deleteProjectBranchRole",
    (api, em) => {
      addRole(em, "röle/1");
      return api.deleteProjectBranchRole(P, main, "röle/1");
    },
    200,
    { role: { name: "röle/1" }, ...APPLIED },
  ],
  [
    "listProjectBranchDatabases",
    (api) => api.listProjectBranchDatabases(P, main),
    200,
    { databases: [{ name: "neondb", owner_name: "neondb_owner" }] },
  ],
  [
    "createProjectBranchDatabase",
    (api) => api.createProjectBranchDatabase(P, main, { database: { name: "d", owner_name: "neondb_owner" } }),
    201,
    { database: { name: "d", owner_name: "neondb_owner" }, ...APPLIED },
  ],
  ["getProjectBranchDatabase", (api) => api.getProjectBranchDatabase(P, main, "neondb"), 200, { database: {} }],
  [
    "updateProjectBranchDatabase",
    (api) => api.updateProjectBranchDatabase(P, main, "neondb", { database: { name: "renamed" } }),
    200,
    { database: { name: "renamed" }, ...APPLIED },
  ],
  [
    "deleteProjectBranchDatabase",
    (api) => api.deleteProjectBranchDatabase(P, main, "neondb"),
    200,
    { database: { name: "neondb" }, ...APPLIED },
  ],
  [
    "getConnectionUri",
    (api) => api.getConnectionUri({ ...AT, database_name: "neondb", role_name: "neondb_owner", pooled: true }),
    200,
    { uri: expect.stringMatching(/^postgresql:\/\/neondb_owner:.*-pooler\./) },
  ],

  [
    "createProjectEndpoint",
    (api) =>
      api.createProjectEndpoint(P, {
        endpoint: {
          branch_id: dev,
          type: EndpointType.ReadOnly,
          name: "reports",
          autoscaling_limit_min_cu: 0.5,
          autoscaling_limit_max_cu: 2,
          suspend_timeout_seconds: -1,
          settings: { pg_settings: { work_mem: "64MB" } },
        },
      }),
    201,
    {
      endpoint: { ...made, branch_id: dev, name: "reports", settings: { pg_settings: { work_mem: "64MB" } } },
      ...running("start_compute"),
    },
  ],
  ["listProjectEndpoints", (api) => api.listProjectEndpoints(P), 200, { endpoints: [{ id: primaryId }] }],
  ["listProjectBranchEndpoints", (api) => api.listProjectBranchEndpoints(P, dev), 200, { endpoints: [] }],
  ["getProjectEndpoint", (api) => api.getProjectEndpoint(P, primaryId), 200, { endpoint: { current_state: "active" } }],
  [
    "updateProjectEndpoint",
    (api) => api.updateProjectEndpoint(P, primaryId, { endpoint: { autoscaling_limit_max_cu: 4, disabled: false } }),
    200,
    { endpoint: { autoscaling_limit_max_cu: 4, pending_state: "active" }, ...APPLIED },
  ],
  [
    "suspendProjectEndpoint",
    (api) => api.suspendProjectEndpoint(P, primaryId),
    200,
    { endpoint: { pending_state: "idle" }, ...running("suspend_compute") },
  ],
  [
    "startProjectEndpoint",
    async (api) => {
      await idle(api);
      return api.startProjectEndpoint(P, primaryId);
    },
    200,
    { endpoint: { current_state: "idle", pending_state: "active" }, ...running("start_compute") },
  ],
  [
    "restartProjectEndpoint",
    (api) => api.restartProjectEndpoint(P, primaryId),
    200,
    running("suspend_compute", "start_compute"),
  ],
  [
    "deleteProjectEndpoint",
    (api) => api.deleteProjectEndpoint(P, primaryId),
    200,
    { endpoint: { id: primaryId }, ...running("suspend_compute") },
  ],
  [
    "deleteProjectEndpoint, again",
    async (api) => {
      await api.deleteProjectEndpoint(P, primaryId);
      return api.deleteProjectEndpoint(P, primaryId);
    },
    204,
    {},
  ],

  [
    "listProjectOperations",
    async (api) => {
      await api.restartProjectEndpoint(P, primaryId);
      return api.listProjectOperations({ ...AT, limit: 1 });
    },
    200,
    { operations: [{ action: "start_compute" }], pagination: { cursor: expect.any(String) } },
  ],
  [
    "getProjectOperation",
    async (api) => {
      const { operations } = (await api.suspendProjectEndpoint(P, primaryId)).data;
      return api.getProjectOperation(P, operations[0]!.id);
    },
    200,
    { operation: { action: "suspend_compute", endpoint_id: primaryId, status: "finished" } },
  ],
];
