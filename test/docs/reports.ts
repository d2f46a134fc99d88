/** What reviewers were shown in the rehearsal, test/engine/rehearsal.test.ts. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../package/snippets";

const FOLDER = join(ROOT, "docs/reports");

export const keptReports = (): { name: string; text: string }[] =>
  readdirSync(FOLDER).map((name) => ({ name, text: readFileSync(join(FOLDER, name), "utf8") }));

/** What a reader sees of it without unfolding anything. */
export const shownOf = (report: string): string =>
  report
    .replace(/^<!--.*-->\n+/, "")
    .replace(/<details>[\s\S]*$/, "")
    .trim();
