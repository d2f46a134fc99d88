// Finds values in somebody else's text in whatever form they stand there: as they are, escaped for JSON, a URL or HTML, with
// their white space collapsed, or cut. The text is decoded in each way that may apply, and each decoded letter knows where it
// came from. Patterns for all forms of a value could be matched in too many ways, and take for ever.

/** A text as some reader decodes it. `from[i]` is where its letter `i` begins in the original; one more for the end. */
interface View {
  text: string;
  from: readonly number[];
}

type Range = [start: number, end: number];

/** Letters of the beginning of a value that are enough to know it, where the rest was cut off. */
const KNOWN_BY = 8;

const JSON_ESCAPE = /\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|.)/gisu;
const ENTITY = /&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#x[0-9a-f]{1,6});/gi;
/** A letter in UTF-8. */
const PERCENT =
  /%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi;
const PLUS = /\+/g;
const SPACE = /[\s\p{Cc}]+/gu;

/** The text with `mark` for each of the values, however it is written. */
export function withoutForms(text: string, values: readonly string[], mark: string): string {
  const wanted = values.map((value) => value.replace(SPACE, " ").trim()).filter((value) => value !== "");
  if (wanted.length === 0) return text;
  const ranges = viewsOf(text).flatMap((view) => wanted.flatMap((value) => rangesOf(view, value)));
  return replaced(text, ranges, mark);
}

function viewsOf(text: string): View[] {
  const plain: View = { text, from: Array.from({ length: text.length + 1 }, (_, index) => index) };
  const views = [plain];
  const add = (view: View, pattern: RegExp, decode: (escaped: string) => string): View => {
    if (!view.text.match(pattern)) return view;
    const decoded = decodedView(view, pattern, decode);
    views.push(decoded);
    return decoded;
  };
  const inHtml = add(plain, ENTITY, fromEntity);
  for (const outer of new Set([plain, inHtml])) {
    const inJson = add(outer, JSON_ESCAPE, fromJson);
    add(inJson, JSON_ESCAPE, fromJson);
    for (const view of new Set([outer, inJson])) {
      add(add(view, PERCENT, fromPercent), PERCENT, fromPercent);
      // In a form a plus is a space, but only where it was not escaped.
      if (view.text.includes("+"))
        add(
          add(view, PLUS, () => " "),
          PERCENT,
          fromPercent,
        );
    }
  }
  return views.map((view) => decodedView(view, SPACE, () => " "));
}

function decodedView(view: View, pattern: RegExp, decode: (escaped: string) => string): View {
  const from: number[] = [];
  const parts: string[] = [];
  let at = 0;
  const keep = (end: number) => {
    parts.push(view.text.slice(at, end));
    for (; at < end; at++) from.push(view.from[at]!);
  };
  for (const match of view.text.matchAll(pattern)) {
    keep(match.index);
    const letters = decode(match[0]);
    parts.push(letters);
    for (let index = 0; index < letters.length; index++) from.push(view.from[at]!);
    at = match.index + match[0].length;
  }
  keep(view.text.length);
  from.push(view.from[view.text.length]!);
  return { text: parts.join(""), from };
}

const CONTROLS = new Map(Object.entries({ n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v" }));

function fromJson(escaped: string): string {
  const letter = escaped.slice(1);
  if (letter.length > 2) return String.fromCharCode(Number.parseInt(letter.slice(1), 16));
  return CONTROLS.get(letter) ?? letter;
}

const ENTITIES = new Map(Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " }));

function fromEntity(entity: string): string {
  const name = entity.slice(1, -1).toLowerCase();
  if (!name.startsWith("#")) return ENTITIES.get(name) ?? entity;
  const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
}

function fromPercent(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

function rangesOf({ text, from }: View, value: string): Range[] {
  const ranges: Range[] = [];
  const beginning = value.slice(0, KNOWN_BY);
  for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, at + 1)) {
    let length = beginning.length;
    while (length < value.length && text[at + length] === value[length]) length++;
    const isCut = length >= KNOWN_BY && /^(?:…|\.\.\.|$)/.test(text.slice(at + length, at + length + 3));
    if (length === value.length || isCut) ranges.push([from[at]!, from[at + length]!]);
  }
  return ranges;
}

function replaced(text: string, ranges: Range[], mark: string): string {
  let [rest, at] = ["", 0];
  // Ranges that touch are one: a part of the value may have been found twice, or by two forms.
  for (const [start, end] of joined(ranges)) {
    rest += text.slice(at, start) + mark;
    at = end;
  }
  return rest + text.slice(at);
}

function joined(ranges: Range[]): Range[] {
  const all: Range[] = [];
  for (const [start, end] of ranges.sort(([a], [b]) => a - b)) {
    const last = all.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else all.push([start, end]);
  }
  return all;
}
