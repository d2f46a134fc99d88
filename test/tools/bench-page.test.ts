/** What the pages show of a result: the figures as measured, and the arithmetic on them. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Circumstances } from "../../tools/bench/machine";
import { PAGES, type Result, resultFrom, written } from "../../tools/bench/page";
import { rowOf } from "../../tools/bench/row";
import { costsTable, scaleTable } from "../../tools/bench/scale";

const row = (figure: string, n: number, ours: number) =>
  rowOf({ scenario: "any", figure, n, samples: { ours: [ours], floor: [ours / 2] }, sampled: "s" });

/** A preview of 3 s and 10 ms a compute, 2,500 bytes and 1.4 requests for each. */
const ROWS = [
  row("preview: wall time ÷ floor", 500, 8),
  row("preview: wall time ÷ floor", 10, 99),
  row("preview: wall time ÷ floor", 100, 4),
  row("state a compute ÷ naive", 100, 2_500),
  row("up: wall time ÷ floor", 100, 5),
  row("up: wall time ÷ floor", 500, 7),
  row("refresh: wall time ÷ floor", 500, 3),
  row("refresh: wall time ÷ floor", 100, 2),
  row("first up: requests", 10, 50),
  row("first up: requests", 100, 140),
];
const resultWith = (rows: Result["rows"]): Result => ({ ...({} as Circumstances), rows });

describe("what it comes to at sizes that nobody runs", () => {
  const cells = scaleTable(resultWith(ROWS))
    .split("\n")
    .map((line) => line.split("|").slice(1, -1))
    .map((line) => line.map((cell) => cell.trim()));

  test("is on the two largest N in a straight line, bytes and requests times computes, and 700 a minute", () => {
    expect(cells[2]).toEqual(["100", "4.0 s", "250 kB", "1", "4.0 s", "140", "12 s"]);
    expect(cells[3]).toEqual(["10,000", "2 min", "25 MB", "20", "8.0 s", "14,000", "20 min"]);
    expect(cells[4]).toEqual(["1,000,000", "2.8 h", "2.5 GB", "2,000", "8.0 s", "1,400,000", "33.3 h"]);
  });

  test.each(["preview: wall time ÷ floor", "state a compute ÷ naive", "first up: requests"])(
    "needs the figure %s, and says so",
    (figure) => {
      const rest = ROWS.filter((one) => one.figure !== figure);
      expect(() => scaleTable(resultWith(rest))).toThrow(`"${figure}"`);
    },
  );

  test("shows no number that is none", () => {
    const rows = ROWS.map((one) => ({ ...one, medians: {} }));
    expect(() => scaleTable(resultWith(rows))).toThrow(/no number of ours/);
  });
});

describe("what a compute more costs", () => {
  test("is the slope between the two largest N, and the bytes", () => {
    expect(costsTable(resultWith(ROWS)).split("\n").slice(2)).toEqual([
      "| a preview | 5.0 ms | 10.0 ms |",
      "| an `up` without a change | 2.5 ms | 5.0 ms |",
      "| a `refresh` | 1.3 ms | 2.5 ms |",
      "| the state | 1,250 bytes | 2,500 bytes |",
    ]);
  });

  test.each(["preview", "up", "refresh"])("needs two numbers of computes for %s, and says so", (command) => {
    const one = ROWS.filter(({ figure, n }) => figure !== `${command}: wall time ÷ floor` || n === 500);
    expect(() => costsTable(resultWith(one))).toThrow(`not two numbers of computes for "${command}: `);
  });
});

describe("a page", () => {
  const [begin, end] = ["<!-- bench: written by tools/bench/page.ts -->", "<!-- end of bench -->"];
  const page = `a\n${begin}\nold\n${end}\nb\n`;

  test("keeps what stands around its place, as often as it is written", () => {
    const once = written(page, "bench", "new $& text");
    expect(once).toBe(`a\n${begin}\nnew $& text\n${end}\nb\n`);
    expect(written(once, "bench", "new $& text")).toBe(once);
  });

  test.each([
    ["no place", "a\n"],
    ["no end", `a\n${begin}\nb\n`],
    ["two places", `${page}${page}`],
  ])("with %s is an error", (_what, text) => {
    expect(() => written(text, "bench", "new")).toThrow("one place for bench");
  });

  test("has a part of its own for each", () => {
    expect(new Set(PAGES.map(([path, part]) => `${path} ${part}`)).size).toBe(PAGES.length);
  });

  test("without a result there is an error that says how one is made", () => {
    expect(() => resultFrom(join(__dirname, "none.json"))).toThrow(
      /^there is no test\/tools\/none\.json: `npm run bench -- --out .*` makes it, `npx tsx tools\/bench\/page\.ts` then/,
    );
  });
});
