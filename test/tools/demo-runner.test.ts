import { describe, expect, test } from "vitest";
import { SEED, startEmulator } from "../../emulator/index";
import { Page } from "../../tools/demo/page";
import { type Scene, type Step, StepFailed, tellStory } from "../../tools/demo/runner";

const PROGRAM = "const a = {\n  size: 1,\n};\n";

interface Scripted {
  code?: number;
  stdout?: string;
  stderr?: string;
  /** Requests that the command makes: method, path, body. */
  asks?: [method: string, path: string, body?: unknown][];
  /** Comes back only when the service is done. */
  waits?: boolean;
}

/** One step told, on a real emulator and a command that only seems to be Pulumi. */
async function told(step: Partial<Step>, command: Scripted = {}) {
  const emulator = await startEmulator({ operationMs: 200, apiKey: "key-of-the-story" });
  let printed = "";
  let program = PROGRAM;
  const commands: (readonly string[])[] = [];
  const scene: Scene = {
    page: new Page({ write: (text: string) => (printed += text) }, false),
    emulator,
    workspace: {
      async edit(_, change) {
        program = change(program);
      },
      async pulumi(args, { onOutput }) {
        commands.push(args);
        const { code = 0, stdout = "", stderr = "" } = command;
        for (const [method, path, body] of command.asks ?? []) {
          const headers = { authorization: `Bearer ${emulator.apiKey}`, "content-type": "application/json" };
          await fetch(emulator.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
        }
        if (command.waits) for (const one of emulator.world.operations) one.status = "finished";
        onOutput?.(stdout, "stdout");
        return { code, stdout, stderr };
      },
    },
  };
  try {
    const step1: Step = { heading: "A step", tell: "It happens.", pulumi: ["preview"], ...step };
    const failed = await tellStory([step1], scene).then(
      () => undefined,
      (error: unknown) => error,
    );
    return { failed: failed as Error | undefined, printed, program, commands, emulator };
  } finally {
    await emulator.close();
  }
}

const COMPUTE = `/projects/${SEED.projectId}/endpoints/${SEED.primaryId}`;
const RESIZE: NonNullable<Scripted["asks"]> = [["PATCH", COMPUTE, { endpoint: { autoscaling_limit_max_cu: 2 } }]];
const LOOK: Scripted["asks"] = [["GET", COMPUTE]];

describe("a step is held to what it promises", () => {
  test.each<[string, Partial<Step>, Scripted, string | undefined]>([
    ["a command that ends well", {}, {}, undefined],
    ["one that fails", {}, { code: 255 }, "pulumi preview ended with exit code 255"],
    ["one that is meant to fail", { fails: true }, { code: 255 }, undefined],
    ["one that is meant to fail and does not", { fails: true }, {}, "exit code 0"],
    ["what it shows", { shows: [/1 to update/] }, { stdout: "~ 1 to update" }, undefined],
    ["what it shows on stderr", { shows: [/warning/] }, { stderr: "warning: …" }, undefined],
    ["what it shows in colours", { shows: [/~ 1/] }, { stdout: "\u001b[33m~\u001b[0m 1" }, undefined],
    ["what it does not show", { shows: [/warning/] }, { stdout: "fine" }, "nothing printed matches /warning/"],
    ["what it must not show", { hides: [/warning/] }, { stdout: "warning" }, "something printed matches /warning/"],
    ["a key", {}, { stdout: "key-of-the-story" }, "the key was printed"],
    ["a look that is not expected", {}, { asks: LOOK }, "the service got 1 requests, not none"],
    [
      "a look where changes are expected, and none comes",
      { changes: [/PATCH/] },
      { asks: LOOK },
      "none; expected: /PATCH/",
    ],
    ["a look where looks are allowed", { changes: [] }, { asks: LOOK }, undefined],
    [
      "a change where only looks are allowed",
      { changes: [] },
      { asks: RESIZE },
      `PATCH ${SEED.primaryId}; expected: none`,
    ],
    ["the change that is expected", { changes: [/^PATCH ep-/] }, { asks: RESIZE }, undefined],
    ["the change that is expected, and again", { changes: [/PATCH/] }, { asks: [...RESIZE, ...RESIZE] }, "PATCH"],
    ["a change waited for", { changes: [/PATCH/], waits: true }, { asks: RESIZE, waits: true }, undefined],
    ["a change not waited for", { changes: [/PATCH/], waits: true }, { asks: RESIZE }, "did not wait for apply_config"],
    ["waiting with nothing to wait for", { waits: true }, {}, "the service had nothing to do"],
    ["the computes it leaves", { leaves: [/0\.25 CU/] }, {}, undefined],
    [
      "other computes than it should leave",
      { leaves: [/0\.25 CU/, /replica/] },
      {},
      "expected: /0\\.25 CU/, /replica/",
    ],
  ])("%s", async (_, step, command, problem) => {
    const { failed } = await told(step, command);
    if (problem === undefined) expect(failed).toBeUndefined();
    else {
      expect(failed).toBeInstanceOf(StepFailed);
      expect(failed?.message).toContain("step 1 of 1 (A step) did not do what it should: ");
      expect(failed?.message).toContain(problem);
    }
  });
});

describe("a step is told", () => {
  test("with the command as typed, what it printed, and what the service was asked", async () => {
    const { printed, commands } = await told({ changes: [/PATCH/] }, { stdout: "no end of line", asks: RESIZE });
    expect(printed).toMatch(
      /━━━ 1\/1 {2}A step ━+\n\nIt happens\.\n\n\$ pulumi preview\nno end of line\n→ The service was/,
    );
    expect(printed).toContain(`asked: PATCH ${SEED.primaryId}.`);
    expect(commands).toEqual([["preview"]]);
  });

  test.each([
    ["a line replaced", "size: 1,", "size: 2,", ["- size: 1,", "+ size: 2,"]],
    ["a line added", "size: 1,", "size: 1,\n  name: 'b',", ["  size: 1,", "+ name: 'b',"]],
    ["a line taken away", "const a = {\n  size: 1,", "const a = {", ["  const a = {", "- size: 1,"]],
  ])("with the change in the program: %s", async (_, from, to, lines) => {
    const { printed, program } = await told({ edit: { from, to } });
    expect(program).toBe(PROGRAM.replace(from, to));
    expect(printed).toContain(`\n${lines.map((line) => `  ${line}\n`).join("")}\n$ pulumi`);
  });

  test("with a change by hand that the service has then", async () => {
    const fields = { autoscaling_limit_max_cu: 8 };
    const { printed, failed } = await told({
      pulumi: undefined,
      byHand: { endpoint: SEED.primaryId, fields },
      leaves: [/0\.25 to 8 CU/],
    });
    expect(failed).toBeUndefined();
    expect(printed).toMatch(/\$ curl --json '\{"autoscaling_limit_max_cu":8\}' \S+\/_emulator\/endpoints\/ep-\S+/);
  });
});
