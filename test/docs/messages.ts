/** Texts in the sources, for pages that quote them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "../package/snippets";

const FOLDERS = ["provider", "sdk", "cli", "emulator"];

/** Every string and every fixed part of a template in the sources. */
export function textsInSources(): string[] {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).flatMap((name) =>
      name.endsWith(".ts") ? [join(ROOT, folder, name)] : [],
    ),
  );
  return files.flatMap((file) => {
    const texts: string[] = [];
    const visit = (node: ts.Node): void => {
      // Not of comments: what they quote is shown to nobody.
      if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) texts.push(node.text);
      else if (ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) texts.push(node.text);
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest));
    return texts;
  });
}

export interface Quote {
  /** As it stands on the page, with … for values. */
  text: string;
  /** From 1. */
  line: number;
}

/** Lines such as "> `branch … already has its primary compute`". */
export const quotesOf = (page: string): Quote[] =>
  page.split("\n").flatMap((line, index) => {
    const [, text] = /^> `(.*)`$/.exec(line) ?? [];
    return text === undefined ? [] : [{ text, line: index + 1 }];
  });

/** The parts of a quote between its values, without marks at their ends: there a message may be put together of two texts. */
export const partsOf = (quote: string): string[] =>
  quote
    .split("…")
    .map((part) => part.replace(/^[^\p{L}\p{N}"`]+|[^\p{L}\p{N}"`]+$/gu, ""))
    .filter((part) => /\p{L}{2}/u.test(part));

/** "line 12: «part» of «quote»" for each part that no source has. */
export const unknownParts = (quotes: readonly Quote[], texts: readonly string[]): string[] =>
  quotes.flatMap(({ text, line }) =>
    partsOf(text)
      .filter((part) => !texts.some((one) => one.includes(part)))
      .map((part) => `line ${line}: no source has «${part}» of «${text}»`),
  );
