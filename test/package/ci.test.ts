/** `.ci/run` must not be green by accident. */
import { describe, expect, test } from "vitest";
import { countTests } from "../../tools/ci/count-tests";

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((status, index) => ({ status, fullName: `test ${index}` })),
});
const report = (...testResults: object[]) => JSON.stringify({ testResults });

describe("the sum of a run of vitest", () => {
  test.each([
    ["tests that pass", report(file("passed", "passed", "passed"), file("passed", "passed")), 0, 3, 0],
    ["tests that fail", report(file("failed", "passed", "failed", "failed")), 1, 1, 2],
    ["a file that could not be loaded", report(file("passed", "passed"), file("failed")), 1, 1, 1],
    ["a hook that failed, so that its tests were skipped", report(file("failed", "skipped", "passed")), 1, 1, 1],
    ["an error outside of any test", report(file("passed", "passed")), 1, 1, 1],
    ["a runner that was killed after its report", report(file("passed", "passed")), 137, 1, 1],
    ["no test at all", report(), 0, 0, 1],
    ["only skipped tests", report(file("passed", "skipped")), 0, 0, 1],
    ["no report", undefined, 1, 0, 1],
    ["no report although all is said to be well", undefined, 0, 0, 1],
    ["half a report", '{"testResults": [', 0, 0, 1],
    ["a report without results", "{}", 0, 0, 1],
  ])("%s", (_what, text, code, passed, failed) => {
    expect(countTests(text, code)).toMatchObject({ passed, failed });
  });

  test("tells which tests were left out", () => {
    const text = report(file("passed", "passed", "skipped", "pending", "todo"));
    expect(countTests(text, 0)).toEqual({ passed: 1, failed: 0, skipped: ["test 1", "test 2", "test 3"] });
  });
});
