/** The console page's story and state, without a browser. */
import { describe, expect, test } from "vitest";
import { type State, withChanges } from "../../../emulator/console/state.js";
import { bodyLabel, clearedNow, type Entry, storyOf } from "../../../emulator/console/story.js";
import type { Changes, OperationView, RequestView } from "../../../emulator/model/change-types.js";

const PROJECT = "quiet-meadow-1";
const OPERATION = "29bde92f-aa4c-4841-b91d-f60110d0b707";

let lastId = 0;
const request = (method: string, path: string, more: Partial<RequestView> = {}): RequestView => {
  lastId += 1;
  return { id: lastId, method, path: `/projects/${PROJECT}${path}`, status: 200, time: lastId * 10, ...more };
};
const operation = (more: Partial<OperationView> = {}): OperationView => ({
  id: OPERATION,
  project_id: PROJECT,
  endpoint_id: "ep-a",
  action: "apply_config",
  status: "finished",
  failures_count: 0,
  created_at: "2026-05-04T09:00:00Z",
  created_ms: 15.5,
  total_duration_ms: 0,
  ...more,
});
const labelOf = (entry: Entry): string =>
  entry.kind === "operation"
    ? entry.operation.action
    : `${entry.request.method} ${entry.path}${entry.times > 1 ? ` × ${entry.times}` : ""}${entry.refused ? " refused" : ""}`;
type Known = Pick<State, "requests" | "operations">;
const told = (state: Known, endpointId?: string) =>
  storyOf({ series: 1, ...state }, { projectId: PROJECT, endpointId }).map(labelOf);

describe("the story", () => {
  test("is in the order of time, and a request comes before the operation that it started", () => {
    const requests = [request("GET", "", { time: 10 }), request("PATCH", "/endpoints/ep-a", { time: 15 })];
    expect(told({ requests, operations: [operation()] })).toEqual(["GET /", "PATCH /endpoints/ep-a", "apply_config"]);
  });

  test.each<[string, RequestView[], string[]]>([
    ["looks that repeat", [request("GET", "/x?a=1"), request("GET", "/x?a=2")], ["GET /x?a=1 × 2"]],
    ["a refusal that repeats", [1, 2].map(() => request("POST", "/x", { status: 423 })), ["POST /x × 2 refused"]],
    ["changes that repeat", [1, 2].map(() => request("POST", "/x")), ["POST /x", "POST /x"]],
    [
      "looks with different results",
      [200, 404].map((status) => request("GET", "/x", { status })),
      ["GET /x", "GET /x refused"],
    ],
    [
      "a cut and a success",
      [request("GET", "/x", { status: "cut" }), request("GET", "/x")],
      ["GET /x refused", "GET /x"],
    ],
    [
      "a client's and a person's",
      [request("GET", "/x"), request("GET", "/x", { by_hand: true })],
      ["GET /x", "GET /x"],
    ],
  ])("joins what a waiting client repeats, and nothing else: %s", (_what, requests, expected) => {
    expect(told({ requests, operations: [] })).toEqual(expected);
  });

  test("of one compute has what is about it: by path, by its creation, by its operations", () => {
    const requests = [
      request("GET", "/endpoints"),
      request("GET", "/endpoints/ep-a"),
      request("GET", "/endpoints/ep-ab"),
      request("POST", "/endpoints", { status: 201, endpoint_id: "ep-a" }),
      request("GET", `/operations/${OPERATION}`),
      request("POST", "", { path: "/_emulator/endpoints/ep-a", by_hand: true }),
    ];
    expect(
      told(
        { requests, operations: [operation({ created_ms: 1e6 }), operation({ id: "b", endpoint_id: "ep-b" })] },
        "ep-a",
      ),
    ).toEqual([
      "GET /endpoints/ep-a",
      "POST /endpoints",
      "GET /operations/29bde92f…",
      "POST /_emulator/endpoints/ep-a",
      "apply_config",
    ]);
  });

  test("of a project has nothing of another, whose id may begin alike", () => {
    const requests = [
      request("GET", "", { path: `/projects/${PROJECT}2/endpoints` }),
      request("GET", "", { path: "/regions" }),
    ];
    expect(told({ requests, operations: [operation({ project_id: "other" })] })).toEqual(["GET /regions"]);
  });

  test("that was cleared tells what comes afterwards, also at the same time, and all after the emulator began anew", () => {
    const before = { requests: [request("GET", "/1", { time: 5 })], operations: [operation({ created_ms: 5 })] };
    const after = {
      requests: [...before.requests, request("GET", "/2", { time: 5 })],
      operations: [...before.operations, operation({ id: "b", action: "start_compute", created_ms: 5 })],
    };
    const cleared = clearedNow({ series: 1, ...before });
    const toldIn = (series: number, state: Known) =>
      storyOf({ series, ...state }, { projectId: PROJECT, cleared }).map(labelOf);
    expect(toldIn(1, before)).toEqual([]);
    expect(toldIn(1, after)).toEqual(["GET /2", "start_compute"]);
    expect(toldIn(2, before)).toEqual(["GET /1", "apply_config"]);
  });

  test.each([
    ['{"endpoint":{"name":"a b","autoscaling_limit_max_cu":4}}', 'name "a b", autoscaling_limit_max_cu 4'],
    ['{"role":{"name":"x"}}', 'role {"name":"x"}'],
    ["[1]", "[1]"],
    ['{"endpoint":{"na', '{"endpoint":{"na'],
    ["null", "null"],
  ])("shows of a body %s its fields", (body, label) => {
    expect(bodyLabel(body)).toBe(label);
  });
});

describe("the state", () => {
  const changes = (more: Partial<Changes>): Changes => ({
    cursor: "a.1",
    whole: false,
    time: { mode: "real", nowMs: 0 },
    requests: [],
    operations: [],
    ...more,
  });

  test("keeps what it knows, replaces rows that have changed, and forgets when it has to start again", () => {
    const [first, second] = [request("GET", "/1"), request("GET", "/2")];
    const before = withChanges(
      undefined,
      changes({
        whole: true,
        requests: [first, { ...second, status: undefined } as never],
        operations: [operation({ status: "running" })],
      }),
    );
    const fault = { ignore: { fields: ["name"] } };
    expect(withChanges(withChanges(before, changes({ faults: [fault] })), changes({})).faults).toEqual([fault]);
    const after = withChanges(before, changes({ requests: [second], operations: [operation()] }));
    expect(after.requests).toEqual([first, second]);
    expect(after.operations).toEqual([operation()]);
    expect(withChanges(after, changes({})).requests).toBe(after.requests);
    const anew = withChanges(after, changes({ whole: true }));
    expect(anew).toMatchObject({ requests: [], operations: [], endpoints: [] });
    expect([before.series, after.series, anew.series]).toEqual([1, 1, 2]);
  });
});
