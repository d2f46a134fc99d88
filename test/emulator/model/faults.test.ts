import { describe, expect, test } from "vitest";
import type { FaultRule } from "../../../emulator/index.js";
import { SEED } from "../../../emulator/index.js";
import { actions, ENDPOINTS, emulator, OPERATION_MS, PRIMARY, PROJECT, statuses } from "../support.js";

const rename = { endpoint: { name: "renamed" } };
const restart = `${PRIMARY}/restart`;

function spoilt(...rules: FaultRule[]) {
  const emulated = emulator();
  for (const rule of rules) emulated.running.faults.add(rule);
  return emulated;
}

describe("a spoilt answer", () => {
  test.each<[string, Extract<FaultRule, { match: unknown }>["then"], number | "cut", boolean]>([
    ["a status", { status: 503 }, 503, false],
    ["a status after the work", { status: 500, work: true }, 500, true],
    ["a status without the work", { status: 500, work: false }, 500, false],
    ["a success that did nothing", { status: 200, body: {} }, 200, false],
    ["a cut", { cut: true }, "cut", false],
    ["a cut after the work", { cut: true, work: true }, "cut", true],
    ["a delay", { delayMs: 5000 }, 200, true],
    ["a delay, then a cut after the work", { delayMs: 5000, cut: true, work: true }, "cut", true],
    ["a header", { headers: { "x-more": "1" } }, 200, true],
  ])("by %s", async (_what, then, status, worked) => {
    const emulated = spoilt({ match: { method: "PATCH", path: ENDPOINTS }, then });
    const reply = await emulated.call("PATCH", PRIMARY, rename);
    expect(reply.status).toBe(status);
    expect(emulated.primary().name).toBe(worked ? "renamed" : undefined);
    expect(emulated.running.requests.at(-1)).toMatchObject({ method: "PATCH", status });
  });

  test("after the work is spoilt once: the next answer is honest", async () => {
    const emulated = spoilt({ match: {}, then: { status: 502 } });
    expect((await emulated.call("GET", PRIMARY)).status).toBe(502);
    expect((await emulated.call("GET", PRIMARY)).status).toBe(200);
  });

  test("comes as often as the rule says, and rules take their turns in order", async () => {
    const emulated = spoilt(
      { match: { method: "get" }, times: 2, then: { status: 502 } },
      { match: {}, then: { status: 503 } },
    );
    const seen = [];
    for (let count = 0; count < 4; count += 1) seen.push((await emulated.call("GET", PRIMARY)).status);
    expect(seen).toEqual([502, 502, 503, 200]);
  });

  test.each<[string | undefined, string, boolean]>([
    [undefined, PRIMARY, true],
    [PROJECT, PRIMARY, true],
    [ENDPOINTS, PRIMARY, true],
    [`${PRIMARY}/restart`, PRIMARY, false],
    ["/projects/*/endpoints", ENDPOINTS, true],
    ["/projects/*/endpoints", PRIMARY, false],
    ["/projects/*/endpoints/*", PRIMARY, true],
    ["/projects/*", PRIMARY, false],
    ["/projects/**", PRIMARY, true],
    ["**/endpoints/*", PRIMARY, true],
    ["/projects.*", PRIMARY, false],
    ["/projects/*/end*ts/ep-*", PRIMARY, true],
    ["*", PRIMARY, false],
    ["**", PRIMARY, true],
    ["/**/**/ep-*", PRIMARY, true],
    // Would be tried in every way there is by a pattern that goes back.
    [`${"**a".repeat(10)}!`, PRIMARY, false],
  ])("for the path %s, at %s: %s", async (path, asked, fits) => {
    const emulated = spoilt({ match: path === undefined ? {} : { path }, then: { status: 502 } });
    expect((await emulated.call("GET", `${asked}?limit=1`)).status === 502).toBe(fits);
  });

  test("has a text as it is, as a page", async () => {
    const emulated = spoilt({ match: {}, then: { status: 524, body: "<html>a timeout occurred</html>" } });
    const reply = await emulated.call("GET", PRIMARY);
    expect([reply.status, reply.text, reply.headers["content-type"]]).toEqual([
      524,
      "<html>a timeout occurred</html>",
      "text/html; charset=utf-8",
    ]);
  });

  test("has anything else as JSON, and the rule's headers over ours", async () => {
    const headers = { "Content-Type": "application/problem+json", "Retry-After": "7" };
    const emulated = spoilt({ match: {}, then: { status: 429, body: { code: "X" }, headers } });
    const reply = await emulated.call("GET", PRIMARY);
    expect(reply.text).toBe('{"code":"X"}');
    expect(reply.headers).toMatchObject({ "content-type": "application/problem+json", "retry-after": "7" });
  });

  test("without a body has an error body like the service's", async () => {
    const emulated = spoilt({ match: {}, then: { status: 503 } });
    const reply = await emulated.call("GET", PRIMARY, undefined, { "X-Request-ID": "mine" });
    expect(reply.body).toEqual({ request_id: "mine", code: "", message: "scripted fault" });
  });

  test("comes before the key is looked at, as from a proxy", async () => {
    const { raw } = spoilt({ match: {}, then: { status: 502, body: "bad gateway" } });
    expect((await raw("GET", `/api/v2${PRIMARY}`)).status).toBe(502);
  });

  test("with a delay is done before the wait", async () => {
    const emulated = spoilt({ match: { method: "POST" }, then: { delayMs: 10_000 } });
    const start = emulated.time.now();
    const reply = await emulated.call("POST", restart);
    expect(emulated.time.now()).toBe(start + 10_000);
    expect(await statuses(emulated, reply)).toEqual(["finished", "finished"]);
  });
});

