import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { PROVIDER_TEXT } from "../../sdk/literal.js";
import { keptReports, shownOf } from "./reports";
import { programsOf, ROOT, snippetsOf } from "./snippets";

const FILES = [
  ...["README.md", "CHANGELOG.md"].filter((file) => existsSync(join(ROOT, file))),
  ...readdirSync(join(ROOT, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
];
const README = readFileSync(join(ROOT, "README.md"), "utf8");

/** Messages of the compiler for programs that stand in no file, with the options of the repository. */
function typeErrors(programs: { name: string; text: string }[]): string[] {
  const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, ROOT);
  const texts = new Map(programs.map(({ name, text }) => [join(ROOT, name), text]));
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  // In a program that people copy, a constant that only shows the beginning may stay unused.
  const checked = ts.createProgram(
    [...texts.keys()],
    { ...options, allowJs: true, checkJs: true, noUnusedLocals: false },
    host,
  );
  return ts.getPreEmitDiagnostics(checked).map(({ file, start, messageText }) => {
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    return `${file?.fileName.slice(ROOT.length + 1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

describe("programs in the documentation", () => {
  const programs = FILES.flatMap((file) =>
    programsOf(file).map(({ text, line, language }) => ({
      name: `${file.replace("/", "-")}-line-${line}.${language.startsWith("j") ? "js" : "ts"}`,
      text,
    })),
  );

  test("pass the type checker as they stand", () => {
    expect(programs.length).toBeGreaterThanOrEqual(2);
    expect(typeErrors(programs)).toEqual([]);
  });

  test("would not pass with a property that does not exist", () => {
    const breakable = programs.filter(({ text }) => text.includes("projectId:"));
    expect(breakable.length).toBeGreaterThanOrEqual(3);
    const wrong = breakable.map(({ name, text }) => ({
      name: `wrong-${name}`,
      text: text.replace("projectId:", "projectID:"),
    }));
    expect(typeErrors(wrong).length).toBeGreaterThanOrEqual(breakable.length);
  });

  test("use ids that the emulator holds", () => {
    const known: string[] = [SEED.projectId, SEED.second.projectId, SEED.second.branchId, SEED.primaryId];
    known.push(...Object.values(SEED.branches));
    for (const { text } of keptReports()) known.push(...(text.match(/\bep-[a-z]+-[a-z]+-[a-z0-9]{8}\b/g) ?? []));
    const used = README.match(/\b(?:br|ep)-[a-z]+-[a-z]+-[a-z0-9]{8}\b/g) ?? [];
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((id) => !known.includes(id))).toEqual([]);
  });

  test("blocks in a list are found too, without their indentation", () => {
    expect(snippetsOf("README.md").find(({ text }) => text.includes("adopt: true"))?.text).toMatch(/^import /);
  });
});

describe("the README", () => {
  test("shows reports as the rehearsal on the real engine keeps them", () => {
    const shown = [...README.matchAll(/^> ### .*$(?:\n^>.*$)*/gm)].map(([quote]) => quote.replace(/^> ?/gm, ""));
    expect(shown).toHaveLength(3);
    const kept = keptReports().map(({ text }) => shownOf(text));
    expect(kept).toHaveLength(3);
    expect(shown.filter((text) => !kept.includes(text))).toEqual([]);
  });

  test("points to files that exist, and to headings that it has", () => {
    const links = [...README.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
    const headings = [...README.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .replace(/\s/g, "-"),
    );
    const dead = links.filter((link) => {
      if (/^https?:/.test(link)) return false;
      return link.startsWith("#")
        ? !headings.includes(link.slice(1))
        : !existsSync(join(dirname(join(ROOT, "README.md")), link));
    });
    expect(links.length).toBeGreaterThan(5);
    expect(dead).toEqual([]);
  });

  test("names the size of the provider's text as it is", () => {
    expect(README).toContain(`${Buffer.byteLength(PROVIDER_TEXT)} bytes`);
  });

  test("names only npm scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object };
    const named = [...README.matchAll(/\bnpm run (?:--\S+ )*([\w:-]+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test("explains every setting that the provider reads", () => {
    const read = readFileSync(join(ROOT, "provider/config.ts"), "utf8").match(/"compute:\w+"/g) ?? [];
    expect(read.map((name) => name.slice(1, -1)).filter((name) => !README.includes(name))).toEqual([]);
  });
});
