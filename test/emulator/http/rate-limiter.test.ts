import { describe, expect, test } from "vitest";
import { type EmulatorOptions, SEED } from "../../../emulator/index.js";
import { type Body, ENDPOINTS, emulator, KEY, PRIMARY, PROJECT } from "../support.js";

const OPERATIONS = `${PROJECT}/operations`;
type Emulated = ReturnType<typeof emulator>;
type Reply = Awaited<ReturnType<Emulated["call"]>>;

const often = async ({ call }: Emulated, count: number, path = ENDPOINTS): Promise<Reply[]> => {
  const replies = [];
  for (let turn = 0; turn < count; turn += 1) replies.push(await call("GET", path));
  return replies;
};
const statuses = (replies: Reply[]) => replies.map((one) => one.status);

describe("requests beyond the limit are 429", () => {
  test("within any minute", async () => {
    const emulated = emulator({ rateLimit: { perMinute: 3 } });
    expect(statuses(await often(emulated, 2))).toEqual([200, 200]);
    emulated.time.advance(30_000);
    expect(statuses(await often(emulated, 2))).toEqual([200, 429]);
    emulated.time.advance(29_999);
    expect(statuses(await often(emulated, 1))).toEqual([429]);
    emulated.time.advance(1);
    expect(statuses(await often(emulated, 3))).toEqual([200, 200, 429]);
    emulated.time.advance(30_000);
    expect(statuses(await often(emulated, 2))).toEqual([200, 429]);
  });

  test("within any second on one route, whatever is in its path", async () => {
    const emulated = emulator({ rateLimit: { perRouteAndSecond: 2 } });
    expect(statuses(await often(emulated, 2))).toEqual([200, 200]);
    const second = SEED.second.projectId;
    expect(statuses(await often(emulated, 1, `/projects/${second}/endpoints`))).toEqual([429]);
    expect(statuses(await often(emulated, 2, `${OPERATIONS}?limit=1`))).toEqual([200, 200]);
    const create = { endpoint: { branch_id: SEED.branches.main, type: "read_only" } };
    expect((await emulated.call("POST", ENDPOINTS, create)).status).toBe(201);
    emulated.time.advance(1000);
    expect(statuses(await often(emulated, 2))).toEqual([200, 200]);
  });

  test("at the public numbers where they are asked for", async () => {
    const emulated = emulator({ rateLimit: "public" });
    expect(statuses(await often(emulated, 41)).lastIndexOf(200)).toBe(39);
    let taken = 40;
    for (let second = 0; second < 20; second += 1) {
      emulated.time.advance(1000);
      taken += statuses(await often(emulated, 40)).filter((status) => status === 200).length;
    }
    expect(taken).toBe(700);
  });

  test("never, unless a limit is asked for", async () => {
    expect(new Set(statuses(await often(emulator(), 1000)))).toEqual(new Set([200]));
  });

  test("and do nothing", async () => {
    const emulated = emulator({ rateLimit: { perMinute: 1 } });
    await emulated.call("GET", PROJECT);
    const reply = await emulated.call("PATCH", PRIMARY, { endpoint: { name: "x" } });
    expect(reply.body).toMatchObject({ code: "", message: "rate limit exceeded" });
    expect(emulated.primary()).not.toHaveProperty("name");
  });

  test("over all keys together; what has no key does not count, nor do the control routes", async () => {
    const emulated = emulator({ rateLimit: { perMinute: 2 }, keys: [{ key: "other" }] });
    for (let turn = 0; turn < 5; turn += 1) await emulated.raw("GET", `/api/v2${PROJECT}`);
    for (let turn = 0; turn < 5; turn += 1) await emulated.control("GET", "/world");
    const as = async (key: string) =>
      (await emulated.raw("GET", `/api/v2${PROJECT}`, undefined, { authorization: `Bearer ${key}` })).status;
    expect([await as(KEY), await as("other"), await as(KEY), await as("other")]).toEqual([200, 200, 429, 429]);
  });
});

describe("Retry-After", () => {
  const limited = async (retryAfter: EmulatorOptions["retryAfter"], sinceMs: number) => {
    const emulated = emulator({ rateLimit: { perMinute: 1 }, ...(retryAfter ? { retryAfter } : {}) });
    await often(emulated, 1);
    emulated.time.advance(sinceMs);
    return (await often(emulated, 1))[0]!.headers["retry-after"];
  };
  test.each<[EmulatorOptions["retryAfter"], number, string | undefined]>([
    [undefined, 0, undefined],
    ["none", 0, undefined],
    ["seconds", 0, "60"],
    ["seconds", 500, "60"],
    ["seconds", 59_500, "1"],
    ["date", 0, "Mon, 04 May 2026 09:01:00 GMT"],
    ["date", 500, "Mon, 04 May 2026 09:01:01 GMT"],
  ])("as %s, %i ms after the request that used up the limit: %s", async (retryAfter, sinceMs, header) => {
    expect(await limited(retryAfter, sinceMs)).toBe(header);
  });

  test.each<[string, string, Body, number, string]>([
    ["the project's lock", ENDPOINTS, { endpoint: { branch_id: SEED.branches.main, type: "read_only" } }, 0, "16"],
    ["its last moment", ENDPOINTS, { endpoint: { branch_id: SEED.branches.main, type: "read_only" } }, 15_900, "1"],
    ["a compute between two states", `${PRIMARY}/suspend`, undefined, 10_000, "6"],
  ])("with 423 tells how long %s lasts", async (_what, path, body, sinceMs, header) => {
    const emulated = emulator({ retryAfter: "seconds", operationMs: 8000 });
    await emulated.call("POST", `${PRIMARY}/restart`);
    emulated.time.advance(sinceMs);
    const reply = await emulated.call("POST", path, body);
    expect([reply.status, reply.headers["retry-after"]]).toEqual([423, header]);
  });

  test("with a lock of which nobody knows the end is a second", async () => {
    const emulated = emulator({ retryAfter: "seconds" });
    emulated.running.faults.add({ operation: { action: "apply_config", then: "never" } });
    await emulated.call("PATCH", PRIMARY, { endpoint: { name: "x" } });
    emulated.time.advance(100_000);
    expect((await emulated.call("POST", `${PRIMARY}/suspend`)).headers["retry-after"]).toBe("1");
  });

  test.each<[string, string, string]>([
    ["404", "GET", `${ENDPOINTS}/ep-none`],
    ["412", "POST", `${PRIMARY}/restart`],
  ])("does not come with %s", async (_status, method, path) => {
    const emulated = emulator({ retryAfter: "seconds" });
    emulated.primary().current_state = "idle";
    expect((await emulated.call(method, path)).headers).not.toHaveProperty("retry-after");
  });
});
