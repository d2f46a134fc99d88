// The requests and the operations of a project as one story, in the order of time.

import type { OperationView, RequestView } from "../model/change-types.js";
import type { State } from "./state.js";

export type Entry = RequestEntry | OperationEntry;

export interface RequestEntry {
  kind: "request";
  key: string;
  request: RequestView;
  /** How often the same request came in a row with the same result, as when a client waits. */
  times: number;
  /** The path below the project. */
  path: string;
  /** The computes that the request is about. */
  endpointIds: string[];
  refused: boolean;
}

export interface OperationEntry {
  kind: "operation";
  key: string;
  operation: OperationView;
}

export interface StoryOptions {
  projectId: string;
  /** Only what is about this compute. Absent: everything. */
  endpointId?: string | undefined;
  /** Without these. */
  cleared?: Cleared | undefined;
}

/**
 * What a person has cleared from the story. A time would not do: while the clock is stopped, later requests and operations have
 * the same time.
 */
export interface Cleared {
  series: number;
  lastRequestId: number;
  operationIds: ReadonlySet<string>;
}

export const clearedNow = ({ series, requests, operations }: StoryState): Cleared => ({
  series,
  lastRequestId: requests.at(-1)?.id ?? 0,
  operationIds: new Set(operations.map(({ id }) => id)),
});

type StoryState = Pick<State, "series" | "requests" | "operations">;

const FIRST_REFUSAL = 400;

export function storyOf(state: StoryState, { projectId, endpointId, cleared }: StoryOptions): Entry[] {
  const hidden = cleared?.series === state.series ? cleared : undefined;
  const endpointOf = new Map(state.operations.map(({ id, endpoint_id }) => [id, endpoint_id]));
  const requests = state.requests
    .filter(({ id, path }) => id > (hidden?.lastRequestId ?? 0) && isOfProject(path, projectId))
    .map((request) => requestEntry(request, projectId, endpointOf));
  const operations = state.operations
    .filter(({ id, project_id }) => project_id === projectId && !hidden?.operationIds.has(id))
    .map((operation): OperationEntry => ({ kind: "operation", key: operation.id, operation }));
  const all =
    endpointId === undefined
      ? [...requests, ...operations]
      : [
          ...requests.filter(({ endpointIds }) => endpointIds.includes(endpointId)),
          ...operations.filter(({ operation }) => operation.endpoint_id === endpointId),
        ];
  // The sort is stable: at the same time a request comes before its operations.
  return collapsed(all.sort((a, b) => timeOf(a) - timeOf(b)));
}

export const timeOf = (entry: Entry): number =>
  entry.kind === "request" ? entry.request.time : Math.floor(entry.operation.created_ms);

/** A request that names no project, as for the list of projects, belongs to each. */
const isOfProject = (path: string, projectId: string): boolean => {
  const [, project] = /^\/projects\/([^/?]+)/.exec(path) ?? [];
  return project === undefined || project === projectId;
};

function requestEntry(
  request: RequestView,
  projectId: string,
  endpointOf: ReadonlyMap<string, string | undefined>,
): RequestEntry {
  const { path, status } = request;
  const [, operationId] = /\/operations\/([^/?]+)/.exec(path) ?? [];
  const named = [
    /\/endpoints\/([^/?]+)/.exec(path)?.[1],
    request.endpoint_id,
    operationId === undefined ? undefined : endpointOf.get(operationId),
  ];
  return {
    kind: "request",
    key: `request-${request.id}`,
    request,
    times: 1,
    path: shortPath(path, projectId),
    endpointIds: named.filter((id) => id !== undefined),
    refused: status === "cut" || (typeof status === "number" && status >= FIRST_REFUSAL),
  };
}

const UUID = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** The path below the project. Of the id of an operation, the beginning is enough. */
function shortPath(path: string, projectId: string): string {
  const base = `/projects/${projectId}`;
  const below = path === base || path.startsWith(`${base}/`) ? path.slice(base.length) || "/" : path;
  return below.replaceAll(UUID, "$1…");
}

/** The fields of a body, without the object around them: `name "app", autoscaling_limit_max_cu 4`. */
export function bodyLabel(body: string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return body; // No JSON, or cut.
  }
  const fields = isObject(parsed) && isObject(parsed["endpoint"]) ? parsed["endpoint"] : parsed;
  if (!isObject(fields)) return body;
  return Object.entries(fields)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(", ");
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Joins requests that repeat the one before, so that waiting does not drown the rest. The time is that of the first. */
function collapsed(entries: Entry[]): Entry[] {
  const joined: Entry[] = [];
  for (const entry of entries) {
    const last = joined.at(-1);
    if (last?.kind === "request" && entry.kind === "request" && repeats(last, entry)) last.times += 1;
    else joined.push(entry);
  }
  return joined;
}

const withoutQuery = (path: string): string => path.split("?", 1)[0] as string;

/** Changes that succeeded are all shown. */
const repeats = (last: RequestEntry, next: RequestEntry): boolean =>
  (last.request.method === "GET" || last.refused) &&
  last.request.method === next.request.method &&
  withoutQuery(last.path) === withoutQuery(next.path) &&
  last.request.status === next.request.status &&
  last.request.body === next.request.body &&
  last.request.by_hand === next.request.by_hand;
