// Plants known bugs, one at a time, each in a copy of the sources, and runs scenarios until one finds it.

import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { BUGS, type Bug } from "./bugs";

const ROOT = resolve(__dirname, "../../..");
/** The files that a run needs. */
const SOURCES = [
  "provider",
  "emulator",
  "cli",
  "policy",
  "sdk",
  "test/support",
  "test/chaos",
  "package.json",
  "tsconfig.json",
];
const RUNS = 300;

export interface PlantedOptions {
  /** Whether to shrink the scenario that finds a bug. */
  shrink: boolean;
  line: (text?: string) => void;
  /** @default all */
  bugs?: readonly Bug[];
}

/** @returns whether every bug was found */
export async function findPlanted({ shrink, line, bugs = BUGS }: PlantedOptions): Promise<boolean> {
  const missed: string[] = [];
  for (const bug of bugs) {
    const folder = copyWith(bug);
    try {
      const args = ["--runs", String(RUNS), "--seed", String(bug.seed), ...(shrink ? [] : ["--no-shrink"])];
      const said = await output(folder, args);
      const found = /^run (\d+) breaks a promise: (.*)$/m.exec(said);
      const isExpected = found?.[2] === bug.rule;
      if (!isExpected) missed.push(bug.name);
      const at = found && `at run ${found[1]} of ${RUNS}, seed ${bug.seed}`;
      if (!found) line(`${bug.name}: NOT FOUND in ${RUNS} runs`);
      else if (isExpected) line(`${bug.name}: found ${at}`);
      else line(`${bug.name}: NOT FOUND: expected "${bug.rule}", but ${at} came "${found[2]}"`);
      const counterexample = found ? said.slice(found.index).split("\nseed ")[0]! : said.slice(-2000);
      for (const one of counterexample.trim().split("\n")) line(`    ${one}`);
      line();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  line(missed.length === 0 ? `all ${bugs.length} found` : `not found: ${missed.join("; ")}`);
  return missed.length === 0;
}

/** A copy of the sources with the bug in it. */
function copyWith(bug: Bug): string {
  const folder = mkdtempSync(join(tmpdir(), "compute-endpoint-planted-"));
  for (const path of SOURCES) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const file = join(folder, bug.file);
  writeFileSync(file, planted(bug, readFileSync(file, "utf8")));
  return folder;
}

/** @throws if the sources no longer have the text: a bug that was not planted can't be found */
export function planted({ name, file, changes }: Bug, source: string): string {
  return changes.reduce((text, [was, is]) => {
    const parts = text.split(was);
    if (parts.length !== 2) {
      throw new Error(
        `"${name}" can't be planted: ${file} must have this text once, and has it ${parts.length - 1} times:\n${was}`,
      );
    }
    return parts.join(is);
  }, source);
}

/** What `npm run chaos` says with these sources. */
export function output(folder: string, args: string[]): Promise<string> {
  const script = join(folder, "test/chaos/main.ts");
  const child = spawn(process.execPath, ["--import", "tsx", script, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
    });
  }
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", () => done(said));
  });
}
