/** Planted bugs are found. Without that, scenarios that find nothing prove nothing. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { BUGS } from "./planted/bugs";
import { findPlanted, planted } from "./planted/find";

describe("a planted bug is found within 300 runs", { timeout: 300_000 }, () => {
  test.each(BUGS.map((bug) => [bug.name, bug] as const))("%s", async (_name, bug) => {
    const said: string[] = [];
    const found = await findPlanted({ shrink: false, line: (text = "") => said.push(text), bugs: [bug] });
    expect(found, said.join("\n")).toBe(true);
  });

  test.each(BUGS.map((bug) => [bug.name, bug] as const))("its text is in the sources: %s", (_name, bug) => {
    const source = readFileSync(join(__dirname, "../..", bug.file), "utf8");
    expect(planted(bug, source)).not.toBe(source);
  });

  test("a bug whose text is no longer in the sources is an error", () => {
    expect(() => planted(BUGS[0]!, "other text")).toThrow(
      /can't be planted: provider\/api\/retry\.ts must have this text once, and has it 0 times/,
    );
  });
});
