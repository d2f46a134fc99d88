/** Many processes want one state file, whose last process was killed: exactly one gets it, each time. */
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const PROCESSES = 6;
const RACES = 100;
const TEST_MS = 300_000;
/** Long enough for each process to get the message before the race starts. */
const HEAD_START_MS = 8;

const folder = mkdtempSync(join(tmpdir(), "compute-endpoint-lock-"));
const state = join(folder, "world.json");
const note = `${state}.pid`;
const DEAD = spawnSync(process.execPath, ["--version"]).pid;
let children: ChildProcess[] = [];

/** Waits for the start without giving the processor away, so that all processes begin in the same moment. */
const RACER = `
  const { lockState } = require("./state-lock.cjs");
  let release;
  process.on("message", ({ path, startMs }) => {
    if (path === undefined) {
      release?.();
      release = undefined;
      return process.send({});
    }
    while (Date.now() < startMs);
    try {
      release = lockState(path);
      process.send({ holds: true });
    } catch (error) {
      process.send({ holds: false, message: error.message });
    }
  });`;

interface Reply {
  holds?: boolean;
  message?: string;
}

beforeAll(async () => {
  const entryPoints = [resolve(__dirname, "../../../emulator/state/state-lock.ts")];
  const outfile = join(folder, "state-lock.cjs");
  await build({ entryPoints, outfile, bundle: true, platform: "node", logLevel: "error" });
  writeFileSync(join(folder, "racer.cjs"), RACER);
  children = Array.from({ length: PROCESSES }, () => fork(join(folder, "racer.cjs"), { execArgv: [] }));
});
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const ask = (child: ChildProcess, message: object): Promise<Reply> =>
  new Promise((done) => {
    child.once("message", (reply) => done(reply as Reply));
    child.send(message);
  });

async function race(): Promise<Reply[]> {
  const startMs = Date.now() + HEAD_START_MS;
  return Promise.all(children.map((child) => ask(child, { path: state, startMs })));
}

const release = () => Promise.all(children.map((child) => ask(child, {})));
const notes = () => readdirSync(folder).filter((name) => name.startsWith("world.json"));

describe("of many processes that want one state file at the same moment", () => {
  test.each([
    ["no process had it before", () => {}],
    ["its process was killed", () => writeFileSync(note, String(DEAD))],
    ["its process was killed before it had written its number", () => writeFileSync(note, "")],
  ])("one gets it: %s", { timeout: TEST_MS }, async (_what, leave) => {
    const winners: number[] = [];
    for (let count = 0; count < RACES; count += 1) {
      leave();
      const replies = await race();
      winners.push(replies.filter(({ holds }) => holds).length);
      const refusals = replies.flatMap(({ message = [] }) => message);
      for (const message of refusals) expect(message).toMatch(/is kept by another emulator \(process \d+\)/);
      await release();
      expect(notes()).toEqual([]);
    }
    expect(winners.filter((count) => count !== 1)).toEqual([]);
  });
});
