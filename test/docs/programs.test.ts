/** The programs in the pages compile as they stand. */
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { programsOf, ROOT, snippetsOf } from "../package/snippets";
import { GUIDES, PAGES, textOf } from "./pages";
import { keptReports } from "./reports";

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
  const programs = PAGES.flatMap((file) =>
    programsOf(file).map(({ text, line, language }) => ({
      name: `${file.replaceAll("/", "-")}-line-${line}.${language.startsWith("j") ? "js" : "ts"}`,
      text,
    })),
  );
  const breakable = programs.filter(({ text }) => text.includes("projectId:"));
  const wrong = breakable.map(({ name, text }) => ({
    name: `wrong-${name}`,
    text: text.replace("projectId:", "projectID:"),
  }));
  // Reading the types of all packages takes most of the time, so both sets share it.
  const errors = typeErrors([...programs, ...wrong]);

  test("pass the type checker as they stand", () => {
    expect(programs.length).toBeGreaterThanOrEqual(7);
    expect(errors.filter((error) => !error.startsWith("wrong-"))).toEqual([]);
  });

  test("would not pass with a property that does not exist", () => {
    expect(breakable.length).toBeGreaterThanOrEqual(3);
    const found = new Set(
      errors.filter((error) => error.startsWith("wrong-")).map((error) => error.split(" ")[0]!.split(":")[0]),
    );
    expect([...found].sort()).toEqual(wrong.map(({ name }) => name).sort());
  });

  test("use ids that the emulator holds", () => {
    const known: string[] = [SEED.projectId, SEED.second.projectId, SEED.second.branchId, SEED.primaryId];
    known.push(...Object.values(SEED.branches));
    for (const { text } of keptReports()) known.push(...(text.match(/\bep-[a-z]+-[a-z]+-[a-z0-9]{8}\b/g) ?? []));
    const used = GUIDES.flatMap((page) => textOf(page).match(/\b(?:br|ep)-[a-z]+-[a-z]+-[a-z0-9]{8}\b/g) ?? []);
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((id) => !known.includes(id))).toEqual([]);
  });

  test("blocks in a list are found too, without their indentation", () => {
    expect(snippetsOf("README.md").find(({ text }) => text.includes("adopt: true"))?.text).toMatch(/^import /);
  });
});
