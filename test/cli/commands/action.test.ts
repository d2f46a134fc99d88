import { describe, expect, test } from "vitest";
import { actionCommand } from "../../../cli/commands/action.js";
import type { ActionName } from "../../../provider/endpoint/action.js";
import { Desk, type DeskOptions, PLACE, PROJECT, RESTART, SEED, writes } from "../support.js";

const COMMANDS = {
  restart: actionCommand("restart"),
  start: actionCommand("start"),
  suspend: actionCommand("suspend"),
};
const ID = SEED.primaryId;

/** A desk whose primary is in this state, and has been for some minutes. */
const desk = async (state: "active" | "idle" | "disabled", options: DeskOptions = {}) => {
  const made = new Desk({ operationMs: 4000, ...options });
  await made.clock.advance(120_000);
  if (state !== "active") Object.assign(made.primary, { current_state: "idle", disabled: state === "disabled" });
  return made;
};

describe("what a command does depends on how the compute is", () => {
  test.each<[ActionName, "active" | "idle" | "disabled", string[], string]>([
    ["restart", "active", ["restart"], `compute ${ID} is active\n`],
    ["restart", "idle", [], `compute ${ID} is idle: nothing to restart\n`],
    ["restart", "disabled", [], `compute ${ID} is disabled (idle): nothing to restart\n`],
    ["start", "idle", ["start"], `compute ${ID} is active\n`],
    ["start", "active", [], `compute ${ID} is active: nothing to do\n`],
    ["suspend", "active", ["suspend"], `compute ${ID} is idle\n`],
    ["suspend", "idle", [], `compute ${ID} is idle: nothing to do\n`],
    ["suspend", "disabled", [], `compute ${ID} is disabled (idle): nothing to do\n`],
  ])("%s of one that is %s", async (name, state, sent, stdout) => {
    const one = await desk(state);
    const ended = await one.run(COMMANDS[name], [PLACE]);
    expect([ended.code, writes(ended), ended.stdout]).toEqual([0, sent, stdout]);
    expect(one.primary.pending_state).toBeUndefined();
    expect(ended.stderr === "").toBe(sent.length === 0);
  });

  test("start of one that is disabled is refused by the service, in its words", async () => {
    const one = await desk("disabled");
    const ended = await one.run(COMMANDS.start, [PLACE]);
    expect([ended.code, ended.stdout]).toEqual([1, ""]);
    expect(ended.stderr).toMatch(/the service answered 4\d\d: .*disabled/);
  });

  test("one that is just being started is waited for", async () => {
    const one = await desk("idle");
    await one.run(COMMANDS.start, [PLACE, "--no-wait"]);
    const ended = await one.run(COMMANDS.start, [PLACE]);
    expect([ended.code, writes(ended), ended.stdout]).toEqual([0, [], `compute ${ID} is active\n`]);
    expect(ended.stderr).toBe(`compute ${ID} is still changing: start_compute\n`);
  });

  test("--no-wait returns when the service has accepted it", async () => {
    const one = await desk("active");
    const before = one.clock.now();
    const ended = await one.run(COMMANDS.restart, [PLACE, "--no-wait"]);
    expect([ended.code, one.clock.now() - before < 1000]).toEqual([0, true]);
    expect(ended.stdout).toBe(
      `compute ${ID} restarts: the service has accepted it; --no-wait does not wait for the end\n`,
    );
    expect(one.primary.pending_state).toBe("active");
  });
});

describe("--json", () => {
  test("the compute as it is afterwards, and the operations as they ended", async () => {
    const one = await desk("active");
    const { code, stdout, stderr } = await one.run(COMMANDS.restart, [PLACE, "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      action: "restart",
      sent: true,
      waited: true,
      endpoint: { id: ID, projectId: PROJECT, currentState: "active", host: one.primary.host },
      operations: [
        { action: "suspend_compute", status: "finished", label: "OK", durationMs: 4000 },
        { action: "start_compute", status: "finished", label: "OK" },
      ],
    });
    expect(stderr).toBe(`compute ${ID} restarts: suspend_compute, start_compute\n`);
  });

  test("nothing to do: said as a fact", async () => {
    const one = await desk("idle");
    const { stdout } = await one.run(COMMANDS.restart, [PLACE, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ sent: false, operations: [], endpoint: { currentState: "idle" } });
  });
});

