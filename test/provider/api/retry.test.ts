import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FIRST_CONTACT_MS, FirstContact } from "../../../provider/api/first-contact.js";
import {
  hasUnknownOutcome,
  isBranchNotReady,
  mayRepeat,
  pauseBefore,
  type RequestFailure,
  retryAfterMs,
} from "../../../provider/api/retry.js";

const status = (code: number, message = ""): RequestFailure => ({ kind: "status", status: code, message });

describe("the pause before the next try", () => {
  test.each([
    [0, 0, 500],
    [0, 0.999, 1000],
    [1, 0.999, 2000],
    [2, 0.999, 4000],
    [4, 0.999, 10_000],
    [50, 0.999, 10_000],
    [50, 0, 500],
  ])("after %i failures and with chance %d is about %i ms", (count, chance, ms) => {
    const pause = pauseBefore({ count, leftMs: 600_000, random: () => chance });
    expect(Math.abs((pause ?? 0) - ms)).toBeLessThan(20);
  });

  test("is never shorter than 0.5 s nor than the floor, and always ends before the deadline", () => {
    const anything = fc.record({
      count: fc.nat(2000),
      floorMs: fc.option(fc.integer({ min: 0, max: 900_000 }), { nil: undefined }),
      leftMs: fc.integer({ min: -10_000, max: 600_000 }),
      chance: fc.double({ min: 0, max: 0.999_999, noNaN: true }),
    });
    fc.assert(
      fc.property(anything, ({ chance, ...given }) => {
        const pause = pauseBefore({ ...given, random: () => chance });
        const least = Math.max(500, given.floorMs ?? 0);
        if (pause === undefined) expect(given.leftMs).toBeLessThanOrEqual(least);
        else {
          expect(pause).toBeGreaterThanOrEqual(least);
          expect(pause).toBeLessThan(given.leftMs);
          expect(pause).toBeLessThanOrEqual(Math.max(10_000, given.floorMs ?? 0));
        }
      }),
    );
  });

  test("leaves room for a last try where only the jitter would not fit", () => {
    expect(pauseBefore({ count: 9, leftMs: 3000, random: () => 0.9 })).toBe(2500);
  });
});

describe("a mutation", () => {
  test.each([400, 401, 403, 404, 406, 409, 412, 422, 423, 429, 503])("that met %i did nothing", (code) => {
    for (const method of ["POST", "PATCH", "DELETE"]) expect(hasUnknownOutcome(method, status(code))).toBe(false);
  });

  test("is repeated exactly where it did nothing and time may help", () => {
    fc.assert(
      fc.property(fc.constantFrom("POST", "PATCH", "DELETE"), fc.integer({ min: 300, max: 599 }), (method, code) => {
        expect(mayRepeat(method, status(code))).toBe([423, 429, 503].includes(code));
        if (mayRepeat(method, status(code))) expect(hasUnknownOutcome(method, status(code))).toBe(false);
      }),
    );
    expect(mayRepeat("POST", { kind: "cut" })).toBe(false);
    expect(mayRepeat("POST", { kind: "unreadable" }, 1)).toBe(false);
    expect(mayRepeat("POST", { kind: "unsent" })).toBe(true);
  });

  test.each([
    [422, "branch not ready yet", true],
    [422, "Branch br-1 is not ready", true],
    [422, "branch has children", false],
    [400, "branch not ready yet", false],
  ])("%i %j may wait for the branch: %s", (code, message, ready) => {
    expect(isBranchNotReady(code, message)).toBe(ready);
    expect(mayRepeat("POST", status(code, message))).toBe(ready);
  });
});

describe("Retry-After", () => {
  const wall = Date.UTC(2026, 4, 4, 10);
  test.each([
    [undefined, undefined],
    ["", undefined],
    [" 3 ", 3000],
    ["1.5", 1500],
    ["0", 0],
    ["0.25", 250],
    ["3600", 3_600_000],
    // More than an hour can't be meant, and is as if absent.
    ["3601", undefined],
    ["86400", undefined],
    ["99999999999", undefined],
    ["9".repeat(400), undefined],
    ["Tue, 05 May 2026 10:00:00 GMT", undefined],
    // Several headers, joined: the longest that can be meant.
    ["3, 3", 3000],
    ["3,5", 5000],
    ["5 , 3", 5000],
    [", 3,", 3000],
    ["3, soon", 3000],
    ["soon, 3", 3000],
    ["3, 86400", 3000],
    ["-1, 2", 2000],
    ["2, Mon, 04 May 2026 10:00:30 GMT", 30_000],
    ["Mon, 04 May 2026 10:00:30 GMT, 2", 30_000],
    ["Mon, 04 May 2026 10:00:30 GMT, Mon, 04 May 2026 10:00:40 GMT", 40_000],
    ["Monday, 04-May-26 10:00:30 GMT, Mon May  4 10:00:35 2026", 35_000],
    ["Mon May  4 10:00:30 2026", 30_000],
    ["mon, 04 may 2026 10:00:30 gmt", 30_000],
    ["Mon, 04 May 2026 12:00:30 +0200", 30_000],
    ["Mon, 04 May 2026 10:00:30 GMT", 30_000],
    ["Monday, 04-May-26 10:00:30 GMT", 30_000],
    ["Mon, 04 May 2026 09:00:00 GMT", 0],
    ["-1", undefined],
    ["-0", undefined],
    ["+3", undefined],
    ["3s", undefined],
    ["0x10", undefined],
    ["Infinity", undefined],
    ["NaN", undefined],
    [" , ", undefined],
    ["May 4, 2026", undefined],
    ["2026-05-04T10:00:30Z", undefined],
    ["1e3", undefined],
    ["Mon, 99 Foo", undefined],
    ["\u0000", undefined],
  ])("%j is %s ms", (header, ms) => {
    expect(retryAfterMs(header, wall)).toBe(ms);
  });
});

test("a silence counts only until the first answer, from its first failure on", () => {
  const reach = new FirstContact();
  expect(reach.leftMs({ kind: "unsent" }, 5000)).toBe(FIRST_CONTACT_MS);
  expect(reach.leftMs({ kind: "cut" }, 5000 + FIRST_CONTACT_MS - 1)).toBe(1);
  expect(reach.leftMs({ kind: "unsent" }, 5000 + FIRST_CONTACT_MS)).toBe(0);
  expect(reach.leftMs(status(502), 100_000)).toBe(Number.POSITIVE_INFINITY);
  expect(reach.leftMs({ kind: "unsent" }, 900_000)).toBe(Number.POSITIVE_INFINITY);
});
