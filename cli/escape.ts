// Names, values and messages come from programs and from the service. People read them on terminals and in logs. So a character
// that is invisible, or changes how others look, is shown as an escape: `\u{202e}`.

/**
 * Control characters (ESC begins a command to a terminal), format characters (they turn the direction of a text or have no
 * width), halves of surrogate pairs, characters that fonts draw as nothing, and white space other than the space.
 */
const INVISIBLE =
  "\\p{Control}\\p{Format}\\p{Surrogate}\\p{Private_Use}\\p{Unassigned}\\p{Line_Separator}\\p{Paragraph_Separator}\\u2800";
/** A variation selector is part of many emoji. Behind any other character it can only hide something. */
const SELECTOR =
  "(?<!\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]|(?![\\ufe0e\\ufe0f])\\p{Default_Ignorable_Code_Point}";
const SPACES = "(?! )\\p{Space_Separator}";
const ALL = new RegExp(`[${INVISIBLE}]|${SELECTOR}|${SPACES}`, "gu");
/** More marks on one letter than any language uses. */
const PILED = /(?<=\p{Mark}{4})\p{Mark}/gu;

const SHORT = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

const escaped = (one: string): string => SHORT.get(one) ?? `\\u{${one.codePointAt(0)!.toString(16)}}`;

/** One line in which every character is visible. */
export const escapeInvisible = (text: string): string => text.replace(ALL, escaped).replace(PILED, escaped);

/** The same for a text of several lines. */
export const escapeInvisibleLines = (text: string): string => text.split("\n").map(escapeInvisible).join("\n");

/**
 * Lines for a log or a terminal that no runner takes for commands. GitHub's takes `::` at the beginning, Azure's and
 * GitHub's `##[…]` and `##vso[…]`, TeamCity's `##teamcity[…]`; Buildkite folds a log at `---`; GitLab carries out a line of a
 * note that begins with `/`.
 */
export const escapeCommands = (lines: string): string =>
  lines
    .replace(/##+/g, (all) => `#${"\\u{23}".repeat(all.length - 1)}`)
    .replace(/^([^\S\n]*)(?=::)./gm, "$1\\u{3a}")
    .replace(/^\//gm, "\\u{2f}")
    .replace(/^(?=---|\+\+\+|~~~|\^\^\^)./gm, escaped);

/** JSON with the same values. JSON escapes replace invisible characters, and text that a runner would take for a command. */
export const escapedJson = (value: unknown): string =>
  `${JSON.stringify(value, null, 2)
    .split("\n")
    .map((line) => line.replace(ALL, unitsOf).replaceAll("##", "#\\u0023"))
    .join("\n")}\n`;

const unitsOf = (one: string): string =>
  Array.from({ length: one.length }, (_, at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