describe("a spoilt operation", () => {
  test.each([
    ["failed", "start_compute", { failures_count: 1, error: "compute did not become ready in time" }],
    ["error", "start_compute", { failures_count: 1, error: "compute did not become ready in time" }],
    ["cancelled", "start_compute", { failures_count: 0 }],
    ["failed", "apply_config", { failures_count: 1, error: "configuration could not be applied" }],
  ] as const)("ends as %s: %s", async (word, action, fields) => {
    const emulated = spoilt({ operation: { action, then: word } });
    const path = action === "start_compute" ? ENDPOINTS : PRIMARY;
    const body =
      action === "start_compute" ? { endpoint: { branch_id: SEED.branches.main, type: "read_only" } } : rename;
    const reply = await emulated.call(action === "start_compute" ? "POST" : "PATCH", path, body);
    expect(actions(reply)).toEqual([[action, "running"]]);
    emulated.settle();
    const { operation } = (await emulated.call("GET", `${PROJECT}/operations/${reply.body.operations[0].id}`)).body;
    expect(operation).toMatchObject({ status: word, ...fields });
    expect("retry_at" in operation).toBe(word === "failed");
    expect("error" in operation).toBe(word !== "cancelled");
  });

  test("of a create leaves the compute there, not started, and the project free", async () => {
    const emulated = spoilt({ operation: { action: "start_compute", then: "failed" } });
    const endpoint = { branch_id: SEED.branches.dev, type: "read_write" };
    const { id } = (await emulated.call("POST", ENDPOINTS, { endpoint })).body.endpoint;
    emulated.settle();
    const left = await emulated.endpoint(id);
    expect(left.current_state).toBe("init");
    expect(left).not.toHaveProperty("pending_state");
    await emulated.call("POST", `${ENDPOINTS}/${id}/start`);
    emulated.settle();
    expect((await emulated.endpoint(id)).current_state).toBe("active");
  });

  test("of an update leaves the new values, and the compute not restarted", async () => {
    const emulated = spoilt({ operation: { action: "apply_config", then: "error" } });
    const before = await emulated.endpoint();
    await emulated.call("PATCH", PRIMARY, { endpoint: { autoscaling_limit_max_cu: 1 } });
    emulated.settle();
    expect(await emulated.endpoint()).toMatchObject({
      autoscaling_limit_max_cu: 1,
      started_at: before.started_at,
      current_state: "active",
    });
  });

  test("takes what waits behind it along", async () => {
    const emulated = spoilt({ operation: { action: "suspend_compute", then: "failed" } });
    const reply = await emulated.call("POST", restart);
    emulated.settle();
    expect(await statuses(emulated, reply)).toEqual(["failed", "cancelled"]);
    expect((await emulated.call("POST", restart)).status).toBe(200);
  });

  test("takes along what waits for what waits, each compute out of its pending state", async () => {
    const emulated = spoilt({ operation: { action: "create_branch", then: "error" } });
    const reply = await emulated.call("POST", `${PROJECT}/branches`, { endpoints: [{ type: "read_write" }] });
    const { operations } = emulated.running.world;
    operations.push({ ...operations[1]!, id: "third", plan: { ...operations[1]!.plan, after: [operations[1]!.id] } });
    emulated.settle();
    expect(emulated.running.world.operations.map((one) => one.status)).toEqual(["error", "cancelled", "cancelled"]);
    expect(new Set(emulated.running.world.operations.map((one) => one.updated_at)).size).toBe(1);
    expect(await emulated.endpoint(reply.body.endpoints[0].id)).not.toHaveProperty("pending_state");
  });

  test("holds up what waits for it, whatever else has ended", async () => {
    const emulated = emulator();
    for (const type of ["read_write", "read_only"]) {
      await emulated.call("POST", ENDPOINTS, { endpoint: { branch_id: SEED.branches.dev, type } });
      emulated.settle();
    }
    emulated.running.faults.add({ operation: { action: "suspend_compute", then: "never" } });
    const reply = await emulated.call("DELETE", `${PROJECT}/branches/${SEED.branches.dev}`);
    emulated.settle();
    expect(await statuses(emulated, reply)).toEqual(["running", "finished", "scheduling"]);
    emulated.running.faults.clear();
    emulated.settle();
    expect(await statuses(emulated, reply)).toEqual(["finished", "finished", "finished"]);
  });

  test("is counted by action, from the moment of the rule", async () => {
    const emulated = emulator();
    const before = await emulated.call("POST", restart);
    emulated.running.faults.add({ operation: { action: "start_compute", times: 2, then: "failed" } });
    emulated.settle();
    expect(await statuses(emulated, before)).toEqual(["finished", "finished"]);
    const ends = [];
    for (let count = 0; count < 3; count += 1) {
      const reply = await emulated.call("POST", `${PRIMARY}/${count === 0 ? "restart" : "start"}`);
      emulated.settle();
      ends.push((await statuses(emulated, reply)).at(-1));
    }
    expect(ends).toEqual(["failed", "failed", "finished"]);
  });

  test("that never ends runs until the rules are cleared, then ends well", async () => {
    const emulated = spoilt({ operation: { action: "apply_config", then: "never" } });
    const reply = await emulated.call("PATCH", PRIMARY, rename);
    emulated.time.advance(250_000);
    expect(await statuses(emulated, reply)).toEqual(["running"]);
    expect((await emulated.call("POST", restart)).status).toBe(423);
    emulated.running.faults.clear();
    expect(await statuses(emulated, reply)).toEqual(["finished"]);
    expect(Date.parse(emulated.running.world.operations[0]!.updated_at)).toBe(emulated.time.now());
    expect((await emulated.call("POST", restart)).status).toBe(200);
  });

  test("that never ends, cleared early, still takes its time", async () => {
    const emulated = spoilt({ operation: { action: "apply_config", then: "never" } });
    const reply = await emulated.call("PATCH", PRIMARY, rename);
    emulated.running.faults.clear();
    expect(await statuses(emulated, reply)).toEqual(["running"]);
    emulated.time.advance(OPERATION_MS);
    expect(await statuses(emulated, reply)).toEqual(["finished"]);
  });
});

test("clearing drops rules that were not used up", async () => {
  const emulated = spoilt({ match: {}, times: 9, then: { status: 500 } });
  emulated.running.faults.clear();
  expect((await emulated.call("GET", PRIMARY)).status).toBe(200);
});
