/** A table that is an object also has `constructor` and `__proto__`: a look-up by a text from outside finds functions there. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(__dirname, "../..");
const TABLE = /^(?:export )?const ([A-Z_]+): (?:Readonly<)?Record<string, .* = \{/gm;

/** The look-ups that do not ask for the table's own rows. */
function openLookUps(source: string): string[] {
  return [...source.matchAll(TABLE)].flatMap(([, table]) =>
    source.split("\n").filter((line) => line.includes(`${table}[`) && !line.includes(`Object.hasOwn(${table}, `)),
  );
}

test.each(["cli", "policy", "emulator"])("%s looks up only what its tables have themselves", (folder) => {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  const found = files
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => openLookUps(readFileSync(join(ROOT, folder, path), "utf8")).map((line) => `${path}: ${line}`));
  expect(found).toEqual([]);
});

test("the rule sees a look-up", () => {
  expect(openLookUps("const ROWS: Record<string, number> = { a: 1 };\nuse(ROWS[key] ?? 0);")).toEqual([
    "use(ROWS[key] ?? 0);",
  ]);
});
