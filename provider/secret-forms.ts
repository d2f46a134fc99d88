// Takes values out of a text in whatever form they stand there: as they are, escaped for JSON, a URL or HTML, with their white
// space collapsed, in another case or with other accents, or in part.

import { folded, foldedText, inOneLine, oneLineOf, shownLineOf, type View, viewsOf } from "./text-views.js";

export { oneLineOf };

/** Letters of the shortest part of a value that is taken out of a text. Shorter parts also stand in unrelated words. */
export const MIN_PART = 8;
/** Letters of a value in which parts are looked for. A longer value is a file, and its beginning is enough to recognize it. */
const LONGEST = 64 * 1024;
/** A shorter text would be found in words that have nothing to do with it. */
export const SHORTEST_SECRET = 4;

/** Values of one kind, and the placeholder that replaces them. */
export class HiddenTexts {
  readonly placeholder: string;
  readonly #values = new Set<string>();
  /** Short values without case and space, see `folded`. */
  readonly #folded = new Set<string>();
  /** The parts of the values with `MIN_PART` letters, without case and space. Longer parts consist of these. */
  readonly #parts = new Set<string>();

  constructor(placeholder: string, values: readonly string[] = []) {
    this.placeholder = placeholder;
    for (const value of values) this.add(value);
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  has = (value: string): boolean => this.#values.has(oneLineOf(value));

  add(value: string): void {
    const line = oneLineOf(value);
    this.#addLine(line);
    // A text is also searched with its `visible-text.ts` escapes undone. A secret that itself contains such an escape (`\\n`) then
    // looks different, so that form of it is remembered too.
    const shown = shownLineOf(line);
    if (shown.trim().length >= SHORTEST_SECRET) this.#addLine(shown);
  }

  #addLine(line: string): void {
    if (line === "" || this.#values.has(line)) return;
    this.#values.add(line);
    const letters = foldedText(line.slice(0, LONGEST));
    // An accent may be written as a mark of its own, so short values with accents are compared without them too.
    if (letters !== "" && letters.length < MIN_PART && /[^\0-\x7f]/.test(line)) this.#folded.add(letters);
    for (let at = 0; at + MIN_PART <= letters.length; at++) this.#parts.add(letters.slice(at, at + MIN_PART));
  }

  /** A shorter key is a test's. Removing it would make every text unreadable. */
  addKey(key: string): void {
    if (key.length >= SHORTEST_SECRET) this.add(key);
  }

  /** The places of whole values, and of the beginning of a value where the text ends or is cut. */
  wholes(view: View): Range[] {
    return [...this.#values].flatMap((value) => this.#rangesOf(view, value, true));
  }

  /** The places of all parts with `MIN_PART` letters or more. */
  parts(view: View): Range[] {
    const ranges = [...this.#folded].flatMap((value) => this.#rangesOf(view, value, false));
    if (this.#parts.size === 0) return ranges;
    for (let at = 0; at + MIN_PART <= view.text.length; at++) {
      if (this.#parts.has(view.text.slice(at, at + MIN_PART))) ranges.push(this.#range(view, at, at + MIN_PART));
    }
    return ranges;
  }

  #rangesOf(view: View, value: string, mayBeCut: boolean): Range[] {
    const { text } = view;
    const ranges: Range[] = [];
    const beginning = value.slice(0, MIN_PART);
    for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, at + 1)) {
      let length = beginning.length;
      while (length < value.length && text[at + length] === value[length]) length++;
      const isCut = mayBeCut && length >= MIN_PART && /^(?:…|\.\.\.|$)/.test(text.slice(at + length, at + length + 3));
      if (length === value.length || isCut) ranges.push(this.#range(view, at, at + length));
    }
    return ranges;
  }

  #range = ({ from, to }: View, start: number, end: number): Range => ({
    start: from[start]!,
    end: to[end - 1]!,
    placeholder: this.placeholder,
  });
}

interface Range {
  start: number;
  end: number;
  placeholder: string;
}

/** The password in a connection URI. In a well-formed URI it contains neither `@` nor `/`. */
const PASSWORD = /(\bpostgres(?:ql)?:\/\/[^\s:@/]*:)([^\s@/]+)@/gi;
/** Placeholders that replaced values before: some texts are cleaned twice. */
const PLACEHOLDER = /\[(?:secret|key|password|value)\]/g;

/** The text with `placeholder` for each of the values, however it is written. */
export const withoutForms = (text: string, values: readonly string[], placeholder: string): string =>
  withoutHiddenTexts(text, [new HiddenTexts(placeholder, values)], false);

/**
 * The text without the values and without passwords of connection URIs. All values are looked for in the unchanged
 * text: one may be a part of another, and once it was taken out, the rest of the other would not be found.
 * @param inParts whether parts of a value are taken out too: texts that we did not write may have a value cut
 */
export function withoutHiddenTexts(text: string, hidden: readonly HiddenTexts[], inParts: boolean): string {
  const groups = hidden.filter(({ isEmpty }) => !isEmpty);
  const ranges: Range[] = [];
  for (const view of viewsOf(text, inParts)) {
    ranges.push(...passwordsIn(view));
    if (groups.length === 0) continue;
    const line = inOneLine(view);
    const letters = inParts ? folded(view) : undefined;
    // Not `push(...)`: a call can have only so many arguments, and the service decides how often a value stands in its text.
    for (const group of groups) {
      for (const range of group.wholes(line)) ranges.push(range);
      if (letters) for (const range of group.parts(letters)) ranges.push(range);
    }
  }
  const placeholders = [...text.matchAll(PLACEHOLDER)].map(({ index, 0: placeholder }): [number, number] => [
    index,
    index + placeholder.length,
  ]);
  const isPlaceholder = ({ start, end }: Range) => placeholders.some(([from, to]) => start >= from && end <= to);
  return replaced(text, placeholders.length > 0 ? ranges.filter((range) => !isPlaceholder(range)) : ranges);
}

function passwordsIn({ text, from, to }: View): Range[] {
  return [...text.matchAll(PASSWORD)].map(({ index, 1: before, 2: password }) => {
    const start = index + before!.length;
    return { start: from[start]!, end: to[start + password!.length - 1]!, placeholder: "[password]" };
  });
}

function replaced(text: string, ranges: Range[]): string {
  let [cleaned, at] = ["", 0];
  for (const { start, end, placeholder } of joined(ranges)) {
    cleaned += text.slice(at, start) + placeholder;
    at = end;
  }
  return cleaned + text.slice(at);
}

/**
 * Joins ranges that touch: a part of a value may have been found twice, or in two forms. The placeholder of the longest range is used.
 */
function joined(ranges: Range[]): Range[] {
  const all: (Range & { longest: number })[] = [];
  for (const range of ranges.sort((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    const length = range.end - range.start;
    if (!last || range.start > last.end) all.push({ ...range, longest: length });
    else {
      last.end = Math.max(last.end, range.end);
      if (length > last.longest) Object.assign(last, { longest: length, placeholder: range.placeholder });
    }
  }
  return all;
}
