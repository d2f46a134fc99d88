import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareNaturally } from "../../../provider/rules/natural-order.js";

const sorted = (...names: string[]) => [...names].sort(compareNaturally);

describe("ids and names are sorted as people count", () => {
  test.each([
    [
      ["reader-10", "reader-2", "reader-1"],
      ["reader-1", "reader-2", "reader-10"],
    ],
    [
      ["a10b2", "a10b10", "a9"],
      ["a9", "a10b2", "a10b10"],
    ],
    [
      ["b", "a", ""],
      ["", "a", "b"],
    ],
    [
      ["a-", "a1", "a"],
      ["a", "a1", "a-"],
    ],
    [
      ["r-2", "r-02", "r-1"],
      ["r-1", "r-02", "r-2"],
    ],
    [
      ["ep-9", "ep-10000000000000000000001", "ep-10000000000000000000000"],
      ["ep-9", "ep-10000000000000000000000", "ep-10000000000000000000001"],
    ],
  ])("%j", (names, expected) => {
    expect(sorted(...names)).toEqual(expected);
  });

  test("the order does not depend on the order before", () => {
    const name = fc.stringMatching(/^[a-c0-3-]{0,6}$/);
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(Math.sign(compareNaturally(a, b)) + Math.sign(compareNaturally(b, a))).toBe(0);
        expect(compareNaturally(a, b) === 0).toBe(a === b);
        if (compareNaturally(a, b) < 0 && compareNaturally(b, c) < 0) expect(compareNaturally(a, c)).toBeLessThan(0);
      }),
    );
  });
});
