// Finds the JSON values in a text. Pulumi prints a document over many lines, of which only the first and the last begin with a
// brace; other lines (`npm run`, a login, stderr) may come before, between or after documents.

export interface Values {
  values: unknown[];
  /** Whether a document does not end, or is not valid JSON. */
  truncated: boolean;
}

/** Concatenated files may contain byte order marks in the middle. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: U+0000 is what UTF-16 leaves between ASCII letters
const ENCODING = /[\ufeff\u0000]/g;
/** Keys that occur only in previews. In unparsed text they mean a broken document. */
const REMAINS = /"(?:steps|urn|changeSummary|oldState|newState)"\s*:/;

export function valuesIn(raw: string): Values {
  const text = raw.replace(ENCODING, "");
  const whole = parse(text);
  if (whole) return { values: [whole.value], truncated: false };
  const values: unknown[] = [];
  let truncated = false;
  const lines = text.split(/\r\n|\n|\r/);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (!line.startsWith("{") && !line.startsWith("[")) {
      truncated ||= REMAINS.test(line);
      continue;
    }
    // Do not parse a lone brace: a failed parse takes as long as a thousand successful ones.
    const isOpen = line.trimEnd() === "{";
    const inLine = isOpen ? undefined : parse(line);
    if (inLine) {
      values.push(inLine.value);
      continue;
    }
    if (!isOpen) {
      const { found, rest } = objectsIn(line);
      for (const one of found) values.push(one);
      // A line that begins like a document is a truncated document. Other lines are log text.
      if (found.length === 0) truncated ||= /^\{\s*"/.test(line) || REMAINS.test(line);
      else truncated ||= rest.trim() !== "";
      continue;
    }
    const end = endOf(lines, at);
    const document = end === undefined ? undefined : parse([...lines.slice(at, end), "}"].join("\n"));
    if (end === undefined || !document) {
      truncated = true;
      continue;
    }
    values.push(document.value);
    // "}{": two files were put together without a line end between them.
    const rest = lines[end]!.slice(1);
    lines[end] = rest;
    at = rest.startsWith("{") ? end - 1 : end;
  }
  return { values, truncated };
}

/** The next line that begins with a closing brace, unless another document begins before. */
function endOf(lines: readonly string[], start: number): number | undefined {
  for (let at = start + 1; at < lines.length; at++) {
    if (lines[at]!.startsWith("}")) return at;
    if (lines[at]!.startsWith("{")) return undefined;
  }
  return undefined;
}

/** Objects in one line without anything between them, and what comes after the last one that could be read. */
function objectsIn(line: string): { found: unknown[]; rest: string } {
  const found: unknown[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0, inText = false; at < line.length; at++) {
    const one = line[at];
    if (inText) {
      if (one === "\\") at++;
      else if (one === '"') inText = false;
    } else if (one === '"') inText = true;
    else if (one === "{") depth++;
    else if (one === "}" && --depth === 0) {
      const value = parse(line.slice(start, at + 1));
      if (!value) break;
      found.push(value.value);
      start = at + 1;
    }
  }
  return { found, rest: line.slice(start) };
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
