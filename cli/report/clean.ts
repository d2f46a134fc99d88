// Nothing in a preview document is trusted: names, values and messages are the program's, and a report is shown where
// others read it. Every text passes here once, before it becomes part of a finding.

/** Colours and other commands to a terminal, in their 7-bit and 8-bit forms. */
const TERMINAL =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;
/** Line ends of every kind, control characters, and what else is white space. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
const BREAKS = /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
/**
 * What is not seen and changes what is seen: marks that turn the direction of a text, characters without a width,
 * "tags", halves of surrogate pairs. They are shown as a replacement character, so that nobody is deceived.
 */
const UNSEEN =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\u034f|\p{Surrogate}/gu;
/** More marks on one letter than any language has. */
const PILED = /(\p{Mark}{4})\p{Mark}+/gu;

const LONGEST = 120;

/** One line without commands to terminals and without unseen characters, cut where it is too long. */
export function clean(text: string, longest = LONGEST): string {
  // First cut roughly, so that a text of megabytes costs nothing.
  const head = text.length > longest * 8 ? text.slice(0, longest * 8) : text;
  const line = head.replace(TERMINAL, "").replace(BREAKS, " ").replace(UNSEEN, "\ufffd").replace(PILED, "$1").trim();
  const letters = [...line];
  const isCut = letters.length > longest || head.length < text.length;
  return isCut ? `${letters.slice(0, longest).join("").trimEnd()}…` : line;
}

/** GitHub's runner takes a line that begins with `::`, and `##[` anywhere in a line, for a command. */
export const powerless = (text: string): string => text.replace(/^(\s*)::/gm, "$1: :").replaceAll("##[", "## [");

/** What may stand in a comment of HTML, and is the same at each run. */
export const plainName = (text: string): string =>
  text
    .replace(/[^\w./ -]/g, "_")
    .replace(/-{2,}/g, "-")
    .slice(0, 200);

/** Marks somebody else's words inside a sentence of ours; no clean text has these characters. */
const [OPEN, CLOSE] = ["\u0001", "\u0002"];
export const quote = (text: string): string => `${OPEN}${text}${CLOSE}`;

/** A sentence for those who show text as it is. */
export const plain = (sentence: string): string => sentence.replaceAll(OPEN, "").replaceAll(CLOSE, "");

/** A sentence for markup: what is quoted in it goes through `show`. */
export const marked = (sentence: string, show: (text: string) => string): string =>
  sentence
    .split(OPEN)
    .map((part, index) => {
      if (index === 0) return part;
      const [text = "", rest = ""] = part.split(CLOSE);
      return `${show(text)}${rest}`;
    })
    .join("");
