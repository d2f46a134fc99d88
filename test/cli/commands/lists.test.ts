import { describe, expect, test } from "vitest";
import { endpoints, operations } from "../../../cli/commands/lists.js";
import { isColoured, table } from "../../../cli/table.js";
import { Desk, PLACE, PROJECT, SEED } from "../support.js";

const ID = SEED.primaryId;

/** A desk with computes of all kinds beside its primary. */
function desk(terminal: boolean, env: NodeJS.ProcessEnv = {}): Desk {
  const made = new Desk({ terminal, env });
  const add = (id: string, fields: Partial<Desk["primary"]>) => {
    made.emulator.world.endpoints[id] = { ...structuredClone(made.primary), id, type: "read_only", ...fields };
  };
  add("ep-b", { name: "reports", autoscaling_limit_max_cu: 2, current_state: "idle", suspend_timeout_seconds: 600 });
  add("ep-c", { disabled: true, current_state: "idle", suspend_timeout_seconds: -1 });
  add("ep-d", { current_state: "active", pending_state: "idle" });
  return made;
}

describe("endpoints", () => {
  test("on a terminal: a table", async () => {
    const { code, stdout } = await desk(true, { NO_COLOR: "1" }).run(endpoints, [PROJECT]);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^ID +TYPE +BRANCH +STATE +SIZE +SUSPENDS +NAME +HOST$/);
    const type = lines[0]!.indexOf("TYPE");
    expect(lines.slice(1).map((line) => line.indexOf("read_"))).toEqual([type, type, type, type]);
    expect(lines[1]).toMatch(new RegExp(`^${ID} +read_write +br-\\S+ +active +0.25 CU +default +${ID}\\.`));
    expect(lines[2]).toMatch(/^ep-c .* disabled +0.25 CU +never /);
    expect(lines[3]).toMatch(/^ep-d .* active → idle /);
    expect(lines[4]).toMatch(/^ep-b +read_only +br-\S+ +idle +0.25 to 2 CU +10 min +reports +ep-/);
  });

  test("elsewhere: headings and all values between tabs", async () => {
    const { stdout } = await desk(false).run(endpoints, [PROJECT]);
    const rows = stdout.trimEnd().split("\n");
    expect(rows.map((row) => row.split("\t").length)).toEqual([8, 8, 8, 8, 8]);
    expect(rows[0]!.split("\t").slice(0, 2)).toEqual(["ID", "TYPE"]);
    expect(rows[1]!.split("\t").slice(0, 2)).toEqual([ID, "read_write"]);
  });

  test.each([true, false])("--no-headings leaves them out (a terminal: %s)", async (terminal) => {
    const { stdout } = await desk(terminal, { NO_COLOR: "1" }).run(endpoints, [PROJECT, "--no-headings"]);
    expect(stdout).toMatch(new RegExp(`^${ID}\\s`));
    expect(stdout.trimEnd().split("\n")).toHaveLength(4);
  });

  test("the primary comes first, then the replicas as people count", async () => {
    const made = new Desk();
    for (const name of ["reader-10", "reader-2", "reader-1"]) {
      const id = `ep-z-${name.at(-1)}${name.length}`;
      made.emulator.world.endpoints[id] = { ...structuredClone(made.primary), id, type: "read_only", name };
    }
    made.primary.name = "the-primary";
    const { stdout } = await made.run(endpoints, [PROJECT, "--json"]);
    const names = (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(["the-primary", "reader-1", "reader-2", "reader-10"]);
  });

  test("--json: what getEndpoint gives", async () => {
    const { stdout } = await desk(true).run(endpoints, [PROJECT, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([
      { id: ID, currentState: "active" },
      { id: "ep-c" },
      { id: "ep-d" },
      { id: "ep-b" },
    ]);
  });

  test("none: said beside an empty result", async () => {
    const none = await new Desk().run(endpoints, [SEED.second.projectId]);
    expect(none).toMatchObject({ code: 0, stdout: "", stderr: `project ${SEED.second.projectId} has no computes\n` });
    expect((await new Desk().run(endpoints, [SEED.second.projectId, "--json"])).stdout).toBe("[]\n");
  });

  test("one compute alone is bad usage", async () => {
    expect(await new Desk().run(endpoints, [PLACE])).toMatchObject({ code: 2, sent: [] });
  });
});

describe("names that deceive", () => {
  const odd = (terminal: boolean) => {
    const made = new Desk({ terminal, env: { NO_COLOR: "1" } });
    const name = "live\u202eeno.dlo\u202c\u200b ##vso[task.setvariable variable=a]b\u{e0041}\r\n::error::x";
    Object.assign(made.primary, { name });
    return { made, name };
  };
  const SHOWN =
    "live\\u{202e}eno.dlo\\u{202c}\\u{200b} #\\u{23}vso[task.setvariable variable=a]b\\u{e0041}\\r\\n::error::x";

  test.each([true, false])("are shown with their unseen characters as escapes (a terminal: %s)", async (terminal) => {
    const { stdout } = await odd(terminal).made.run(endpoints, [PROJECT]);
    expect(stdout).toContain(SHOWN);
    expect(stdout).not.toMatch(/^\s*::|(?!\n|\t)\p{Control}|\p{Format}/mu);
  });

  test("are the same values in JSON, and its text shows every character and is no command", async () => {
    const { made, name } = odd(false);
    // A name with a line break is none of the service's. It was shown as one line when it was read.
    const known = name.replace("\r\n", "");
    for (const [own, value] of [
      [known, known],
      [name, SHOWN.replace("\\u{23}", "#")],
    ]) {
      Object.assign(made.primary, { name: own });
      const { stdout } = await made.run(endpoints, [PROJECT, "--json"]);
      expect(JSON.parse(stdout)[0].name).toBe(value);
      expect(stdout).not.toMatch(/##|(?!\n)\p{Control}|\p{Format}/u);
    }
  });
});

describe("operations", () => {
  const busy = async () => {
    const one = desk(false);
    for (let count = 0; count < 250; count++) {
      one.emulator.startOperation({ endpointId: count % 10 === 0 ? "ep-b" : ID, action: "check_availability" });
      await one.clock.advance(1000);
    }
    return one;
  };

  test("the newest 20 of a project, in one request", async () => {
    const ended = await (await busy()).run(operations, [PROJECT]);
    const rows = ended.stdout
      .trimEnd()
      .split("\n")
      .map((row) => row.split("\t"));
    expect(rows.shift()!.slice(0, 3)).toEqual(["CREATED", "ACTION", "OF"]);
    expect([rows.length, ended.sent.length]).toEqual([20, 1]);
    const times = rows.map(([created]) => created!);
    expect(times).toEqual([...times].sort().reverse());
    expect(rows[0]!.slice(1, 5)).toEqual(["check_availability", ID, "OK (finished)", "0.5 s"]);
  });

  test("of one compute: pages are turned until there are enough", async () => {
    const ended = await (await busy()).run(operations, [`${PROJECT}/ep-b`, "--limit", "25", "--json"]);
    const rows = JSON.parse(ended.stdout) as { endpointId: string }[];
    expect([rows.length, new Set(rows.map((row) => row.endpointId))]).toEqual([25, new Set(["ep-b"])]);
    expect(ended.sent).toHaveLength(2);
  });

  test("of a compute that has none: says so", async () => {
    const ended = await (await busy()).run(operations, [`${PROJECT}/ep-c`]);
    expect(ended).toMatchObject({ code: 0, stdout: "", stderr: "no operations of ep-c\n" });
  });

  test.each(["0", "-1", "x", "1.5"])("--limit %s is bad usage", async (limit) => {
    expect(await new Desk().run(operations, [PROJECT, `--limit=${limit}`])).toMatchObject({ code: 2, sent: [] });
  });

  test("what the service says of a failure can't write on the terminal", async () => {
    const one = new Desk({ terminal: true });
    one.emulator.startOperation({ endpointId: ID, action: "start_compute" });
    const [row] = one.emulator.world.operations;
    Object.assign(row!, { status: "error", error: "first\u001b[2J\nsecond", failures_count: 1 });
    const { stdout } = await one.run(operations, [PROJECT]);
    expect(stdout).toContain("first\\u{1b}[2J\\nsecond");
    expect(stdout).toContain("\u001b[31mError (error)\u001b[0m");
  });
});

describe("colours", () => {
  test.each<[string, boolean, NodeJS.ProcessEnv, boolean]>([
    ["on a terminal", true, {}, true],
    ["elsewhere", false, {}, false],
    ["under NO_COLOR", true, { NO_COLOR: "1" }, false],
    ["with NO_COLOR empty", true, { NO_COLOR: "" }, true],
    ["on a dumb terminal", true, { TERM: "dumb" }, false],
  ])("%s", async (_where, terminal, env, coloured) => {
    const { stdout } = await desk(terminal, env).run(endpoints, [PROJECT]);
    expect(stdout.includes("\u001b[32mactive\u001b[0m")).toBe(coloured);
    expect(isColoured({ out: { isTTY: terminal, write: () => {} }, env })).toBe(coloured);
  });

  test("don't count for the width of a column", () => {
    const io = { out: { isTTY: true, write: () => {} }, env: {} };
    const cell = (text: string) => ({ text, colour: "red" as const });
    const plain = table(
      io,
      ["A", "B"],
      [
        [cell("long"), cell("x")],
        [cell("é"), cell("y")],
      ],
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
    expect(plain.replace(/\u001b\[\d+m/g, "")).toBe("A     B\nlong  x\né     y\n");
  });
});
