/** Documents of the real engine, read by the real command: what it tells, and that check accepts what it says approves. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { runPrinted } from "./printed";
import { addBranch, files, type Story, startStory } from "./support";

const COMMAND = join(__dirname, "../../dist/cli/main.js");

interface Compute {
  name: string;
  impact: string;
  fails: boolean;
  oldHost?: string;
  position?: { file: string; line: number };
  approval?: { digest?: string; approved: boolean; command?: string; why?: string };
}

/** One compute by name: its arguments, its options, and perhaps its branch and project. Each on a line of its own. */
type Computes = Record<string, string | undefined>;
const on = (name: string, args: string, options = "{}", branch = `"br-${name}"`, project = "projectId") =>
  `new Endpoint("${name}", { projectId: ${project}, branchId: ${branch}, ${args} }, ${options});`;

const BEFORE: Computes = {
  resized: on("resized", "size: 1"),
  renamed: on("renamed", 'size: 1, name: "before"'),
  moved: on("moved", "size: 1"),
  deleted: on("deleted", "size: 1"),
  replaced: on("replaced", "size: 1, suspendTimeoutSeconds: 300"),
  secret: on("secret", "size: pulumi.secret(1)"),
  unknown: on("unknown", "size: 1"),
};
const AFTER: Computes = {
  resized: on("resized", "size: 4"),
  renamed: on("renamed", 'size: 1, name: "after"'),
  moved: on("moved", "size: 1", "{}", '"br-moved"', '"other-project-12345678"'),
  deleted: undefined,
  replaced: on("replaced", "size: 1, suspendTimeoutSeconds: 600", '{ replaceOnChanges: ["suspendTimeoutSeconds"] }'),
};
const UNSAID: Computes = {
  secret: on("secret", "size: pulumi.secret(2)"),
  unknown: on("unknown", "size: source.echo.apply(() => 4)"),
};

const program = (change: Computes = {}, source = 1) =>
  [
    `const source = new Dependant("source", { on: ${source}, echo: undefined });`,
    ...Object.values({ ...BEFORE, ...change }).filter((line) => line !== undefined),
  ].join("\n");

