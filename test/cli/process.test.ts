/** The built command in a process of its own: what a terminal, a pipe and a signal see. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";

const ROOT = join(__dirname, "../..");
const PLACE = `${SEED.projectId}/${SEED.primaryId}`;
const LIMIT = { timeout: 60_000 };

let em: RunningEmulator;
let children: ChildProcess[] = [];
beforeAll(async () => {
  em = await startEmulator({ apiKey: "key-of-processes", operationMs: { default: 20, suspend_compute: 600_000 } });
});
afterAll(() => em?.close());
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children = [];
});

function cli(args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, ["--import", "tsx", "cli/main.ts", ...args], {
    cwd: ROOT,
    env: { ...process.env, COMPUTE_API_KEY: em.apiKey, COMPUTE_API_URL: em.url, ...env },
  });
  children.push(child);
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk) => {
      output[name] += chunk;
    });
  }
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, output, ended };
}

describe("compute-endpoint", () => {
  test("shows characters that are not seen as escapes, in any message", LIMIT, async () => {
    const { output, ended } = cli(["\u202edrop\u200b ##vso[task.setvariable]x"]);
    expect(await ended).toBe(2);
    expect(output.stderr).toContain('unknown command "\\u{202e}drop\\u{200b} #\\u{23}vso[');
  });

  test("lists computes for a pipe, and ends by itself", async () => {
    const { output, ended } = cli(["endpoints", SEED.projectId]);
    expect(await ended).toBe(0);
    expect(output.stdout).toMatch(new RegExp(`^ID\\tTYPE\\t.*\n${SEED.primaryId}\\tread_write\\t`));
    expect(output.stderr).toBe("");
  });

  test("an error is one line behind the command's name, without a stack", async () => {
    const { output, ended } = cli(["restart", `${SEED.projectId}/ep-none`]);
    expect(await ended).toBe(1);
    expect(output.stdout).toBe("");
    expect(output.stderr).toMatch(/^compute-endpoint restart: compute ep-none is not in project .*\n$/);
  });

  test.each([["endpoints"], ["operations"], ["restart"], ["import-file"], ["delete", "--yes"]])(
    "a refused key is told once by %s",
    async (...args) => {
      const { output, ended } = cli(
        [...args, PLACE.slice(0, args[0] === "endpoints" ? SEED.projectId.length : undefined)],
        {
          COMPUTE_API_KEY: "wrong",
        },
      );
      expect([await ended, output.stdout]).toEqual([1, ""]);
      expect(output.stderr.match(/\b401\b|credentials|the key comes from/g)).toHaveLength(3);
      expect(output.stderr.trimEnd().split("\n")).toHaveLength(1);
    },
  );

  test.each([["endpoints"], ["operations"], ["restart"], ["import-file"], ["delete", "--yes"]])(
    "a URL without its version is doubted by %s",
    async (...args) => {
      const { output, ended } = cli(
        [...args, PLACE.slice(0, args[0] === "endpoints" ? SEED.projectId.length : undefined)],
        {
          COMPUTE_API_URL: em.origin,
        },
      );
      expect([await ended, output.stdout]).toEqual([1, ""]);
      expect(output.stderr).toContain("is /api/v2 missing?");
    },
  );

  test("bad usage points at the help", async () => {
    const { output, ended } = cli(["start"]);
    expect(await ended).toBe(2);
    expect(output.stderr).toMatch(/^compute-endpoint start: which one\? .*; see compute-endpoint help start\n$/);
  });

  test.each(["--version", "version", "-v"])("%s says which version it is", async (word) => {
    const { output, ended } = cli([word]);
    expect(await ended).toBe(0);
    expect(output.stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
  });

  test("a verdict stays one when nobody reads the report to its end", async () => {
    const { child, output, ended } = cli(["report", "test/fixtures/previews/changes.json"]);
    child.stdout.destroy();
    expect(await ended).toBe(3);
    expect(output.stderr).toBe("");
  });

  test("no reader at the other end is no error", async () => {
    const { child, output, ended } = cli(["endpoints", SEED.projectId, "--json"]);
    child.stdout.destroy();
    expect(await ended).toBe(0);
    expect(output.stderr).toBe("");
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends it at once with %i, and says what goes on", LIMIT, async (signal, code) => {
    const { child, output, ended } = cli(["suspend", PLACE]);
    await expect.poll(() => output.stderr, LIMIT).toMatch(/suspend_compute/);
    child.kill(signal);
    expect(await ended).toBe(code);
    expect(output.stdout).toBe("");
    expect(output.stderr).toMatch(
      /\ninterrupted: the service goes on with suspend_compute of ep-\S+ \(operation \S+\); /,
    );
  });
});