describe("it waits and repeats as the provider does", () => {
  test("a busy project: 423 is waited out, and said after a while", async () => {
    const one = await desk("active", { operationMs: 40_000 });
    one.emulator.startOperation({ branchId: one.primary.branch_id, action: "apply_storage_config" });
    const ended = await one.run(COMMANDS.restart, [PLACE]);
    expect([ended.code, writes(ended)]).toEqual([0, ["restart"]]);
    expect(ended.stderr).toContain("is busy with apply_storage_config");
  });

  test.each<[ActionName, "active" | "idle"]>([
    ["restart", "active"],
    ["start", "idle"],
    ["suspend", "active"],
  ])("%s: an answer that is lost after the work is not repeated, one before the work is", async (name, state) => {
    for (const work of [true, false]) {
      const one = await desk(state);
      one.emulator.faults.add({
        match: { ...RESTART, path: RESTART.path.replace("restart", name) },
        then: { status: 502, work },
      });
      const ended = await one.run(COMMANDS[name], [PLACE]);
      expect([ended.code, writes(ended).length]).toEqual([0, work ? 1 : 2]);
      expect(one.primary.current_state).toBe(name === "suspend" ? "idle" : "active");
    }
  });

  test("somebody else restarts it just then: once is enough", async () => {
    const one: Desk = await desk("active", {
      between: async (request, go) => {
        if (request.url.endsWith("/restart")) await go({ ...request });
        return go(request);
      },
    });
    const ended = await one.run(COMMANDS.restart, [PLACE]);
    expect([ended.code, ended.stdout]).toEqual([0, `compute ${ID} is active\n`]);
    const { operations } = one.emulator.world;
    expect(operations.filter(({ action }) => action === "start_compute")).toHaveLength(1);
  });
});

describe("what goes wrong is 1, with how the compute is", () => {
  test("an operation fails", async () => {
    const one = await desk("active");
    one.emulator.faults.add({ operation: { action: "start_compute", then: "error" } });
    const ended = await one.run(COMMANDS.restart, [PLACE]);
    expect([ended.code, ended.stdout]).toEqual([1, ""]);
    expect(ended.stderr).toMatch(/start_compute of ep-\S+ failed: .*\(operation .*\)\. Compute ep-\S+ is idle\n$/);
  });

  test("time is up: what goes on, and how to see its end; nothing about Pulumi", async () => {
    const one = await desk("active", { operationMs: 600_000 });
    const ended = await one.run(COMMANDS.restart, [PLACE, "--timeout", "1m30s"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/not finished after 1 min 30 s: suspend_compute of ep-/);
    expect(ended.stderr).toContain(
      `\`compute-endpoint operations ${PLACE}\` shows how it ends; --timeout gives it more time`,
    );
    expect(ended.stderr).not.toMatch(/pulumi|customTimeouts/);
  });

  test.each(["20s", "300ms"])(
    "time of %s is up before a busy project took it: nothing was done, and with what it was busy",
    async (time) => {
      const one = await desk("active", { operationMs: 600_000 });
      await one.run(COMMANDS.suspend, [PLACE, "--no-wait"]);
      const ended = await one.run(COMMANDS.restart, [PLACE, "--timeout", time]);
      expect([ended.code, writes(ended)]).toEqual([1, []]);
      expect(ended.stderr).toContain(`answered 423: endpoint is in some transitive state, could not suspend`);
      expect(ended.stderr).toMatch(
        /\. Nothing was done: the project was busy with suspend_compute of ep-\S+ \(operation \S+, \S+ s old, status running\) until time was up\. `compute-endpoint operations quiet-\S+` shows how it goes on; --timeout gives it more time/,
      );
    },
  );

  test("what a project was busy with that shows no operations is not said", async () => {
    const one = await desk("active", { operationMs: 600_000 });
    one.emulator.startOperation({ branchId: one.primary.branch_id });
    one.emulator.faults.add({ match: { method: "GET", path: "**/operations" }, times: 99, then: { status: 403 } });
    const ended = await one.run(COMMANDS.suspend, [PLACE, "--timeout", "300ms"]);
    expect(ended.stderr).toContain(". Nothing was done: the project was busy until time was up. ");
  });

  test.each<[string, string, DeskOptions, RegExp]>([
    [
      "a compute that is not there",
      `${PROJECT}/ep-none`,
      {},
      /compute ep-none is not in project quiet-.*, which has ep-amber/,
    ],
    [
      "a project that is not there",
      "no-project/ep-none",
      {},
      /project no-project does not exist, or the key \(from COMPUTE_API_KEY/,
    ],
    [
      "a key that is refused",
      PLACE,
      { env: { COMPUTE_API_KEY: "wrong" } },
      /401: .*the key comes from COMPUTE_API_KEY/,
    ],
  ])("%s", async (_what, place, options, reason) => {
    const ended = await (await desk("active", options)).run(COMMANDS.restart, [place]);
    expect([ended.code, ended.stdout, writes(ended)]).toEqual([1, "", []]);
    expect(ended.stderr).toMatch(reason);
    expect(ended.stderr).not.toContain("key-of-the-desk");
  });

  test("a compute that is deleted meanwhile", async () => {
    const one: Desk = await desk("active", {
      between: (request, go) => {
        if (request.url.endsWith("/restart")) delete one.emulator.world.endpoints[ID];
        return go(request);
      },
    });
    const ended = await one.run(COMMANDS.restart, [PLACE]);
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining("any more: somebody deleted it")]);
  });
});

