/** Faults, and the patterns of their paths, are bounded: no rule makes the emulator hold or do more. */
import { describe, expect, test } from "vitest";
import { createEmulator } from "../../../emulator/index.js";
import { LIMITS } from "../../../emulator/model/limits.js";
import { matchesPattern } from "../../../emulator/model/path-pattern.js";
import { quickly } from "../quickly.js";
import { emulator, KEY, PRIMARY } from "../support.js";

describe("a pattern of a path", () => {
  test.each([
    ["/projects/*/endpoints", "/projects/p/endpoints", true],
    ["/projects/*/endpoints", "/projects/p/q/endpoints", false],
    ["/projects/*/endpoints", "/projects//endpoints", true],
    ["/projects/**/endpoints", "/projects/p/q/endpoints", true],
    ["/projects/*", "/projects/p/endpoints", false],
    ["/projects/**", "/projects/p/endpoints", true],
    ["/projects/***", "/projects/p/endpoints", true],
    ["*", "/", false],
    ["**", "", true],
    ["/*b*", "/abcb", true],
    ["/*bb", "/abbb", true],
    ["/*bb", "/abab", false],
    ["/**/b*", "/a/b/c/b", true],
    ["/a", "/ab", false],
  ])("%s and %s: %s", (pattern, path, fits) => {
    expect(matchesPattern(pattern, path)).toBe(fits);
  });

  test("takes no time, however it is made", async () => {
    const path = `/${"a".repeat(LIMITS.pathCharacters - 1)}`;
    for (const wildcard of ["*", "**"]) {
      const literal = "a".repeat(Math.floor(LIMITS.patternCharacters / LIMITS.patternWildcards) - wildcard.length);
      const worst = `${`${wildcard}${literal}`.repeat(LIMITS.patternWildcards)}b`;
      await quickly(() => {
        for (let n = 0; n < LIMITS.faultRules / 2; n += 1) expect(matchesPattern(worst, path)).toBe(false);
      });
    }
  });

  test.each([
    [
      "*a".repeat(4000),
      "match.path: Too big: expected string to have <=500 characters; match.path: more than 10 wildcards",
    ],
    ["*a".repeat(LIMITS.patternWildcards + 1), "match.path: more than 10 wildcards"],
  ])("that is larger is refused", async (path, reason) => {
    const { control, running } = emulator();
    const rule = { match: { path }, then: { status: 500 } };
    const reply = await control("POST", "/faults", rule);
    expect([reply.status, reply.body.message]).toEqual([400, `not a fault rule: ${reason}`]);
    expect(() => running.faults.add(rule)).toThrow(reason);
  });

  test("a path that is longer than all is refused, and compared with none", async () => {
    const { raw, running } = emulator();
    running.faults.add({ match: {}, then: { status: 500 } });
    const path = `/api/v2/${"a".repeat(LIMITS.pathCharacters)}`;
    const reply = await raw("GET", path, undefined, { authorization: `Bearer ${KEY}` });
    expect([reply.status, reply.body.message]).toEqual([414, "the path has more than 2048 characters"]);
  });
});

describe("faults", () => {
  const rule = { match: { path: "/x" }, then: { status: 500 } };

  test("are not more than so many", async () => {
    const { control, running } = emulator();
    for (let n = 0; n < LIMITS.faultRules; n += 1) running.faults.add(rule);
    const reply = await control("POST", "/faults", { operation: { action: "a", then: "failed" } });
    expect([reply.status, reply.body.message]).toEqual([
      400,
      "no more faults: 1000 of them wait; remove them first (DELETE /_emulator/faults, faults.clear())",
    ]);
    running.faults.clear();
    running.faults.add(rule);
  });

  test("are not larger than so much together, and one that was used up takes no room", async () => {
    const { call, running } = emulator();
    const body = "x".repeat(LIMITS.faultCharacters / 2 - 1000);
    const large = { match: {}, then: { status: 500, body } };
    const stays = { match: { path: "/never" }, then: { status: 500, body } };
    running.faults.add(stays);
    running.faults.add(large);
    expect(() => running.faults.add(large)).toThrow(/^no more faults: they would have \d+ characters/);
    await call("GET", PRIMARY);
    running.faults.add(large);
    running.faults.clear();
    running.faults.add({ ...stays, then: { status: 500, body: "x".repeat(LIMITS.faultCharacters - 1000) } });
    const small = { operation: { action: "a".repeat(LIMITS.nameCharacters), then: "failed" } } as const;
    expect(() => {
      for (let n = 0; n < 10; n += 1) running.faults.add(small);
    }).toThrow(/^no more faults: they would have/);
  });

  test.each<[string, object, string]>([
    [
      "headers",
      { match: {}, then: { headers: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`x${n}`, ""])) } },
      "then.headers: 101 headers are more than 100",
    ],
    ["fields", { ignore: { fields: Array.from({ length: 101 }, () => "name") } }, "ignore.fields"],
    ["a long field", { ignore: { fields: [`name${".a".repeat(1000)}`] } }, "ignore.fields.0"],
    ["characters of an action", { operation: { action: "a".repeat(101), then: "failed" } }, "operation.action"],
    ["characters of a method", { match: { method: "a".repeat(101) }, then: { status: 500 } }, "match.method"],
    ["failures", { operation: { action: "a", then: "failed-then-finished", failures: 1e6 } }, "operation.failures"],
  ])("with too many %s are refused", (_what, one, reason) => {
    expect(() => emulator().running.faults.add(one as never)).toThrow(reason);
  });

  test("delay no more than so many answers at the same time", async () => {
    const running = createEmulator({ apiKey: KEY, time: "virtual" });
    running.faults.add({ match: {}, times: LIMITS.delayedResponses + 1, then: { status: 500, delayMs: 1000 } });
    const ask = () => running.handle({ method: "GET", path: "/x", headers: {} });
    const waiting = Array.from({ length: LIMITS.delayedResponses }, ask);
    expect(await ask()).toMatchObject({
      status: 503,
      body: expect.stringContaining("10000 answers are delayed already"),
    });
    running.clock.advance(1000);
    await Promise.all(waiting);
    running.faults.add({ match: {}, then: { status: 418, delayMs: 0 } });
    expect(await ask()).toMatchObject({ status: 418 });
  });
});
