/** No page sends its reader to a file, a heading, a script or a test that is not there. */
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../package/snippets";
import { anchorsOf, GUIDES, linksOf, PAGES, proseOf, textOf } from "./pages";

const SITES = /^(https?|mailto):/;

/** Why a link leads nowhere, or undefined. */
function problemOf(page: string, target: string): string | undefined {
  if (SITES.test(target)) return undefined;
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : normalize(join(dirname(page), decodeURIComponent(path)));
  if (file.startsWith("..")) return "is outside of the repository";
  if (!existsSync(join(ROOT, file))) return `${file} does not exist`;
  if (anchor === undefined) return undefined;
  if (!file.endsWith(".md")) return "names a heading of what is no page";
  return anchorsOf(textOf(file)).has(anchor) ? undefined : `${file} has no heading #${anchor}`;
}

const deadLinks = (page: string, text = textOf(page)): string[] =>
  linksOf(text).flatMap(({ target, line }) => {
    const problem = problemOf(page, target);
    return problem === undefined ? [] : [`${page}:${line} (${target}): ${problem}`];
  });

describe("links", () => {
  test.each(PAGES)("of %s lead to files and headings that exist", (page) => {
    expect(deadLinks(page)).toEqual([]);
  });

  test.each([
    ["a file", "see [it](docs/no-such-page.md)", "docs/no-such-page.md does not exist"],
    ["a heading", "see [it](docs/design.md#no-such-heading)", "docs/design.md has no heading #no-such-heading"],
    ["a heading of this page", "see [it](#no-such-heading)", "README.md has no heading #no-such-heading"],
    ["a file outside", "see [it](../elsewhere.md)", "is outside of the repository"],
  ])("to %s that does not exist are found", (_what, text, problem) => {
    expect(deadLinks("README.md", `# Title\n\n${text}\n`)).toEqual([expect.stringContaining(problem)]);
  });

  test("in code are no links", () => {
    expect(linksOf("`[a](b)`\n```\n[c](d)\n```\n> ```\n> [e](f)\n> ```\n[g](h)")).toEqual([{ target: "h", line: 8 }]);
  });

  test("lead from the index to every page of docs", () => {
    const linked = new Set(linksOf(textOf("docs/README.md")).map(({ target }) => `docs/${target}`));
    const pages = GUIDES.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.filter((page) => !linked.has(page))).toEqual([]);
  });
});

describe("names of files in code", () => {
  /** Of this repository: `provider/config.ts`, and the paths behind `npx vitest run`. */
  const PATH = /(?<![\w./-])(?:sdk|provider|emulator|cli|policy|schema|tools|test|docs|examples)\/[\w./-]*[\w/]/g;

  test.each(GUIDES)("of %s are of files that exist", (page) => {
    const spans = [...textOf(page).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
    const commands = [...textOf(page).matchAll(/^.*\bvitest run .*$/gm)].map(([line]) => line);
    const named = [...spans, ...commands].flatMap((text) => text.match(PATH) ?? []);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test("are found at all", () => {
    expect(proseOf(textOf("CONTRIBUTING.md")).match(PATH)?.length).toBeGreaterThan(10);
  });
});

test.each(PAGES)("%s names only npm scripts that exist", (page) => {
  const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
  const own = existsSync(join(ROOT, dirname(page), "package.json"))
    ? (JSON.parse(textOf(join(dirname(page), "package.json"))) as { scripts?: object }).scripts
    : {};
  const named = [...textOf(page).matchAll(/\bnpm run (?:--\S+ )*([\w:-]+)/g)].map(([, name]) => name!);
  expect(named.filter((name) => !(name in { ...scripts, ...own }))).toEqual([]);
});

test("the README is read in one go", () => {
  expect(textOf("README.md").split("\n").length).toBeLessThanOrEqual(201);
});
