import type { z } from "zod";
import type { BranchCreateBody, ProjectCreateBody } from "./handlers/bodies.js";
import { branchId, databaseId, password, projectId } from "./ids.js";
import { unknownRegion } from "./refuse.js";
import type { Site } from "./rules.js";
import { instant, worldTime } from "./time.js";
import type { BranchRow, ProjectRow } from "./world.js";

export const DEFAULT_REGION = "aws-us-east-2";
const DEFAULT_DATABASE = "neondb";
const DEFAULT_PG_VERSION = 17;
const DEFAULT_RETENTION_SECONDS = 86_400;
const REGION = /^(aws|azure)-[a-z0-9-]{1,40}$/;

export function newProject(
  site: Site,
  wish: z.output<typeof ProjectCreateBody>["project"],
  id = projectId(site.random, site.world.projects),
): ProjectRow {
  const region = wish.region_id ?? DEFAULT_REGION;
  if (!REGION.test(region)) throw unknownRegion(region);
  const at = instant(site.now);
  return {
    id,
    name: wish.name ?? id,
    region_id: region,
    pg_version: wish.pg_version ?? DEFAULT_PG_VERSION,
    provisioner: wish.provisioner ?? "k8s-neonvm",
    store_passwords: wish.store_passwords ?? true,
    default_endpoint_settings: {
      autoscaling_limit_min_cu: wish.autoscaling_limit_min_cu ?? 0.25,
      autoscaling_limit_max_cu: wish.autoscaling_limit_max_cu ?? 0.25,
      suspend_timeout_seconds: 0,
      ...wish.default_endpoint_settings,
    },
    settings: wish.settings ?? {},
    history_retention_seconds: wish.history_retention_seconds ?? DEFAULT_RETENTION_SECONDS,
    ...(wish.org_id !== undefined ? { org_id: wish.org_id } : {}),
    created_at: at,
    updated_at: at,
  };
}

type InitSource = NonNullable<NonNullable<z.output<typeof BranchCreateBody>["branch"]>["init_source"]>;

interface BranchWish {
  id?: string;
  /** Absent: the branch's id. */
  name?: string;
  /** Roles and databases come from the parent; a root branch gets one of each. */
  parent?: BranchRow;
  /** The point of the parent's history that was asked for. */
  point?: { parent_lsn?: string; parent_timestamp?: string };
  /** `schema-only`: a root branch with the roles and databases of `parent`. */
  initSource?: InitSource;
  default?: boolean;
  protected?: boolean;
  expires_at?: string;
  annotation?: Record<string, string>;
  role?: string;
  database?: string;
}

/** A branch as it is created: on its way to `ready`, not in the world yet. */
export function newBranch(site: Site, project: ProjectRow, wish: BranchWish): BranchRow {
  const at = instant(site.now);
  const id = wish.id ?? branchId(site.random, site.world.branches);
  const database = wish.database ?? DEFAULT_DATABASE;
  const role = wish.role ?? `${database}_owner`;
  const { parent_lsn, parent_timestamp } = wish.point ?? {};
  const initSource = wish.initSource ?? "parent-data";
  return {
    id,
    project_id: project.id,
    ...(wish.parent && initSource === "parent-data" ? { parent_id: wish.parent.id } : {}),
    ...(parent_lsn !== undefined ? { parent_lsn } : {}),
    ...(parent_timestamp !== undefined ? { parent_timestamp: worldTime(parent_timestamp) } : {}),
    init_source: initSource,
    name: wish.name ?? id,
    current_state: "init",
    pending_state: "ready",
    state_changed_at: at,
    default: wish.default ?? false,
    protected: wish.protected ?? false,
    ...(wish.expires_at !== undefined ? { expires_at: worldTime(wish.expires_at) } : {}),
    created_at: at,
    updated_at: at,
    annotation: wish.annotation ?? {},
    roles: wish.parent
      ? structuredClone(wish.parent.roles)
      : [{ name: role, password: password(site.random), created_at: at }],
    databases: wish.parent
      ? structuredClone(wish.parent.databases)
      : [{ id: databaseId(site.random), name: database, owner_name: role, created_at: at }],
  };
}
