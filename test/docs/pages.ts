/** The Markdown pages of the repository, as their readers see them. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../package/snippets";

/** Every page but those that a test reads as data. */
export const PAGES: readonly string[] = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.md"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path !== "" && !path.startsWith("test/fixtures/") && existsSync(join(ROOT, path)));

/** The pages for users: what the README's promises about snippets and names hold for. */
export const GUIDES = PAGES.filter((path) =>
  /^(README\.md|SECURITY\.md|CONTRIBUTING\.md|docs\/[\w-]+\.md)$/.test(path),
);

export const textOf = (page: string): string => readFileSync(join(ROOT, page), "utf8");

/** Without fenced blocks: what stands there is no link and no heading. The line numbers stay. */
export const proseOf = (text: string): string =>
  text.replace(/^([ \t>]*)(`{3,})[^\n]*\n[\s\S]*?^[ \t>]*\2[ \t]*$/gm, (block) => block.replace(/[^\n]/g, ""));

/** The anchors that GitHub and npm give to the headings of a page. */
export function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, title = ""] of proseOf(text).matchAll(/^#{1,6} +(.*)$/gm)) {
    const words = title.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
    const slug = words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

export interface Link {
  target: string;
  /** From 1. */
  line: number;
}

/** Links and images outside of code. */
export function linksOf(text: string): Link[] {
  return proseOf(text)
    .split("\n")
    .flatMap((line, index) =>
      [...line.replace(/`[^`]*`(?!\])/g, "").matchAll(/\]\(\s*([^)\s]+)\s*\)/g)].map(([, target]) => ({
        target: target!,
        line: index + 1,
      })),
    );
}
