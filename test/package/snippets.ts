import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const ROOT = resolve(__dirname, "../..");

export interface Snippet {
  language: string;
  text: string;
  /** Where it begins in the file, from 1. */
  line: number;
}

/** The fenced blocks of a Markdown file, also those that are indented in a list. */
export function snippetsOf(file: string): Snippet[] {
  const snippets: Snippet[] = [];
  let open: { indent: string; fence: string; snippet: Snippet } | undefined;
  for (const [index, line] of readFileSync(join(ROOT, file), "utf8").split("\n").entries()) {
    if (open) {
      const text = line.startsWith(open.indent) ? line.slice(open.indent.length) : line.trimStart();
      if (text.startsWith(open.fence)) {
        snippets.push(open.snippet);
        open = undefined;
      } else open.snippet.text += `${text}\n`;
    } else {
      const [, indent, fence, language] = /^(\s*)(`{3,})(\w*)/.exec(line) ?? [];
      if (fence) open = { indent: indent!, fence, snippet: { language: language!, text: "", line: index + 1 } };
    }
  }
  return snippets;
}

/**
 * The rule for documentation: a block of TypeScript or JavaScript with an `import` or a `require` is a whole program,
 * and must pass the type checker as it stands; one without is a fragment, and is only read.
 */
export const programsOf = (file: string): Snippet[] =>
  snippetsOf(file).filter(
    ({ language, text }) => /^(ts|js|typescript|javascript)$/.test(language) && /^\s*import\s|\brequire\(/m.test(text),
  );

/** The program that the README lets people run first: the tarball's test runs it as it stands. */
export function firstProgramOf(file: string): string {
  const found = programsOf(file).find(({ text }) => text.includes("adopt: true"));
  if (!found) throw new Error(`no program of ${file} says adopt: true`);
  return found.text;
}
