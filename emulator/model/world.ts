import * as z from "zod/mini";
import { ApiKeyRow, BranchRow, EndpointRow, OperationRow, ProjectRow } from "./rows.js";

const Tables = z.strictObject({
  /** By id, in the order of creation, as are branches and computes. */
  projects: z.record(z.string(), ProjectRow),
  branches: z.record(z.string(), BranchRow),
  endpoints: z.record(z.string(), EndpointRow),
  /** The keys that `POST /api_keys` created, by id. Absent: none. */
  api_keys: z.optional(z.record(z.string(), ApiKeyRow)),
  /** In the order of creation, which is the order of `created_at`: no two operations share a microsecond. */
  operations: z._default(z.array(OperationRow), []),
  /** Creation time of the newest operation, in microseconds since the epoch. */
  last_operation_us: z.optional(z.int().check(z.gte(0))),
});

type Report = (path: PropertyKey[], message: string) => void;

/** Reports rows that contradict each other: an id under another key, a missing project or branch, a time that is used twice. */
function checkReferences(world: z.output<typeof Tables>, report: Report): void {
  for (const table of ["projects", "branches", "endpoints"] as const) {
    for (const [key, row] of Object.entries(world[table])) {
      if (row.id !== key) report([table, key, "id"], `is ${row.id}, but the row is under ${key}`);
      if ("project_id" in row && !Object.hasOwn(world.projects, row.project_id)) {
        report([table, key, "project_id"], `there is no project ${row.project_id}`);
      }
    }
  }
  for (const { id, branch_id: branchId, project_id: projectId } of Object.values(world.endpoints)) {
    if (findRow(world.branches, branchId)?.project_id === projectId) continue;
    report(["endpoints", id, "branch_id"], `there is no branch ${branchId} in project ${projectId}`);
  }
  const seen = new Set<string>();
  for (const [index, { created_at: created }] of world.operations.entries()) {
    if (seen.has(created)) report(["operations", index, "created_at"], "another operation has the same microsecond");
    seen.add(created);
  }
}

const microsOf = (at: string): number => Date.parse(at) * 1000 + Number(at.slice(-4, -1));

/** Takes operations in any order, and sorts them by their creation. */
export const World = z.pipe(
  Tables.check(
    z.superRefine((world, context) =>
      checkReferences(world, (path, message) => context.addIssue({ code: "custom", path, message })),
    ),
  ),
  z.transform((world) => {
    const operations = world.operations.sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
    const newest = operations.at(-1);
    const newestUs = newest ? microsOf(newest.created_at) : 0;
    return { ...world, operations, last_operation_us: Math.max(world.last_operation_us ?? 0, newestUs) };
  }),
);
/**
 * Everything the emulator knows, as plain JSON data under the names of the API. `GET /_emulator/world` shows it; tests read
 * and write it. Times are RFC 3339 with microseconds; responses cut them to whole seconds.
 */
export interface World extends z.output<typeof World> {}

/** The row with this id. An id from a request may be `constructor`, so only the table's own properties count. */
export const findRow = <T>(rows: Record<string, T>, id: string | undefined): T | undefined =>
  id !== undefined && Object.hasOwn(rows, id) ? rows[id] : undefined;

export const branchesOf = (world: World, projectId: string): BranchRow[] =>
  Object.values(world.branches).filter((one) => one.project_id === projectId);

/** The compute of a branch that accepts writes. */
export const primaryOf = (world: World, branchId: string): EndpointRow | undefined =>
  Object.values(world.endpoints).find((one) => one.branch_id === branchId && one.type === "read_write");
