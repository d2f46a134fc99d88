import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { SEED, startEmulator } from "../../../emulator/index.js";

const ROOT = join(__dirname, "../../..");

let children: ChildProcess[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children = [];
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function cli(...args: string[]) {
  return cliWith({}, ...args);
}

function cliWith(more: NodeJS.ProcessEnv, ...args: string[]) {
  const env = { ...process.env, ...more };
  const child = spawn(process.execPath, ["--import", "tsx", "cli/main.ts", ...args], { cwd: ROOT, env });
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

/** One that runs, and a client of it. */
async function started(...args: string[]) {
  const it = cli(...args);
  await expect.poll(() => it.output.stdout + it.output.stderr, { timeout: 15_000 }).toContain("Ctrl-C");
  const [, key] = /export COMPUTE_API_KEY=(\S+)/.exec(it.output.stdout) ?? [];
  const [, url = ""] = /export COMPUTE_API_URL=(\S+)/.exec(it.output.stdout) ?? [];
  const call = (method: string, path: string, body?: object) =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  return { ...it, url, call };
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

  test("--open opens the console page with the command of BROWSER, and the emulator runs on", async () => {
    const folder = mkdtempSync(join(tmpdir(), "compute-endpoint-cli-"));
    folders.push(folder);
    const browser = join(folder, "browser");
    writeFileSync(browser, `#!/bin/sh\necho "$1" > '${folder}/opened'\n`, { mode: 0o755 });
    const { output } = cliWith({ BROWSER: browser }, "emulator", "--open");
    await expect.poll(() => existsSync(join(folder, "opened"))).toBe(true);
    const address = /^console at {2}(\S+)$/m.exec(output.stdout)?.[1] as string;
    await expect.poll(() => readFileSync(join(folder, "opened"), "utf8")).toBe(`${address}\n`);
    expect(await (await fetch(address)).text()).toContain("<title>Compute emulator</title>");
    expect(output.stderr).toBe("");
  });

  test("--open says which address to open where there is no browser", async () => {
    const { output } = cliWith({ BROWSER: "no-such-browser" }, "emulator", "--open");
    const reason = /^no browser was opened, there is no command no-such-browser: open (\S+) yourself\n$/;
    await expect.poll(() => output.stderr).toMatch(reason);
    const [, address] = reason.exec(output.stderr) ?? [];
    expect((await fetch(address as string)).status).toBe(200);
  });

  test("one in the background ends by `stop`, and its state has everything", async () => {
    const folder = mkdtempSync(join(tmpdir(), "compute-endpoint-cli-"));
    folders.push(folder);
    const state = join(folder, "world.json");
    const running = await started("emulator", "--state", state);
    const { port } = new URL(running.url);
    expect(running.output.stdout).toContain(`emulator stop --port ${port}\n`);
    const made = await running.call("POST", `/projects/${SEED.projectId}/endpoints`, {
      endpoint: { branch_id: SEED.branches.dev, type: "read_write" },
    });
    const { endpoint } = (await made.json()) as { endpoint: { id: string } };
    const stop = cli("emulator", "stop", "--port", port);
    expect([await stop.ended, stop.output]).toEqual([
      0,
      { stdout: `the emulator on port ${port} has ended\n`, stderr: "" },
    ]);
    expect(await running.ended).toBe(0);
    expect(readFileSync(state, "utf8")).toContain(endpoint.id);
    const again = cli("emulator", "stop", "--port", port, "--json");
    expect(await again.ended).toBe(0);
    expect(JSON.parse(again.output.stdout)).toEqual({ action: "stop", port: Number(port), wasRunning: false });
  });

  test("`stop` takes the port of COMPUTE_API_URL, and ends nothing else", async () => {
    const server = createHttpServer((_request, response) => response.writeHead(404).end()).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const env = { ...process.env, COMPUTE_API_URL: `http://localhost:${port}/api/v2` };
    const child = spawn(process.execPath, ["--import", "tsx", "cli/main.ts", "emulator", "stop"], { cwd: ROOT, env });
    children.push(child);
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(1);
    server.close();
    expect(said).toContain(
      `what listens at http://127.0.0.1:${port} is not an emulator that can be stopped this way: it answered 404`,
    );
  });

  test("behaves as its flags say, and keeps what happened for the next one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "compute-endpoint-cli-"));
    folders.push(folder);
    const state = join(folder, "world.json");
    const flags = ["--state", state, "--time", "virtual", "--lock", "branch", "--retry-after", "seconds"];
    const first = await started("emulator", ...flags, "--failed", "retried", "--operation-ms", "4000");
    expect(first.output.stdout).toContain(`state in   ${state}\n`);
    expect(first.output.stdout).toContain("clock      stopped at 2");
    const path = `/projects/${SEED.projectId}/endpoints`;
    const restarted = await first.call("POST", `${path}/${SEED.primaryId}/restart`);
    expect(restarted.status).toBe(200);
    const locked = await first.call("PATCH", `${path}/${SEED.primaryId}`, { endpoint: { name: "x" } });
    expect([locked.status, locked.headers.get("retry-after")]).toEqual([423, "8"]);
    const made = await first.call("POST", path, { endpoint: { branch_id: SEED.branches.dev, type: "read_write" } });
    const { endpoint } = (await made.json()) as { endpoint: { id: string } };
    first.child.kill("SIGKILL");
    await first.ended;

    const second = await started("emulator", "--state", state);
    expect(second.output.stdout).toContain(`${endpoint.id}  on dev, init, 0.25 CU`);
    expect(/API_KEY=(\S+)/.exec(second.output.stdout)?.[1]).toBe(/API_KEY=(\S+)/.exec(first.output.stdout)?.[1]);
    await second.call("POST", "/../../_emulator/time", { advanceMs: 8000 });
    const row = (await (await second.call("GET", `${path}/${endpoint.id}`)).json()) as { endpoint: object };
    expect(row.endpoint).toMatchObject({ current_state: "active" });

    const third = cli("emulator", "--state", state);
    expect(await third.ended).toBe(1);
    expect(lines(third.output.stderr)).toEqual([expect.stringMatching(/is kept by another emulator \(process \d+\)/)]);
  });

  test("prints names from its state without commands to the terminal", async () => {
    const folder = mkdtempSync(join(tmpdir(), "compute-endpoint-cli-"));
    folders.push(folder);
    const state = join(folder, "world.json");
    const made = await startEmulator({ state });
    for (const branch of Object.values(made.world.branches))
      branch.name = "\u001b]0;taken\u0007red\u202e\nexport COMPUTE_API_KEY=x";
    await made.close();
    const { output } = await started("emulator", "--state", state);
    expect(output.stdout).toContain(String.raw`\u{1b}]0;taken\u{7}red\u{202e}\nexport COMPUTE_API_KEY=x, root`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
    expect(output.stdout).not.toMatch(/[\u001b\u0007\u202e]|^export COMPUTE_API_KEY=x$/m);
  });

  test("says in one line that its state can't be used", async () => {
    const folder = mkdtempSync(join(tmpdir(), "compute-endpoint-cli-"));
    folders.push(folder);
    writeFileSync(join(folder, "broken.json"), "{\n\n");
    const broken = cli("emulator", "--state", join(folder, "broken.json"));
    const nowhere = cli("emulator", "--state", join(folder, "none", "world.json"));
    expect([await broken.ended, await nowhere.ended]).toEqual([1, 1]);
    expect(lines(broken.output.stderr)).toEqual([
      expect.stringMatching(/broken\.json can't be used: .*; remove the file/),
    ]);
    expect(lines(nowhere.output.stderr)).toEqual([expect.stringContaining("can't keep the state in ")]);
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
    [["emulator", "stop", "--port", "0"], "--port must be a whole number from 1"],
    [["emulator", "stop", "now"], "now"],
    [["simulate"], 'unknown command "simulate"'],
    [["constructor"], 'unknown command "constructor"'],
  ])("%j is refused in one line", async (args, reason) => {
    const { output, ended } = cli(...args);
    expect(await ended).toBe(2);
    expect(output.stdout).toBe("");
    expect(lines(output.stderr)).toEqual([expect.stringContaining(reason)]);
    expect(output.stderr).toMatch(/; see compute-endpoint help( emulator)?\n$/);
  });

  test.each([
    [["--help"], 0, "  emulator  "],
    [["help"], 0, "  emulator  "],
    [["help", "emulator"], 0, "--operation-ms"],
    [["emulator", "--help"], 0, "--operation-ms"],
    [["emulator", "stop", "--help"], 0, "--port PORT"],
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
