import type {
  BranchView,
  Changes,
  EndpointView,
  OperationView,
  ProjectView,
  RequestView,
} from "../model/change-types.js";
import type { FaultRule } from "../model/fault-types.js";

/** All that the page knows of the emulator. */
export interface State {
  /** A new number after the emulator restarted or its world was replaced: ids may occur again. */
  series: number;
  time: Changes["time"];
  faults: FaultRule[];
  projects: ProjectView[];
  branches: BranchView[];
  endpoints: EndpointView[];
  /** In the order of arrival. */
  requests: RequestView[];
  /** In the order of creation. */
  operations: OperationView[];
}

/** Rows that the page keeps of requests, and of operations. */
const KEPT_ROWS = 1000;

/** The state after an answer of `GET /_emulator/changes`. */
export function withChanges(before: State | undefined, changes: Changes): State {
  const { time, faults, tables } = changes;
  const known = changes.whole ? undefined : before;
  return {
    series: known?.series ?? (before?.series ?? 0) + 1,
    time,
    faults: faults ?? known?.faults ?? [],
    projects: tables?.projects ?? known?.projects ?? [],
    branches: tables?.branches ?? known?.branches ?? [],
    endpoints: tables?.endpoints ?? known?.endpoints ?? [],
    requests: merged(known?.requests ?? [], changes.requests, (a, b) => a.id - b.id),
    operations: merged(known?.operations ?? [], changes.operations, (a, b) => a.created_ms - b.created_ms),
  };
}

function merged<T extends { id: unknown }>(known: T[], changed: T[], order: (a: T, b: T) => number): T[] {
  if (changed.length === 0) return known;
  const rows = new Map([...known, ...changed].map((row) => [row.id, row]));
  return [...rows.values()].sort(order).slice(-KEPT_ROWS);
}
