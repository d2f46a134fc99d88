// The views of a text: as it is, unescaped from JSON, a URL or HTML, and without case, accents and white space. Each letter of
// a view knows its place in the original, so that what is found in a view can be taken out of the original. One regular
// expression for all forms of a value would backtrack without end.

export interface View {
  text: string;
  /** Where the letter `i` begins and ends in the original. */
  from: readonly number[];
  to: readonly number[];
}

/** How many levels of nested escapes are undone, in any order. */
const DEEPEST = 3;
/** The most letters of all views of one text, so that no text takes long. Triple escaping is rare. */
const MOST_LETTERS = 1024 * 1024;

/** JSON has no `\u{…}`: that is a shown escape. */
const JSON_ESCAPE = /\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|(?!u\{[0-9a-f]{1,6}\}).)/gisu;
/** The escapes that `visible-text.ts` writes. It does not escape a backslash. */
const SHOWN_ESCAPE = /\\(?:u\{[0-9a-f]{1,6}\}|[nrt])/g;
/** The same without `\n`, which may stand in a value. */
const SHOWN_CODE_POINT = /\\u\{[0-9a-f]{1,6}\}/g;
const ENTITY = /&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#x[0-9a-f]{1,6});/gi;
/** A letter in UTF-8. */
const PERCENT =
  /%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi;
/** In a URL's query and in the data of an HTML form, a plus stands for a space. */
const PLUS = /\+/g;
const SPACE = /[\s\p{Cc}]+/gu;

type Decoder = readonly [RegExp, (escaped: string) => string];
const DECODERS: readonly Decoder[] = [
  [ENTITY, fromEntity],
  [JSON_ESCAPE, fromJson],
  [SHOWN_ESCAPE, fromShown],
  [SHOWN_CODE_POINT, fromShown],
  [PLUS, () => " "],
  [PERCENT, fromPercent],
];
/** A line may be wrapped inside of an escape. */
const UNWRAPPED: Decoder = [SPACE, () => ""];

/**
 * The text, and every text that it may decode to.
 * @param mayBeWrapped whether it is also read without white space
 */
export function viewsOf(text: string, mayBeWrapped: boolean): View[] {
  const decoders = mayBeWrapped && /[\\%&]/.test(text) ? [...DECODERS, UNWRAPPED] : DECODERS;
  const ends = Array.from({ length: text.length + 1 }, (_, index) => index);
  const views: View[] = [{ text, from: ends.slice(0, -1), to: ends.slice(1) }];
  const known = new Set([text]);
  let [level, letters]: [readonly View[], number] = [views, text.length];
  for (let depth = 0; depth < DEEPEST; depth++) {
    const next: View[] = [];
    for (const view of level) {
      for (const [pattern, decode] of decoders) {
        if (letters > MOST_LETTERS || !view.text.match(pattern)) continue;
        const decoded = decodedView(view, pattern, decode);
        letters += decoded.text.length;
        if (known.has(decoded.text)) continue;
        known.add(decoded.text);
        next.push(decoded);
      }
    }
    views.push(...next);
    level = next;
  }
  return views;
}

/** The view with white space of any length as one space. */
export const inOneLine = (view: View): View => decodedView(view, SPACE, () => " ");
/** Without control characters too: from an answer of the service they could write anything on a terminal. */
export const oneLineOf = (text: string): string => text.replace(SPACE, " ").trim();

/** The line with the escapes of `visible-text.ts` undone. */
export const shownLineOf = (line: string): string => line.replace(SHOWN_ESCAPE, fromShown).replace(SPACE, " ");

/** The view without case, accents, width and white space: a service may write a value in another form, or wrap it. */
export function folded({ text, from, to }: View): View {
  const [letters, starts, ends]: [string[], number[], number[]] = [[], [], []];
  for (let at = 0; at < text.length; ) {
    const letter = String.fromCodePoint(text.codePointAt(at)!);
    const last = at + letter.length - 1;
    const plain = fold(letter);
    // An accent that is written as a character of its own belongs to the letter before it.
    if (plain === "" && ends.length > 0 && !/\s/.test(letter)) ends[ends.length - 1] = to[last]!;
    for (const unit of plain.split("")) {
      letters.push(unit);
      starts.push(from[at]!);
      ends.push(to[last]!);
    }
    at = last + 1;
  }
  return { text: letters.join(""), from: starts, to: ends };
}
export const foldedText = (text: string): string => folded({ text, from: [], to: [] }).text;

function fold(letter: string): string {
  const code = letter.charCodeAt(0);
  if (code <= 0x20 || code === 0x7f) return "";
  if (code < 0x7f) return letter.toLowerCase();
  return letter
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}\p{Cc}\s]/gu, "")
    .toLowerCase();
}

function decodedView(view: View, pattern: RegExp, decode: (escaped: string) => string): View {
  const [from, to]: [number[], number[]] = [[], []];
  const parts: string[] = [];
  let at = 0;
  const keep = (end: number) => {
    parts.push(view.text.slice(at, end));
    for (; at < end; at++) {
      from.push(view.from[at]!);
      to.push(view.to[at]!);
    }
  };
  for (const match of view.text.matchAll(pattern)) {
    keep(match.index);
    const letters = decode(match[0]);
    const end = match.index + match[0].length;
    parts.push(letters);
    for (let index = 0; index < letters.length; index++) {
      from.push(view.from[at]!);
      to.push(view.to[end - 1]!);
    }
    at = end;
  }
  keep(view.text.length);
  return { text: parts.join(""), from, to };
}

const CONTROLS = new Map(Object.entries({ n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v" }));

function fromJson(escaped: string): string {
  const letter = escaped.slice(1);
  if (letter.length > 2) return String.fromCharCode(Number.parseInt(letter.slice(1), 16));
  return CONTROLS.get(letter) ?? letter;
}

function fromShown(escaped: string): string {
  const letter = escaped.slice(1);
  return CONTROLS.get(letter) ?? letterOf(Number.parseInt(letter.slice(2), 16)) ?? escaped;
}

const ENTITIES = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " }));

function fromEntity(entity: string): string {
  const name = entity.slice(1, -1).toLowerCase();
  if (!name.startsWith("#")) return ENTITIES.get(name) ?? entity;
  const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return letterOf(code) ?? entity;
}

/** Undefined for a number that no letter has. */
const letterOf = (code: number): string | undefined => (code <= 0x10ffff ? String.fromCodePoint(code) : undefined);

function fromPercent(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}
