// Puts known bugs in, one at a time, and shows that a run finds each. The tree itself is never touched.

import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { BUGS, type Bug } from "./bugs";

const ROOT = resolve(__dirname, "../..");
/** What a run is made of. */
const SOURCES = [
  "provider",
  "emulator",
  "cli",
  "policy",
  "sdk",
  "test/support",
  "tools/chaos",
  "tools/chaos.ts",
  "package.json",
  "tsconfig.json",
];
const RUNS = 300;

export interface PlantedOptions {
  /** Whether the story that shows a bug is made short. */
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
      const found = /^run (\d+) breaks a promise: .*$/m.exec(said);
      if (!found) missed.push(bug.name);
      line(
        `${bug.name}: ${found ? `found at run ${found[1]} of ${RUNS}, seed ${bug.seed}` : `NOT FOUND in ${RUNS} runs`}`,
      );
      const story = found ? said.slice(found.index).split("\nseed ")[0]! : said.slice(-2000);
      for (const one of story.trim().split("\n")) line(`    ${one}`);
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

/** @throws where the sources have moved: a bug that is not in would be found by nobody, and prove nothing */
export function planted({ name, file, changes }: Bug, source: string): string {
  return changes.reduce((text, [was, is]) => {
    const parts = text.split(was);
    if (parts.length !== 2) {
      throw new Error(`"${name}" can't be planted: ${file} has ${parts.length - 1} times, not once:\n${was}`);
    }
    return parts.join(is);
  }, source);
}

function output(folder: string, args: string[]): Promise<string> {
  const script = join(folder, "tools/chaos.ts");
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
