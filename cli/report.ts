// What a preview does to computes, for those who decide about a change: in a pull request, a pipeline or a terminal.

import { appendFile } from "node:fs/promises";
import type { Command } from "./command.js";
import type { Io } from "./io.js";
import { clean, plain, quote } from "./report/clean.js";
import { HELP, type Options, optionsOf } from "./report/flags.js";
import { folderOf } from "./report/folder.js";
import { annotations } from "./report/github.js";
import { fromFile, read, type Source, STDIN } from "./report/input.js";
import { json } from "./report/json.js";
import { markdown } from "./report/markdown.js";
import { recognize } from "./report/recognize.js";
import { stackReport, UNKNOWN_NAME } from "./report/stack.js";
import { text } from "./report/text.js";
import type { Report, StackReport } from "./report/types.js";
import { exitCodeOf } from "./report/verdict.js";
import { EXIT, UsageError } from "./usage.js";
import { inert } from "./visible.js";

/** What the report has of the world beside the terminal; tests hand in their own. */
export interface Surroundings {
  stdin(): AsyncIterable<unknown> & { isTTY?: boolean };
  cwd(): string;
  /** Approvals end on a day. */
  nowMs(): number;
}

export const reportCommand = (around: Surroundings): Command => ({
  summary: "what a preview does to computes: for pull requests, pipelines and terminals",
  async run(args, io) {
    const options = optionsOf(args);
    if (options === undefined) {
      io.out.write(HELP);
      return EXIT.ok;
    }
    const report = await reportOn(await sourcesOf(options.files, around), options, io, around);
    for (const line of problemsIn(report)) io.err.write(`compute-endpoint report: ${line}\n`);
    await write(report, options, io);
    return report.exitCode;
  },
});

async function sourcesOf(files: readonly string[], { stdin }: Surroundings): Promise<Source[]> {
  if (files.length === 0 && stdin().isTTY) throw new UsageError("which preview? give the file, or pipe it in");
  const names = files.length === 0 ? ["-"] : files;
  const sources: Source[] = [];
  for (const name of names) sources.push(name === "-" ? await read(STDIN, stdin()) : await fromFile(name));
  return sources;
}

async function reportOn(
  sources: readonly Source[],
  options: Options,
  { env }: Io,
  around: Surroundings,
): Promise<Report> {
  const { failOn, folder } = options;
  const stacks: StackReport[] = [];
  const unusable: string[] = [];
  const nowMs = around.nowMs();
  for (const { name, text: content, problem } of sources) {
    const { previews, problems } =
      content === undefined ? { previews: [], problems: [problem ?? "can't be read"] } : recognize(content);
    unusable.push(...problems.map((line) => `${quote(clean(name))} ${line}`));
    const place = folder ?? (await folderOf(name === STDIN ? undefined : name, around.cwd(), env["GITHUB_WORKSPACE"]));
    for (const one of previews) {
      try {
        stacks.push(stackReport(one, { source: name, failOn, folder: place, nowMs }));
      } catch (error) {
        // Of values inside values inside values, and so on.
        if (!(error instanceof RangeError)) throw error;
        unusable.push(`${quote(clean(name))} is nested more deeply than any preview`);
      }
    }
  }
  const problem = nameProblem(stacks, options);
  if (problem) stacks[0]!.incomplete.unshift(problem);
  return { stacks, unusable, failOn, exitCode: exitCodeOf(stacks, unusable, failOn) };
}

/** One line each. */
function problemsIn({ stacks, unusable }: Report): string[] {
  const failed = stacks.flatMap(({ project, stack, incomplete }) =>
    incomplete.length > 0 ? [`the preview of ${project}/${stack} is incomplete: ${incomplete.join("; ")}`] : [],
  );
  return [...unusable, ...failed].map(inOneLine);
}

/** A document of another stack, under this one's name, would tell reviewers that nothing happens here. */
function nameProblem(stacks: readonly StackReport[], { name }: Options): string | undefined {
  const [only, ...more] = stacks;
  if (!only || more.length > 0 || only.stack === UNKNOWN_NAME || !/^[^/\s]+\/[^/\s]+$/.test(name ?? ""))
    return undefined;
  const place = `${only.project}/${only.stack}`;
  if (name === place) return undefined;
  return `the document is of ${quote(place)}, and --name says that the report is of ${quote(clean(name ?? ""))}: preview that stack, or correct --name`;
}

async function write(report: Report, { format, name, maxBytes }: Options, io: Io): Promise<void> {
  switch (format ?? (io.out.isTTY ? "text" : "markdown")) {
    case "json":
      return io.out.write(json(report));
    case "text":
      return io.out.write(text(report, io));
    case "markdown":
      return io.out.write(markdown(report, name, maxBytes));
    case "github": {
      io.out.write(annotations(report));
      const file = io.env["GITHUB_STEP_SUMMARY"];
      if (!file) return;
      await appendFile(file, markdown(report, name, maxBytes)).catch((error: Error) => {
        io.err.write(`compute-endpoint report: the job's summary can't be written: ${inOneLine(error.message)}\n`);
      });
    }
  }
}

const LONGEST_LINE = 2000;
const inOneLine = (line: string): string => inert(clean(plain(line), LONGEST_LINE));
