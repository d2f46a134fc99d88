/** The arithmetic of the benchmark's figures; what machines measure is asserted nowhere. */
import { describe, expect, test } from "vitest";
import type { RequestRecord } from "../../emulator/index";
import { growthRows } from "../../tools/bench/growth";
import { differences, median, ratio, verdict } from "../../tools/bench/math";
import { isMutation, lockedShare, pollsIn } from "../../tools/bench/requests";
import { rowOf } from "../../tools/bench/row";

describe("the median", () => {
  test.each<[string, number[], number | undefined]>([
    ["of an odd number is the one in the middle, in whatever order they came", [9, 1, 5], 5],
    ["of an even number is between the two in the middle", [4, 1, 10, 2], 3],
    ["of one is that one", [7], 7],
    ["of nothing is nothing", [], undefined],
    ["goes by size, not by letters", [10, 9, 100], 10],
  ])("%s", (_, values, expected) => {
    expect(median(values)).toBe(expected);
  });

  test("leaves its values in their order", () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });
});

describe("a ratio", () => {
  test.each<[string, number[], number[], number | undefined]>([
    ["is the median of each round's, so that a slow round of both changes nothing", [2, 20, 2], [1, 10, 1], 2],
    ["is not that of the medians", [1, 6, 4], [1, 2, 3], 4 / 3],
    ["takes the rounds that both have", [2, 4, 600], [1, 1], 3],
    ["leaves out a round without a denominator", [5, 6], [0, 2], 3],
    ["of nothing is nothing", [], [1], undefined],
  ])("%s", (_, over, under, expected) => {
    expect(ratio(over, under)).toBe(expected);
  });

  test("differences are those of each round that both have", () => {
    expect(differences([5, 7, 9], [1, 2])).toEqual([4, 5]);
  });
});

describe("a verdict", () => {
  test.each<[string, number | undefined, number, string]>([
    ["below the target is met", 1.05, 1.1, "met"],
    ["the target itself is met", 15, 15, "met"],
    ["above it is not met, however little", 15.001, 15, "not met"],
    ["nothing asked for, nothing sent is met", 0, 0, "met"],
    ["what was not measured is never met", undefined, 1, "not measured"],
    ["nor is what is no number", Number.NaN, 1, "not measured"],
    ["nor what has no denominator", Number.POSITIVE_INFINITY, 1, "not measured"],
  ])("%s", (_, value, most, expected) => {
    expect(verdict(value, most)).toBe(expected);
  });
});

describe("a row", () => {
  const measured = {
    scenario: "s",
    figure: "f",
    samples: { ours: [3, 1, 2], naive: [8] },
    sampled: "requests",
  } as const;

  test("takes the median of ours for its figure where no other is given", () => {
    expect(rowOf({ ...measured, most: 2 })).toMatchObject({
      value: 2,
      unit: "requests",
      medians: { ours: 2, naive: 8 },
      verdict: "met",
    });
  });

  test("has the figure that is given, in its own unit", () => {
    expect(rowOf({ ...measured, value: 1.4, unit: "ratio", most: 1.3 })).toMatchObject({
      value: 1.4,
      unit: "ratio",
      verdict: "not met",
    });
  });

  test("a figure that could not be computed is not measured, and not ours in its place", () => {
    expect(rowOf({ ...measured, value: undefined, most: 5 }).verdict).toBe("not measured");
  });

  test("without a target has no verdict", () => {
    expect(rowOf(measured)).not.toHaveProperty("verdict");
  });
});

describe("growth", () => {
  const row = (n: number, ours: number, floor: number) =>
    rowOf({ scenario: "s", figure: "f", n, samples: { ours: [ours], floor: [floor] }, sampled: "s" });

  test("is from a tenth to the largest N that has one", () => {
    const [grown, ...more] = growthRows([row(10, 1, 1), row(100, 4, 2), row(500, 9, 9)], "growth");
    expect(more).toEqual([]);
    expect(grown).toMatchObject({ figure: "growth, 10 → 100", medians: { ours: 4, floor: 2 }, value: 4 });
  });

  test.each<[string, number[]]>([
    ["without such a pair there is none", [10, 50]],
    ["of one N there is none", [10]],
  ])("%s", (_, sizes) => {
    expect(
      growthRows(
        sizes.map((n) => row(n, 1, 1)),
        "growth",
      ),
    ).toEqual([]);
  });
});

describe("requests", () => {
  const record = (method: string, path: string, status: number): RequestRecord => ({ method, path, status, time: 0 });
  const requests = [
    record("POST", "/projects/a/endpoints", 423),
    record("POST", "/projects/a/endpoints", 201),
    record("PATCH", "/projects/a/endpoints/ep-1", 200),
    record("DELETE", "/projects/a/endpoints/ep-1", 423),
    record("GET", "/projects/a/operations/1", 423),
    record("GET", "/projects/a/operations?limit=100", 200),
    record("GET", "/projects/ab/operations", 200),
    record("GET", "/projects/a/endpoints", 200),
  ];

  test("mutations are what is no GET", () => {
    expect(requests.filter(isMutation)).toHaveLength(4);
  });

  test("the share of 423 is that of the mutations, in per cent", () => {
    expect(lockedShare(requests)).toBe(50);
  });

  test("polls are looks at this project's operations, one or a page", () => {
    expect(pollsIn(requests, "a")).toBe(2);
  });
});
