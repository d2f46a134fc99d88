import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";

const ROOT = join(__dirname, "../..");

let children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children = [];
});

function cli(...args: string[]) {
  const child = spawn(process.execPath, ["--import", "tsx", "cli/main.ts", ...args], { cwd: ROOT });
  children.push(child);
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, output, ended };
}

const lines = (text: string) => text.trimEnd().split("\n");

describe("compute-endpoint emulator", () => {
  test.each(["SIGINT", "SIGTERM"] as const)("prints where it is and what is seeded, and ends on %s", async (signal) => {
    const { child, output, ended } = cli("emulator", "--port", "0", "--api-key", "k1", "--operation-ms", "20");
    await expect.poll(() => output.stdout, { timeout: 15_000 }).toContain("Ctrl-C");
    const { projectId, branches, primaryId, second } = SEED;
    for (const id of [projectId, ...Object.values(branches), primaryId, second.projectId, second.branchId]) {
      expect(output.stdout).toContain(id);
    }
    expect(output.stdout).toContain("export COMPUTE_API_KEY=k1\n");
    const url = /export COMPUTE_API_URL=(http:\/\/127\.0\.0\.1:\d+\/api\/v2)\n/.exec(output.stdout)?.[1] as string;
    const answer = await fetch(`${url}/projects/${projectId}/endpoints`, { headers: { authorization: "Bearer k1" } });
    const { endpoints } = (await answer.json()) as { endpoints: object[] };
    expect(endpoints).toMatchObject([{ id: primaryId, current_state: "active", autoscaling_limit_max_cu: 0.25 }]);
    child.kill(signal);
    expect(await ended).toBe(0);
    expect(output.stderr).toBe("");
  });

  test("says in one line that the port is in use", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const { output, ended } = cli("emulator", "--port", String(port));
    expect(await ended).toBe(1);
    server.close();
    expect(lines(output.stderr)).toEqual([expect.stringContaining(`port ${port} is in use`)]);
  });

  test.each([
    [["emulator", "--colour"], "'--colour'"],
    [["emulator", "--port", "x"], '--port must be a whole number from 0 to 65535, not "x"'],
    [["emulator", "--port", "65536"], "--port"],
    [["emulator", "--port"], "--port"],
    [["emulator", "--operation-ms", "-1"], "--operation-ms"],
    [["emulator", "--api-key", "a b"], "--api-key"],
    [["emulator", "more"], "more"],
    [["simulate"], 'unknown command "simulate"'],
    [["constructor"], 'unknown command "constructor"'],
  ])("%j is refused in one line", async (args, reason) => {
    const { output, ended } = cli(...args);
    expect(await ended).toBe(2);
    expect(output.stdout).toBe("");
    expect(lines(output.stderr)).toEqual([expect.stringContaining(reason)]);
  });

  test.each([
    [["--help"], 0, "  emulator  "],
    [["emulator", "--help"], 0, "--operation-ms"],
  ])("%j helps", async (args, code, text) => {
    const { output, ended } = cli(...args);
    expect(await ended).toBe(code);
    expect(output.stdout).toContain(text);
  });

  test("nothing at all is helped too, but is an error", async () => {
    const { output, ended } = cli();
    expect(await ended).toBe(2);
    expect(output.stderr).toContain("Commands:");
  });
});
