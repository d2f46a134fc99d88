/** Twenty computes, of which twelve restart: how much a preview says of them. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, files, requests, SEED, type Story, startStory } from "./support";

const COMPUTES = Array.from({ length: 20 }, (_, at) => `reader-${at + 1}`);
const RESTARTING = 12;
const IDLE = 3;

/** The lines below `Diagnostics:`, without the summary at the end. */
const diagnosticsIn = (printed: string): string[] =>
  (printed.split(/^Diagnostics:$/m)[1] ?? "")
    .split(/^Resources:$/m)[0]!
    .split("\n")
    .filter(Boolean);

describeWithEngine("a preview of twenty computes, of which twelve restart", (engine) => {
  let story: Story;
  let lines: string[];
  let asked: string[];
  const program = (size: number) =>
    files(
      COMPUTES.map(
        (name, at) =>
          `new Endpoint("${name}", { projectId, branchId: "br-${name}", size: ${at < RESTARTING ? size : 1} });`,
      ).join("\n"),
    );

  beforeAll(async () => {
    story = await startStory(engine, {
      program: "",
      config: { "compute:liveNotices": "true" },
      before: (em) => {
        for (const name of COMPUTES) addBranch(em, `br-${name}`);
      },
    });
    const { ws, em } = story;
    await ws.setProgram(program(1));
    await ws.up({ args: ["--skip-preview"] });
    for (const name of COMPUTES.slice(0, IDLE)) {
      const { id } = await ws.resource(name);
      Object.assign(em.world.endpoints[id!]!, { current_state: "idle" });
    }
    em.requests.length = 0;
    await ws.setProgram(program(2));
    const { stdout } = await ws.preview();
    asked = requests(em);
    lines = diagnosticsIn(stdout);
    if (process.env["SHOW_DIAGNOSTICS"]) console.log(stdout);
  }, 2 * ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test("has one line a compute, and their sum", () => {
    const warnings = lines.filter((line) => line.includes("warning: "));
    expect(warnings).toHaveLength(RESTARTING + 1);
    expect(warnings.filter((line) => line.includes("It is active"))).toHaveLength(RESTARTING - IDLE);
    expect(
      lines.filter((line) =>
        line.includes("9 active computes restart, 3 inactive computes change without dropping connections."),
      ),
    ).toHaveLength(1);
  });

  test("says it in few bytes, with one request", () => {
    const bytes = Buffer.byteLength(lines.map((line) => line.trim()).join("\n"));
    console.log(`${lines.length} lines, ${bytes} bytes`);
    expect(lines.length).toBeLessThanOrEqual(2 * (RESTARTING + 1));
    expect(bytes).toBeLessThan(RESTARTING * 220);
    expect(asked).toEqual([`GET /projects/${SEED.projectId}/endpoints`]);
  });
});
