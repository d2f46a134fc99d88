/** Bugs that are put in on purpose are found: without that, stories in which nothing is found prove nothing. */
import { describe, expect, test } from "vitest";
import { BUGS } from "../../tools/chaos/bugs";
import { findPlanted, planted } from "../../tools/chaos/planted";

describe("a planted bug is found within 300 stories", { timeout: 300_000 }, () => {
  test.each(BUGS.map((bug) => [bug.name, bug] as const))("%s", async (_name, bug) => {
    const said: string[] = [];
    const found = await findPlanted({ shrink: false, line: (text = "") => said.push(text), bugs: [bug] });
    expect(found, said.join("\n")).toBe(true);
  });

  test("one that no longer fits the sources is an error, and not a bug that nobody found", () => {
    expect(() => planted(BUGS[0]!, "other text")).toThrow(/can't be planted: provider\/api\/retry\.ts has 0 times/);
  });
});
