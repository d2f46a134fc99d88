/** What the benchmark shows of its figures, and what it takes for flags. */
import { describe, expect, test } from "vitest";
import { createEmulator } from "../../emulator/index";
import { chartOf, pointsOf } from "../../tools/bench/chart";
import { parseFlags } from "../../tools/bench/flags";
import type { Circumstances } from "../../tools/bench/machine";
import { placesIn, worldWith } from "../../tools/bench/places";
import { type Row, rowOf } from "../../tools/bench/row";
import { shown, summaryOf, tableOf } from "../../tools/bench/table";

const row = (scenario: string, figure: string, n: number, ours: number, most?: number): Row =>
  rowOf({
    scenario,
    figure,
    n,
    samples: { ours: [ours], floor: [1] },
    sampled: "s",
    ...(most === undefined ? {} : { most }),
  });

describe("the table", () => {
  test("has each figure with its numbers, its target and the verdict", () => {
    const lines = tableOf([row("a", "one", 10, 1.234, 2), row("a", "two", 10, 3, 2), row("b", "three", 100, 5)]);
    expect(lines[2]).toMatch(/^one +10 +1\.00 s +– +1\.23 s +1\.23 s +≤ 2\.00 s +met$/);
    expect(lines[3]).toMatch(/≤ 2\.00 s +not met$/);
    expect(lines[4]).toBe("");
    expect(lines[5]).toMatch(/^three +100 .*5\.00 s$/);
  });

  test("tells a note once below the figures that share it", () => {
    const lines = tableOf([1, 2].map((n) => ({ ...row("a", "f", n, 1), note: "as it is" })));
    expect(lines.filter((line) => line.includes("as it is"))).toHaveLength(1);
    expect(lines.at(-1)).toBe("    as it is");
  });

  test.each<[number | undefined, Parameters<typeof shown>[1], string]>([
    [1.005, "ratio", "1.00 ×"],
    [12.6, "requests", "13 req"],
    [undefined, "s", "–"],
    [Number.NaN, "MB", "–"],
    [2.25, "%", "2.3 %"],
  ])("shows %s (%s) as %j", (value, unit, expected) => {
    expect(shown(value, unit)).toBe(expected);
  });

  test("the summary counts what was not measured apart", () => {
    const unmeasured = { ...row("a", "f", 1, 1, 1), verdict: "not measured" as const };
    expect(summaryOf([row("a", "f", 1, 1, 1), row("a", "f", 1, 2, 1), row("a", "f", 1, 9), unmeasured])).toBe(
      "1 targets met, 1 not met, 1 not measured",
    );
  });
});

describe("the chart", () => {
  const on = { engine: "Pulumi v0", node: "v0", cores: 2, parallel: 8, rounds: 5 } as Circumstances;
  const figures = [
    ["branches", "first up: requests"],
    ["branches", "first up: wall time ÷ the best possible"],
    ["unchanged", "up: requests"],
    ["unchanged", "up: wall time ÷ floor"],
    ["refresh", "refresh: requests"],
    ["refresh", "refresh: wall time ÷ floor"],
  ] as const;
  const rows = figures.flatMap(([scenario, figure]) => [10, 100].map((n) => row(scenario, figure, n, 2 * n)));

  test("is an SVG for light and dark, with the three providers and the circumstances, and loads nothing", async () => {
    const svg = await chartOf(rows, on);
    expect(svg).toMatch(/^<svg [^>]*><style>.*prefers-color-scheme:dark/);
    for (const word of ["no-op provider", "naive provider", "pulumi-compute-endpoint", "Pulumi v0", "2 cores"]) {
      expect(svg).toContain(word);
    }
    expect(svg).not.toMatch(/(href|src)=|url\(/);
  });

  test("shows medians, and nothing where a provider was not measured", () => {
    expect(pointsOf(rows, "refresh", "refresh: requests").filter(({ n }) => n === 10)).toEqual([
      { n: 10, provider: "no-op provider", value: 1 },
      { n: 10, provider: "pulumi-compute-endpoint", value: 20 },
    ]);
  });

  test("says which scenario it lacks", async () => {
    await expect(chartOf(rows.slice(0, 8), on)).rejects.toThrow("needs the scenario refresh");
  });
});

describe("flags", () => {
  const parsed = (...args: string[]) => parseFlags(args, ["refresh", "state"]);

  test.each<[string[], object]>([
    [[], { quick: false, rounds: 5 }],
    [["--quick"], { quick: true, rounds: 2 }],
    [["--quick", "--rounds", "7"], { quick: true, rounds: 7 }],
    [["--only", "state,refresh"], { only: ["state", "refresh"] }],
    [
      ["--n", "2,20", "--parallel", "3", "--out", "a.json", "--chart", "a.svg"],
      { sizes: [2, 20], parallel: 3, out: "a.json", chart: "a.svg" },
    ],
  ])("%j", (args, expected) => {
    expect(parsed(...args)).toMatchObject(expected);
  });

  test.each<[string, string[], RegExp]>([
    [
      "a scenario that does not exist is named, with those that do",
      ["--only", "states"],
      /no scenario states; there are refresh, state/,
    ],
    ["no rounds at all", ["--rounds", "0"], /--rounds takes whole numbers/],
    ["a number that is none", ["--n", "2,x"], /--n takes whole numbers.*"x"/],
    ["a flag that does not exist", ["--fast"], /--fast/],
  ])("refused: %s", (_, args, message) => {
    expect(() => parsed(...args)).toThrow(message);
  });

  test("--help wins", () => {
    expect(parsed("--help", "--only", "nothing")).toBe("help");
  });
});

describe("places", () => {
  test("are spread over the projects, a branch each", () => {
    expect(placesIn(2, 3)).toEqual([
      { projectId: "bench-project-0", branchId: "br-bench-0" },
      { projectId: "bench-project-1", branchId: "br-bench-1" },
      { projectId: "bench-project-0", branchId: "br-bench-2" },
    ]);
  });

  test("make a world that the emulator takes, in which a compute can be made on each", async () => {
    const emulator = createEmulator({ apiKey: "key", lock: "branch" });
    const send = (method: string, path: string, body: unknown) =>
      emulator.handle({ method, path, headers: { authorization: "Bearer key" }, body: JSON.stringify(body) });
    const places = placesIn(2, 4);
    expect(await send("PUT", "/_emulator/world", worldWith(emulator.world, places))).toMatchObject({ status: 200 });
    for (const { projectId, branchId } of places) {
      const endpoint = { branch_id: branchId, type: "read_write" };
      const answer = await send("POST", `/api/v2/projects/${projectId}/endpoints`, { endpoint });
      expect(answer).toMatchObject({ status: 201 });
    }
  });
});
