// Nothing in a preview document is trusted: names, values and messages are the program's, and a report is shown where
// others read it. Every text passes here once, before it becomes part of a finding.

import { escapeInvisible } from "../escape.js";

const LONGEST = 120;
/** The longest line of ours with a quote in it, in characters. */
export const LONGEST_LINE = 2000;

/** One line with visible escapes for invisible characters, shortened if too long. The cut never splits an escape. */
export function cleanLine(text: string, longest = LONGEST): string {
  // First cut roughly, so that a text of megabytes costs nothing.
  const head = text.length > longest * 8 ? text.slice(0, longest * 8) : text;
  const line = head.replace(/ +/g, " ").replace(/^ | $/g, "");
  let shown = "";
  let length = 0;
  for (const piece of escapeInvisible(line).match(PIECES) ?? []) {
    length += [...piece].length;
    if (length > longest) return `${shown.trimEnd()}…`;
    shown += piece;
  }
  return head.length < text.length ? `${shown.trimEnd()}…` : shown;
}

const PIECES = /\\u\{[0-9a-f]+\}|\\[nrt]|[\s\S]/gu;

/** The colour commands of a terminal. Its other commands are not removed, but shown as escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: every command of a terminal begins with the control character ESC
const COLOURS = /\u001b\[[\d;:]*m/g;

/**
 * A line of a message, as compilers and programs print it: colours are removed, and tabs become spaces. Not for names and
 * values.
 */
export const cleanMessage = (text: string, longest: number): string =>
  cleanLine(
    text
      .slice(0, longest * 20)
      .replace(COLOURS, "")
      .replace(/[\s\u0085]+/g, " "),
    longest,
  );

/** A stable name for an HTML comment. */
export const commentName = (text: string): string =>
  text
    .replace(/[^\w./ -]/g, "_")
    .replace(/-{2,}/g, "-")
    .slice(0, 200);

/** Marks somebody else's words inside a sentence of ours; no clean text has these characters. */
const [OPEN, CLOSE] = ["\u0001", "\u0002"];
export const quote = (text: string): string => `${OPEN}${text}${CLOSE}`;

/** For output formats without markup. */
export const withoutQuoteMarks = (sentence: string): string => sentence.replaceAll(OPEN, "").replaceAll(CLOSE, "");

/** A sentence for markup: what is quoted in it goes through `show`. */
export const renderQuotes = (sentence: string, show: (text: string) => string): string =>
  sentence
    .split(OPEN)
    .map((part, index) => {
      if (index === 0) return part;
      const [text = "", rest = ""] = part.split(CLOSE);
      return `${show(text)}${rest}`;
    })
    .join("");
