/**
 * The pages that show the figures. This script writes the text between their marks from a result, so it can't go stale.
 * `npx tsx tools/bench/page.ts` writes them from docs/bench/result.json.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Circumstances, headline } from "./machine";
import type { Row } from "./row";
import { costsTable, scaleTable } from "./scale";
import { summaryOf, tableOf } from "./table";

export type Result = Circumstances & { rows: Row[] };

const ROOT = join(__dirname, "..", "..");
export const RESULT = join(ROOT, "docs", "bench", "result.json");
const COMMAND = "npx tsx tools/bench/page.ts";
/** Which page has which part. */
export const PAGES: [page: string, part: string, of: (result: Result) => string][] = [
  ["docs/scale.md", "bench", tableIn],
  ["docs/scale.md", "costs", costsTable],
  ["docs/scale.md", "scale", scaleTable],
];

function tableIn(result: Result): string {
  const { rows } = result;
  return ["```", headline(result), "", ...tableOf(rows), "", summaryOf(rows), "```"].join("\n");
}

const marks = (part: string): [begin: string, end: string] => [
  `<!-- ${part}: written by tools/bench/page.ts -->`,
  `<!-- end of ${part} -->`,
];

/** The page with another text between the marks of the part. */
export function written(page: string, part: string, text: string): string {
  const [begin, end] = marks(part);
  const [before, rest = "", ...more] = page.split(`${begin}\n`);
  const [old, after] = rest.split(end);
  if (old === undefined || after === undefined || more.length > 0)
    throw new Error(`the page must have one place for ${part}`);
  return `${before}${begin}\n${text}\n${end}${after}`;
}

/** @throws an error that says how to make the file, if there is none */
export function resultFrom(path: string): Result {
  if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8")) as Result;
  const out = relative(ROOT, path);
  throw new Error(
    `there is no ${out}: \`npm run bench -- --out ${out}\` makes it, \`${COMMAND}\` then writes the pages`,
  );
}

if (require.main === module) {
  const result = resultFrom(RESULT);
  for (const [page, part, of] of PAGES) {
    const path = join(ROOT, page);
    writeFileSync(path, written(readFileSync(path, "utf8"), part, of(result)));
  }
}
