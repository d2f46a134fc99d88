// Names, values and messages come from programs and from the service. People read them on terminals and in logs. So a character
// that is invisible, or changes how others look, is shown as an escape: `\u{202e}`.

/**
 * Control characters (ESC begins a command to a terminal), format characters (they turn the direction of a text or have no
 * width), halves of surrogate pairs, characters that fonts draw as nothing, and white space other than the space.
 */
const INVISIBLE =
  "\\p{Control}\\p{Format}\\p{Surrogate}\\p{Private_Use}\\p{Unassigned}\\p{Line_Separator}\\p{Paragraph_Separator}\\u2800";
/** A variation selector is part of many emoji. After any other character it can only hide something. */
const SELECTOR =
  "(?<!\\p{Extended_Pictographic})[\\ufe0e\\ufe0f]|(?![\\ufe0e\\ufe0f])\\p{Default_Ignorable_Code_Point}";
const SPACES = "(?! )\\p{Space_Separator}";
/** All characters that are shown as escapes. */
export const INVISIBLES = new RegExp(`[${INVISIBLE}]|${SELECTOR}|${SPACES}`, "gu");
/** More marks on one letter than any language uses. */
const PILED = /(?<=\p{Mark}{4})\p{Mark}/gu;

const SHORT = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** `\n` or `\u{202e}`. */
export const escapeOf = (one: string): string => SHORT.get(one) ?? `\\u{${one.codePointAt(0)!.toString(16)}}`;

/** One line in which every character is visible. */
export const escapeInvisible = (text: string): string => text.replace(INVISIBLES, escapeOf).replace(PILED, escapeOf);

/** The same for a text of several lines. */
export const escapeInvisibleLines = (text: string): string => text.split("\n").map(escapeInvisible).join("\n");

/** Longer than any host, name or word of a service. */
const LONGEST_WORD = 255;

/** A word that somebody else wrote, as one visible line of bounded length. */
export function visibleWord(text: string): string {
  const shown = escapeInvisible(text.slice(0, LONGEST_WORD));
  return shown.length > LONGEST_WORD || text.length > LONGEST_WORD ? `${shown.slice(0, LONGEST_WORD)}…` : shown;
}
