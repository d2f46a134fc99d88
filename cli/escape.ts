// Texts for logs, terminals and programs: every character is visible, and no line is a runner's command.

import { escapeInvisible, escapeInvisibleLines, escapeOf, INVISIBLES } from "../provider/visible-text.js";

export { escapeInvisible, escapeInvisibleLines };

/**
 * Lines for a log or a terminal that no runner takes for commands. GitHub's takes `::` at the beginning, Azure's and GitHub's
 * `##[…]` and `##vso[…]`, TeamCity's `##teamcity[…]`; Buildkite folds a log at `---`; GitLab runs a comment's line that begins
 * with `/`.
 */
export const escapeCommands = (lines: string): string =>
  lines
    .replace(/##+/g, (all) => `#${"\\u{23}".repeat(all.length - 1)}`)
    .replace(/^([^\S\n]*)(?=::)./gm, "$1\\u{3a}")
    .replace(/^\//gm, "\\u{2f}")
    .replace(/^(?=---|\+\+\+|~~~|\^\^\^)./gm, escapeOf);

/** JSON with the same values. JSON escapes replace invisible characters, and text that a runner would take for a command. */
export const escapedJson = (value: unknown): string =>
  `${JSON.stringify(value, null, 2)
    .split("\n")
    .map((line) => line.replace(INVISIBLES, unitsOf).replaceAll("##", "#\\u0023"))
    .join("\n")}\n`;

const unitsOf = (one: string): string =>
  Array.from({ length: one.length }, (_, at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