describe("bad usage is 2, and nothing is sent", () => {
  test.each<[string[], RegExp]>([
    [[], /^which one\? give PROJECT\/ENDPOINT/],
    [[PROJECT], /^which compute\? give PROJECT\/ENDPOINT; `compute-endpoint endpoints quiet-/],
    [[PLACE, PLACE], /^only one at a time/],
    [["ep-a/quiet-meadow"], /^ep-a is a compute, and its project comes first: give PROJECT\/ep-a/],
    [["ep-a"], /^ep-a is a compute, and its project comes first: give PROJECT\/ep-a/],
    [["br-a"], /^br-a is a branch: give PROJECT or PROJECT\/ENDPOINT/],
    [[`${PROJECT}/br-a`], /^br-a is a branch: /],
    [["a/b/c"], /is neither PROJECT nor PROJECT\/ENDPOINT/],
    [["../secrets/ep-a"], /is neither/],
    [["P/EP"], /is neither/],
    [[PLACE, "--timeout", "soon"], /^--timeout must be a time such as 90s/],
    [[PLACE, "--timeout", "0s"], /^--timeout/],
    [[PLACE, "--force"], /--force/],
  ])("%j", async (args, reason) => {
    const ended = await new Desk().run(COMMANDS.restart, args);
    expect([ended.code, ended.stdout, ended.sent]).toEqual([2, "", []]);
    expect(ended.stderr).toMatch(reason);
    expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test.each<[string, NodeJS.ProcessEnv, RegExp]>([
    ["no key", { COMPUTE_API_KEY: "", COMPUTE_API_URL: "" }, /^no API key: set COMPUTE_API_KEY/],
    ["a URL without a key", { COMPUTE_API_KEY: "" }, /COMPUTE_API_URL.* is set, but there is no key beside it/],
    [
      "a key beside another layer's URL",
      { COMPUTE_API_URL: "", NEON_API_HOST: "https://x.test/api/v2" },
      /must be set together/,
    ],
    ["a URL in clear", { COMPUTE_API_URL: "http://service.test/api/v2" }, /must begin with https/],
  ])("%s", async (_what, env, reason) => {
    const ended = await new Desk({ env }).run(COMMANDS.restart, [PLACE]);
    expect([ended.code, ended.sent]).toEqual([2, []]);
    expect(ended.stderr).toMatch(reason);
  });

  test("NEON_API_KEY and NEON_API_HOST are the pair behind", async () => {
    const made = await desk("active");
    const env = { COMPUTE_API_KEY: "", COMPUTE_API_URL: "", NEON_API_HOST: "https://service.test/api/v2" };
    const other = new Desk({ env: { ...env, NEON_API_KEY: "key-of-the-desk" } });
    expect((await other.run(COMMANDS.suspend, [PLACE, "--no-wait"])).code).toBe(0);
    expect(made.primary.current_state).toBe("active");
  });
});

describe("Ctrl-C says what goes on at the service", () => {
  test("before anything is sent", async () => {
    const one = await desk("active");
    expect(await one.interrupt(COMMANDS.restart, [PLACE], 10)).toBe("interrupted: nothing was sent");
    expect(one.tell).toBeUndefined();
  });

  test("while the request is on its way", async () => {
    const one = await desk("active");
    one.emulator.faults.add({ match: RESTART, then: { delayMs: 5000 } });
    expect(await one.interrupt(COMMANDS.restart, [PLACE], 2000)).toMatch(
      /^interrupted: the request may have reached the service; `compute-endpoint operations .*` shows/,
    );
  });

  test("while the service works", async () => {
    expect(await (await desk("active")).interrupt(COMMANDS.restart, [PLACE], 2000)).toMatch(
      /^interrupted: the service goes on with suspend_compute of ep-\S+ \(operation \S+\), start_compute of ep-\S+ \(operation \S+\); `compute-endpoint operations /,
    );
  });
});

test("--help tells the flags, the variables and the exit codes", async () => {
  const { code, stdout } = await new Desk().run(COMMANDS.suspend, ["--help"]);
  expect(code).toBe(0);
  for (const text of ["--no-wait", "--timeout", "--json", "COMPUTE_API_KEY", "NEON_API_HOST", "Exit codes: 0"]) {
    expect(stdout).toContain(text);
  }
});
