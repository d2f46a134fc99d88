/** One tiny run of `npm run bench`: that it works, not how fast anything is. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Bench } from "../../tools/bench/bench";
import { PROVIDERS } from "../../tools/bench/programs";
import type { Row } from "../../tools/bench/row";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";

const ROOT = resolve(__dirname, "../..");
const TSX = createRequire(__filename).resolve("tsx/cli");

const bench = (...args: string[]) =>
  promisify(execFile)(process.execPath, [TSX, join(ROOT, "tools", "bench.ts"), ...args], { cwd: ROOT });

describeWithEngine("the benchmark", (engine) => {
  test(
    "measures the three providers side by side and writes the figures",
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "compute-endpoint-bench-test-"));
      const out = join(folder, "figures", "bench.json");
      try {
        const { stdout } = await bench("--only", "refresh,state", "--rounds", "1", "--n", "2", "--out", out);
        expect(stdout).toMatch(/^Pulumi v\S+, Node\.js v\S+, \d+ cores .*1 rounds, --parallel \d+$/m);
        expect(stdout).toMatch(/^\d+ targets met, \d+ not met$/m);

        const { rows, ...on } = JSON.parse(await readFile(out, "utf8")) as { rows: Row[] };
        expect(on).toMatchObject({ engine: `Pulumi v${engine.version}`, node: process.version, rounds: 1 });
        const counted = Object.fromEntries(
          rows.filter(({ unit }) => unit === "requests").map((row) => [row.figure, row.samples]),
        );
        expect(counted).toEqual({
          // Its preview and itself: two computes in two projects.
          "refresh: requests": { floor: [0], naive: [4], ours: [4] },
        });
        const times = rows.filter(({ sampled }) => sampled === "s");
        expect(times.map(({ figure }) => figure)).toHaveLength(1);
        for (const { samples } of times) for (const name of PROVIDERS) expect(samples[name]).toHaveLength(1);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    ENGINE_TEST_MS,
  );

  test(
    "the floor keeps what ours keeps of a compute, so the engine has as much to do",
    async () => {
      const flags = { rounds: 1, parallel: 4, quick: true };
      const two = new Bench(engine, flags, () => {});
      try {
        const { floor, ours } = await two.allBuilt(["floor", "ours"], 1, 1);
        expect(await floor.fleet.keys()).toEqual(await ours.fleet.keys());
      } finally {
        await two.close();
      }
    },
    ENGINE_TEST_MS,
  );
});
