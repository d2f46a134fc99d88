import type * as z from "zod/mini";
import { branchId, databaseId, password } from "./ids.js";
import type { BranchCreateBody } from "./request-bodies.js";
import type { BranchRow, ProjectRow } from "./rows.js";
import type { Simulation } from "./simulation.js";
import { normalizeTimestamp, timestamp } from "./time.js";

const DEFAULT_DATABASE = "neondb";

type InitSource = NonNullable<NonNullable<z.output<typeof BranchCreateBody>["branch"]>["init_source"]>;

interface BranchInput {
  id?: string;
  /** @default the branch's id */
  name?: string;
  /** Roles and databases come from the parent; a root branch gets one of each. */
  parent?: BranchRow;
  /** The point of the parent's history from which the branch starts. */
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

/** A new branch that is not `ready` yet. The caller adds it to the world. */
export function newBranch(sim: Simulation, project: ProjectRow, input: BranchInput): BranchRow {
  const at = timestamp(sim.now);
  const id = input.id ?? branchId(sim.random, sim.world.branches);
  const database = input.database ?? DEFAULT_DATABASE;
  const role = input.role ?? `${database}_owner`;
  const { parent_lsn, parent_timestamp } = input.point ?? {};
  const initSource = input.initSource ?? "parent-data";
  return {
    id,
    project_id: project.id,
    ...(input.parent && initSource === "parent-data" ? { parent_id: input.parent.id } : {}),
    ...(parent_lsn !== undefined ? { parent_lsn } : {}),
    ...(parent_timestamp !== undefined ? { parent_timestamp: normalizeTimestamp(parent_timestamp) } : {}),
    init_source: initSource,
    name: input.name ?? id,
    current_state: "init",
    pending_state: "ready",
    state_changed_at: at,
    default: input.default ?? false,
    protected: input.protected ?? false,
    ...(input.expires_at !== undefined ? { expires_at: normalizeTimestamp(input.expires_at) } : {}),
    created_at: at,
    updated_at: at,
    annotation: input.annotation ?? {},
    roles: input.parent
      ? structuredClone(input.parent.roles)
      : [{ name: role, password: password(sim.random), created_at: at }],
    databases: input.parent
      ? structuredClone(input.parent.databases)
      : [{ id: databaseId(sim.random), name: database, owner_name: role, created_at: at }],
  };
}
