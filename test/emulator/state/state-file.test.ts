import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEmulator, SEED, startEmulator, type World } from "../../../emulator/index.js";
import { StateWriter } from "../../../emulator/state/state-file.js";
import { type Body, ENDPOINTS, emulator, KEY, PRIMARY } from "../support.js";

let folder: string;
let state: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "compute-endpoint-state-"));
  state = join(folder, "world.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const onDisk = (): Body => JSON.parse(readFileSync(state, "utf8"));
const replica = { endpoint: { branch_id: SEED.branches.main, type: "read_only" } };

describe("a kept world", () => {
  test("is on the disk before the answer is there, and there again in the next process", async () => {
    const first = emulator({ state });
    const { id } = (await first.call("POST", ENDPOINTS, replica)).body.endpoint;
    expect(onDisk().world.endpoints[id]).toMatchObject({ pending_state: "active" });
    first.settle();
    await first.call("GET", PRIMARY);
    expect(onDisk().world.endpoints[id]).not.toHaveProperty("pending_state");

    const second = emulator({ state, startMs: first.time.now() });
    expect(second.running.world).toEqual(first.running.world);
    await second.call("DELETE", `${ENDPOINTS}/${id}`);
    expect(Object.keys(onDisk().world.endpoints)).toEqual([SEED.primaryId]);
  });

  test("also has what the control routes changed", async () => {
    const { control } = emulator({ state });
    await control("POST", `/endpoints/${SEED.primaryId}`, { name: "theirs" });
    expect(onDisk().world.endpoints[SEED.primaryId].name).toBe("theirs");
    await control("PUT", "/world", { projects: {}, branches: {}, endpoints: {} });
    expect(onDisk().world.endpoints).toEqual({});
  });

  test("also has what was done before the answer was spoilt", async () => {
    const { call, running } = emulator({ state });
    running.faults.add({ match: { method: "PATCH" }, then: { cut: true, work: true } });
    expect((await call("PATCH", PRIMARY, { endpoint: { name: "x" } })).status).toBe("cut");
    expect(onDisk().world.endpoints[SEED.primaryId].name).toBe("x");
  });

  test("also has what was done in this process", async () => {
    const { running, call } = emulator({ state });
    const kept = async () => {
      await call("GET", PRIMARY);
      return onDisk();
    };
    await kept();
    running.clock.run("virtual");
    expect((await kept()).clock.mode).toBe("virtual");
    running.clock.advance(5);
    expect((await kept()).clock.now).toBe(running.clock.now());
    running.faults.add({ operation: { action: "check_availability", then: "never" } });
    running.startOperation({ endpointId: SEED.primaryId });
    expect((await kept()).world.operations).toMatchObject([{ plan: { end: "never" } }]);
    running.faults.clear();
    expect((await kept()).world.operations).toMatchObject([{ plan: { end: "finished" } }]);
    running.world.endpoints[SEED.primaryId]!.name = "in this process";
    expect((await kept()).world.endpoints[SEED.primaryId].name).toBe("in this process");
  });

  test("is not written anew for who only looks", async () => {
    const { call, control, settle } = emulator({ state });
    await call("GET", PRIMARY);
    writeFileSync(state, "untouched");
    for (const path of [PRIMARY, ENDPOINTS, "/projects"]) await call("GET", path);
    await control("GET", "/world");
    expect(readFileSync(state, "utf8")).toBe("untouched");
    await call("POST", `${PRIMARY}/restart`);
    writeFileSync(state, "untouched");
    await call("GET", PRIMARY);
    expect(readFileSync(state, "utf8")).toBe("untouched");
    settle();
    await call("GET", PRIMARY);
    expect(onDisk().world.operations).toHaveLength(2);
  });

  test("has, for who looks while it is written, what that one saw", async () => {
    const { call } = emulator({ state });
    await call("GET", PRIMARY);
    const change = call("PATCH", PRIMARY, { endpoint: { name: "x" } });
    const { body } = await call("GET", PRIMARY);
    expect([body.endpoint.name, onDisk().world.endpoints[SEED.primaryId].name]).toEqual(["x", "x"]);
    await change;
  });

  test("that could not be written: who looks while it is written learns it too", async () => {
    const { call } = emulator({ state });
    await call("GET", PRIMARY);
    rmSync(folder, { recursive: true });
    const change = call("PATCH", PRIMARY, { endpoint: { name: "x" } });
    // The write has begun.
    for (let i = 0; i < 10; i++) await Promise.resolve();
    const look = call("GET", PRIMARY);
    const statuses = async () => (await Promise.all([change, look])).map(({ status }) => status);
    expect(await statuses()).toEqual([500, 500]);
    mkdirSync(folder);
    expect((await call("GET", PRIMARY)).status).toBe(200);
    expect(onDisk().world.endpoints[SEED.primaryId].name).toBe("x");
  });

  test("goes on: what was under way ends at its time", async () => {
    const first = emulator({ state });
    await first.call("POST", `${PRIMARY}/restart`);
    const second = emulator({ state, startMs: first.time.now() + 600 });
    expect(second.running.world.operations.map((one) => one.status)).toEqual(["finished", "running"]);
    second.settle();
    expect(second.running.world.operations.map((one) => one.status)).toEqual(["finished", "finished"]);
  });

  test("comes with its key: the one made up, or the last one given", async () => {
    const ask = async (options: object) => {
      const running = createEmulator({ state, ...options });
      await running.handle({ method: "GET", path: "/_emulator/time", headers: {} });
      return running.apiKey;
    };
    const made = await ask({});
    expect(made).toMatch(/^key_\w{12}$/);
    expect(await ask({})).toBe(made);
    expect(await ask({ apiKey: "mine" })).toBe("mine");
    expect(await ask({})).toBe("mine");
  });

  test("comes with its clock: as far ahead as it was, or standing where it stood", async () => {
    const first = emulator({ state, startMs: 1_800_000_000_000 });
    await first.control("POST", "/time", { advanceMs: 5000 });
    const second = emulator({ state, startMs: 1_800_000_001_000 });
    expect((await second.control("GET", "/time")).body).toMatchObject({ mode: "real", nowMs: 1_800_000_006_000 });
    await second.control("POST", "/time", { mode: "virtual" });
    const third = emulator({ state, startMs: 1_900_000_000_000 });
    expect((await third.control("GET", "/time")).body).toMatchObject({ mode: "virtual", nowMs: 1_800_000_006_000 });
  });

  test("leaves the clock to who says what it shall do", async () => {
    const ask = async (time?: "real" | "virtual") => {
      const running = createEmulator({ state, ...(time ? { time } : {}) });
      await running.handle({ method: "GET", path: "/_emulator/time", headers: {} });
      return running.clock.mode;
    };
    expect([await ask(), await ask("virtual"), await ask(), await ask("real"), await ask()]).toEqual([
      "real",
      "virtual",
      "virtual",
      "real",
      "real",
    ]);
  });

  test("is written aside and for the owner only; what an interrupted write left is not read, and goes", async () => {
    await emulator({ state }).call("GET", PRIMARY);
    expect(statSync(state).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["world.json"]);
    const { time } = emulator({ state });
    time.advance(1);
    writeFileSync(`${state}.${"0123456789ab".repeat(2)}.new`, '{"format":1,"world":{"proj');
    const { call, primary } = emulator({ state });
    expect(primary().id).toBe(SEED.primaryId);
    await call("PATCH", PRIMARY, { endpoint: { name: "x" } });
    expect(readdirSync(folder)).toEqual(["world.json"]);
  });

  test("is there from the start of a server, with its key", async () => {
    const running = await startEmulator({ state });
    expect(onDisk()).toMatchObject({ format: 1, apiKey: running.apiKey, clock: { mode: "real", aheadMs: 0 } });
    running.world.endpoints[SEED.primaryId]!.name = "in this process";
    await running.close();
    expect(onDisk().world.endpoints[SEED.primaryId].name).toBe("in this process");
  });

  test("that can't be written is told to the client, and tried again with the next request", async () => {
    const { call, primary } = emulator({ state });
    rmSync(folder, { recursive: true });
    const reply = await call("PATCH", PRIMARY, { endpoint: { name: "x" } });
    expect([reply.status, reply.body.message]).toEqual([
      500,
      expect.stringMatching(/^the emulator could not keep its state: ENOENT/),
    ]);
    expect((await call("GET", PRIMARY)).status).toBe(500);
    mkdirSync(folder);
    expect((await call("GET", PRIMARY)).status).toBe(200);
    expect(onDisk().world.endpoints[SEED.primaryId].name).toBe(primary().name);
  });

  test("that can't be written at all is an error of the start", async () => {
    await expect(startEmulator({ state: join(folder, "none", "world.json") })).rejects.toThrow("ENOENT");
  });
});

describe("a file that is kept by one emulator", () => {
  const dead = () => spawnSync(process.execPath, ["--version"]).pid;

  test("is refused to another, until that one is closed", async () => {
    const first = await startEmulator({ state });
    await expect(startEmulator({ state })).rejects.toThrow(
      `the state in ${state} is kept by another emulator (process ${process.pid}): give each a file of its own`,
    );
    await first.close();
    await (await startEmulator({ state })).close();
    expect(readdirSync(folder)).toEqual(["world.json"]);
  });

  test.each([
    ["is free when that process was killed", dead, true],
    ["is not while it lives", () => process.ppid, false],
    ["is free where only a number was left that is now this process's", () => process.pid, true],
    ["is free beside a note that names no process", () => "-1", true],
  ])("%s", async (_rule, pid, isFree) => {
    writeFileSync(`${state}.pid`, String(pid()));
    const started = startEmulator({ state });
    if (isFree) await (await started).close();
    else await expect(started).rejects.toThrow(/is kept by another emulator \(process \d+\)/);
  });

  test("is not even read by another: what it holds may change until that one is closed", async () => {
    writeFileSync(state, "{");
    writeFileSync(`${state}.pid`, String(process.ppid));
    await expect(startEmulator({ state })).rejects.toThrow(/is kept by another emulator/);
  });

  test("is free after a start that failed", async () => {
    const other = await startEmulator();
    const port = Number(new URL(other.url).port);
    await expect(startEmulator({ state, port })).rejects.toThrow("EADDRINUSE");
    await other.close();
    await (await startEmulator({ state })).close();
  });
});

describe("writes", () => {
  const kept = () => {
    const world: World = { projects: {}, branches: {}, endpoints: {}, operations: [], last_operation_us: 0 };
    let writes = 0;
    const store = new StateWriter(state, () => {
      writes += 1;
      return { apiKey: KEY, clock: { mode: "real", aheadMs: 0 }, world };
    });
    return { world, store, writes: () => writes };
  };

  test("that come together are one; those that come while it runs are the next one", async () => {
    const { store, writes } = kept();
    await Promise.all([store.save(), store.save(), store.save()]);
    expect(writes()).toBe(1);
    const first = store.save();
    await Promise.resolve();
    const more = [store.save(), store.save()];
    await Promise.all([first, ...more]);
    expect(writes()).toBe(3);
  });

  test("have each change that was made before they were asked for", async () => {
    const { store, world } = kept();
    const saves = [];
    for (let n = 1; n <= 50; n += 1) {
      world.last_operation_us = n;
      saves.push(store.save().then(() => expect(onDisk().world.last_operation_us).toBeGreaterThanOrEqual(n)));
      if (n % 7 === 0) await new Promise(setImmediate);
    }
    await Promise.all(saves);
    expect(onDisk().world.last_operation_us).toBe(50);
  });

  test("leave a file alone that is as it should be", async () => {
    const { store } = kept();
    await store.save();
    const before = statSync(state);
    await store.save();
    expect(statSync(state).ino).toBe(before.ino);
  });
});
