/** The command, killed at any moment while clients change its world: what was answered is there when it starts again. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SEED, seededRandom } from "../../../emulator/index.js";
import type { Body } from "../support.js";

const ROUNDS = 25;
const CLIENTS = 4;
/** A kill comes some answers after the start, and some moments later: in the midst of a write, between two, before any. */
const MOST_ANSWERS = 20;
const LATEST_KILL_MS = 6;
const TEST_MS = 300_000;
const ENDPOINTS = `/projects/${SEED.projectId}/endpoints`;

const folder = mkdtempSync(join(tmpdir(), "compute-endpoint-kill-"));
const program = join(folder, "emulator.cjs");
const state = join(folder, "world.json");
let child: ChildProcess;

beforeAll(async () => {
  // In one file it starts in a fraction of the time, which is worth it when it starts this often.
  const entryPoints = [resolve(__dirname, "../../../cli/main.ts")];
  await build({ entryPoints, outfile: program, bundle: true, platform: "node", logLevel: "error" });
});
afterAll(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function start() {
  child = spawn(process.execPath, [program, "emulator", "--state", state, "--operation-ms", "0"]);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  }
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  await Promise.race([expect.poll(() => output, { interval: 5 }).toContain("Ctrl-C"), ended]);
  expect(output).toContain("Ctrl-C");
  const [, key] = /export COMPUTE_API_KEY=(\S+)/.exec(output) ?? [];
  const [, url] = /export COMPUTE_API_URL=(\S+)/.exec(output) ?? [];
  let answers = 0;
  let answered = () => {};
  const call = async (method: string, path: string, body?: object): Promise<{ status: number; body: Body }> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const text = await response.text();
    answers += 1;
    answered();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  const killAfter = async (count: number, ms: number) => {
    await new Promise<void>((done) => {
      answered = () => answers >= count && done();
      answered();
    });
    await new Promise((done) => setTimeout(done, ms));
    child.kill("SIGKILL");
    await ended;
  };
  return { key, call, killAfter };
}

/** What the clients were told: a compute's name, or that it is gone. What nobody was told may be either way. */
type Told = Map<string, { name: string | undefined; unclear: boolean }>;

/** A client that makes, renames and deletes computes of its own until the emulator is gone. */
async function change({ call }: Awaited<ReturnType<typeof start>>, told: Told, client: number, round: number) {
  for (let turn = 0; ; turn += 1) {
    const name = `of-${client}-${round}-${turn}`;
    const made = await call("POST", ENDPOINTS, {
      endpoint: { branch_id: SEED.branches.main, type: "read_only", name },
    });
    expect(made.status).toBe(201);
    const { id } = made.body.endpoint;
    const entry = { name: name as string | undefined, unclear: false };
    told.set(id, entry);
    entry.unclear = true;
    const renamed = await call("PATCH", `${ENDPOINTS}/${id}`, { endpoint: { name: `${name}-b` } });
    expect(renamed.status).toBe(200);
    Object.assign(entry, { name: `${name}-b`, unclear: false });
    if (turn % 2 === 1) continue;
    entry.unclear = true;
    expect((await call("DELETE", `${ENDPOINTS}/${id}`)).status).toBe(200);
    Object.assign(entry, { name: undefined, unclear: false });
  }
}

test(
  "a world survives kill -9 at any moment",
  async () => {
    const random = seededRandom(7);
    const told: Told = new Map();
    let key: string | undefined;
    for (let round = 0; round < ROUNDS; round += 1) {
      const running = await start();
      key ??= running.key;
      expect(running.key).toBe(key);
      const { endpoints } = (await running.call("GET", ENDPOINTS)).body;
      const names = new Map<string, string>(endpoints.map((one: Body) => [one.id, one.name]));
      for (const [id, entry] of told) {
        if (entry.unclear) {
          told.delete(id);
          if (names.has(id)) told.set(id, { name: names.get(id), unclear: false });
        } else expect([id, names.get(id)]).toEqual([id, entry.name]);
      }
      const clients = Array.from({ length: CLIENTS }, (_, client) => change(running, told, client, round));
      const cut = Promise.allSettled(clients);
      await running.killAfter(random() * MOST_ANSWERS, random() * LATEST_KILL_MS);
      for (const { status, reason } of (await cut) as PromiseRejectedResult[]) {
        expect([status, String(reason)]).toEqual([
          "rejected",
          expect.stringMatching(/TypeError: (fetch failed|terminated)/),
        ]);
      }
    }
    expect(told.size).toBeGreaterThan(ROUNDS);
  },
  TEST_MS,
);