describeWithEngine("compute-endpoint report", (engine) => {
  let story: Story;

  /** The command in a process of its own, on what the engine prints at this moment. */
  async function report(text: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const document = join(story.ws.programFolder, "preview.json");
    await writeFile(document, text);
    const all = [COMMAND, "report", document, ...args];
    return new Promise((resolve) => {
      execFile(process.execPath, all, { cwd: story.ws.programFolder }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  }

  const json = async (text: string) => {
    const { stdout, code } = await report(text, "--format", "json");
    const { stacks, exitCode, verdict } = JSON.parse(stdout);
    expect(exitCode).toBe(code);
    const computes = (stacks[0]?.computes ?? []) as Compute[];
    return {
      exitCode,
      verdict,
      stack: stacks[0],
      computes,
      of: (name: string) => computes.find((one) => one.name === name)!,
    };
  };

  const previewOf = async (change: Computes, source?: number, fails = false): Promise<string> => {
    await story.ws.setProgram(files(program(change, source)));
    return (await story.ws.pulumi(["preview", "--json"], { fails })).stdout;
  };

  beforeAll(async () => {
    const names = [...Object.keys(BEFORE), "elsewhere"];
    story = await startStory(engine, {
      program: program(),
      before: (em) => {
        for (const name of names) addBranch(em, `br-${name}`);
      },
    });
    await story.ws.up({ args: ["--skip-preview"] });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  describe("changes of every kind in one preview", () => {
    let text: string;
    let found: Awaited<ReturnType<typeof json>>;
    beforeAll(async () => {
      text = await previewOf({ ...AFTER, ...UNSAID }, 2);
      found = await json(text);
    }, ENGINE_TEST_MS);

    test.each<[name: string, impact: string, fails: boolean]>([
      ["resized", "restart", true],
      ["renamed", "none", false],
      ["moved", "new-host", true],
      ["deleted", "delete", false],
      ["replaced", "new-host", true],
      ["secret", "restart", true],
      ["unknown", "may-restart", false],
    ])("%s: %s", (name, impact, fails) => {
      expect(found.of(name)).toMatchObject({ impact, fails });
    });

    test("nothing else is in the report, and the verdict counts it all", () => {
      expect(found.computes).toHaveLength(7);
      expect(found.exitCode).toBe(3);
      expect(found.verdict).toBe(
        "1 compute is deleted. 2 computes get new hosts, 2 restart, 1 may restart; 4 not approved",
      );
    });

    test("hosts that go are named, and lines of the program", async () => {
      for (const name of ["moved", "deleted", "replaced"]) expect(found.of(name).oldHost).toMatch(/^ep-.*\./);
      expect(found.of("resized").oldHost).toBeUndefined();
      const lines = files(program({ ...AFTER, ...UNSAID }, 2))["index.js"]!.split("\n");
      const { file, line } = found.of("resized").position!;
      expect([file, lines[line - 1]]).toEqual(["index.js", AFTER["resized"]]);
    });

    test("a secret is not shown, and can't be approved by digest", () => {
      expect(found.of("secret").approval).toEqual({
        approved: false,
        refused: false,
        why: expect.stringContaining("secret"),
      });
    });

    test("in a pull request", async () => {
      const { stdout } = await report(text);
      expect(stdout).toMatch(
        /^<!-- compute-endpoint report v1 test\/dev -->\n\n### 🔴 `test\/dev`: 1 compute is deleted/,
      );
      expect(stdout).toContain(
        "| `resized` | 🟠 **restarts**, if active | `size` `1` → `4` | 4 → 16 GB | 20 → 60 GiB | 450 → 1802 |",
      );
      expect(stdout).not.toContain("__provider");
    });
  });

  describe("approval", () => {
    test(
      "what the report's own command approves passes `refuse`, and the report then says so",
      async () => {
        const before = await json(await previewOf(AFTER));
        await runPrinted(story.ws, before.stack.approveCommand.replace("npx --no compute-endpoint ", ""));
        await story.ws.setConfig({ "compute:onRestart": "refuse" });
        const after = await json(await previewOf(AFTER));
        expect(after.exitCode).toBe(0);
        expect(after.verdict).toBe("1 compute is deleted. 2 computes get new hosts, 1 restarts; approved");
        expect(after.computes.map(({ approval }) => approval?.approved)).toEqual([
          undefined,
          true,
          true,
          true,
          undefined,
        ]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "anything else is refused: such a document is incomplete, and names the compute and its digest",
      async () => {
        const { exitCode, stack } = await json(
          await previewOf({ ...AFTER, resized: on("resized", "size: 8") }, 1, true),
        );
        expect(exitCode).toBe(2);
        expect(stack.incomplete[0]).toMatch(/^the preview refused the change of resized/);
        expect(stack.errors).toEqual([expect.stringMatching(/^resized: .*size 1 → 8: .*is left as it is\.$/)]);
        expect(stack.approveCommand).toMatch(/^npx --no compute-endpoint approve --stack dev [0-9a-f]{32}=resized$/);
      },
      ENGINE_TEST_MS,
    );
  });

  test(
    "a program that fails never looks clean",
    async () => {
      const { ws } = story;
      // A moment later: after a throw at once the engine's own SDK takes a minute to end.
      await ws.setProgram(files(`${program()}\nsetTimeout(() => { throw new Error("boom"); }, 300);`));
      const { stdout, stderr, code } = await report((await ws.pulumi(["preview", "--json"], { fails: true })).stdout);
      expect(code).toBe(2);
      expect(stdout).toContain("⛔ `test/dev`: This preview is incomplete");
      expect(stdout).toContain("boom");
      expect(stderr).toMatch(/^compute-endpoint report: the preview of test\/dev is incomplete: .*\n$/);
    },
    ENGINE_TEST_MS,
  );
});
