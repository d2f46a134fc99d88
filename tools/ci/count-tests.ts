/**
 * Adds up one report of vitest for `.ci/run`: `count-tests.ts REPORT EXIT_CODE` prints "PASSED FAILED", and one line more for
 * each test that was left out. Whatever is not a clean report counts as a failure: no report, no test, a file that could
 * not be loaded, an error outside of any test.
 */
import { existsSync, readFileSync } from "node:fs";

interface FileResult {
  status: string;
  assertionResults?: { status: string; fullName: string }[];
}

/** @param text what vitest's JSON reporter wrote, if it did */
export function countTests(text: string | undefined, exitCode: number) {
  const sum = { passed: 0, failed: 0, skipped: [] as string[] };
  for (const file of resultsOf(text)) {
    let failures = 0;
    for (const { status, fullName } of file.assertionResults ?? []) {
      if (status === "passed") sum.passed++;
      else if (status === "failed") failures++;
      else sum.skipped.push(fullName);
    }
    sum.failed += failures;
    // The file could not be loaded, or a hook failed.
    if (file.status !== "passed" && failures === 0) sum.failed++;
  }
  const nothing = sum.passed + sum.failed === 0;
  if (nothing || (exitCode !== 0 && sum.failed === 0)) sum.failed++;
  return sum;
}

function resultsOf(text: string | undefined): FileResult[] {
  try {
    return (JSON.parse(text ?? "") as { testResults?: FileResult[] }).testResults ?? [];
  } catch {
    return [];
  }
}

if (process.argv[1]?.endsWith("count-tests.ts")) {
  const [report = "", code] = process.argv.slice(2);
  const text = existsSync(report) ? readFileSync(report, "utf8") : undefined;
  const { passed, failed, skipped } = countTests(text, Number(code));
  console.log([`${passed} ${failed}`, ...skipped].join("\n"));
}
