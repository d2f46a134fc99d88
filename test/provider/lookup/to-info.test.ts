/** Answers of the service in a program's words. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endpointInfo, operationInfo } from "../../../provider/lookup/to-info.js";
import { WireEndpoint } from "../../../provider/wire/endpoint.js";
import { WireOperation } from "../../../provider/wire/operation.js";

const P = "quiet-meadow-40718263";
const endpoint = (fields: object = {}) => endpointInfo(WireEndpoint.parse({ id: "ep-a", ...fields }), P);
const operation = (fields: object = {}) => operationInfo(WireOperation.parse({ id: "0f5a", ...fields }), P);

/** The body of a recorded answer. */
function recorded(file: string) {
  const text = readFileSync(join(__dirname, "../../fixtures", file), "utf8");
  return JSON.parse(text).response.body;
}

describe("a compute", () => {
  test("as it was recorded has all of its fields, under the names of a program", () => {
    const { endpoint: wire } = recorded("11-get-endpoint-active.json");
    const info = endpointInfo(WireEndpoint.parse(wire), P);
    const renamed = Object.fromEntries(
      Object.entries(wire).map(([name, value]) => [name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()), value]),
    );
    expect(info).toMatchObject({ ...renamed, settings: {} });
    expect(info.poolerHost).toBe(wire.host.replace(wire.id, `${wire.id}-pooler`));
    expect(info.capacity).toMatchObject({ vcpu: wire.autoscaling_limit_max_cu });
  });

  test.each([
    ["2026-05-04T10:30:00Z", "2026-05-04T10:30:00Z"],
    ["2000-01-01T00:00:00Z", undefined],
    ["2000-01-01T00:00:00.000Z", undefined],
    [undefined, undefined],
  ])("that was last active %s says %s: the turn of the century stands for never", (wire, said) => {
    expect(endpoint({ last_active: wire }).lastActive).toBe(said);
  });

  test.each([
    [{ autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 }, 2],
    [{ autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2 }, undefined],
    [{}, undefined],
  ])("of the limits %j has the size %s", (limits, size) => {
    expect(endpoint(limits).size).toBe(size);
  });

  test("has settings in a program's words, and none where none are set", () => {
    const settings = { pg_settings: { work_mem: "64MB" }, preload_libraries: { use_defaults: true } };
    expect(endpoint({ settings }).settings).toEqual({
      pgSettings: { work_mem: "64MB" },
      preloadLibraries: { useDefaults: true },
    });
    expect(endpoint({ settings: { pg_settings: {} } }).settings).toEqual({});
    expect(endpoint().settings).toEqual({});
  });

  test("of which the service says nothing but the id is still one, without undefined fields", () => {
    expect(endpoint()).toEqual({ projectId: P, id: "ep-a", disabled: false, settings: {} });
    expect(Object.values(endpoint())).not.toContain(undefined);
  });
});

describe("an operation", () => {
  test.each([
    ["finished", "OK"],
    ["skipped", "OK"],
    ["scheduling", "Scheduling"],
    ["running", "In progress"],
    ["cancelling", "In progress"],
    ["failed", "Error"],
    ["error", "Error"],
    ["cancelled", "Error"],
    ["hibernating", undefined],
  ])("%s is %s on the console", (status, label) => {
    expect(operation({ status })).toMatchObject({ status });
    expect(operation({ status }).label).toBe(label);
  });

  const times = { created_at: "2026-05-04T10:30:00Z", updated_at: "2026-05-04T10:30:07Z" };
  test.each<[object, number | undefined]>([
    [{ status: "finished", total_duration_ms: 6543, ...times }, 6543],
    [{ status: "finished", total_duration_ms: 0, ...times }, 0],
    [{ status: "running", total_duration_ms: 12, ...times }, 12],
    [{ status: "finished", ...times }, 7000],
    [{ status: "failed", ...times }, 7000],
    [{ status: "running", ...times }, undefined],
    [{ status: "finished" }, undefined],
    [{ status: "finished", created_at: "?", updated_at: "?" }, undefined],
    [{ status: "finished", created_at: times.updated_at, updated_at: times.created_at }, undefined],
  ])("%j took %s ms", (fields, ms) => {
    expect(operation(fields).durationMs).toBe(ms);
  });

  test("that failed tells why, how often, and whether it is tried again", () => {
    const { operation: wire } = recorded("14-operation-failed.json");
    expect(operationInfo(WireOperation.parse(wire), P)).toMatchObject({
      id: wire.id,
      endpointId: wire.endpoint_id,
      branchId: wire.branch_id,
      action: wire.action,
      label: "Error",
      error: wire.error,
      failuresCount: wire.failures_count,
    });
    expect(operation({ retry_at: "2026-05-04T10:30:00Z" }).retryAt).toBe("2026-05-04T10:30:00Z");
  });

  test("of which the service says nothing but the id is still one", () => {
    expect(operation()).toEqual({ id: "0f5a", projectId: P, action: "unknown", status: "unknown", failuresCount: 0 });
  });
});
