// The report on a preview's computes, for those who decide about a change: in a pull request, a pipeline or a terminal.

import { appendFile } from "node:fs/promises";
import { lastDay } from "../approve/options.js";
import { approve } from "../approve/write.js";
import { CommandRefused, EXIT, UsageError } from "../arguments.js";
import type { Command, CommandEnvironment } from "../command.js";
import { escapeCommands } from "../escape.js";
import type { Io } from "../io.js";
import { cleanLine, LONGEST_LINE, quote, withoutQuoteMarks } from "../report/clean.js";
import { programHere } from "../report/files.js";
import { HELP, type Options, optionsOf, type WriteOptions } from "../report/flags.js";
import { approvableIn, changesOf, NO_APPROVAL } from "../report/format.js";
import { annotations } from "../report/github.js";
import { fromFile, read, type Source, STDIN } from "../report/input.js";
import { json } from "../report/json.js";
import { markdown } from "../report/markdown.js";
import { folderOf } from "../report/position.js";
import { recognize } from "../report/recognize.js";
import { digestsIn, stackList, stackReport } from "../report/stack.js";
import { text } from "../report/text.js";
import type { Finding, Report, StackReport } from "../report/types.js";
import { computes, countUpFailures, exitCodeOf } from "../report/verdict.js";

export interface ReportEnvironment extends CommandEnvironment {
  stdin(): AsyncIterable<unknown> & { isTTY?: boolean };
}

export const reportCommand = (environment: ReportEnvironment): Command => ({
  summary: "what a preview does to computes: for pull requests, pipelines and terminals",
  async run(args, io) {
    const options = optionsOf(args);
    if (options === undefined) {
      io.out.write(HELP);
      return EXIT.ok;
    }
    const sources = await sourcesOf(options.files, environment);
    const found = await reportOn(sources, options, io, environment);
    const approved = options.write && (await writeApprovals(found, options.write, io, environment));
    const report = approved ? await reportOn(sources, options, io, environment, approved) : found;
    for (const line of problemsIn(report)) io.err.write(`compute-endpoint report: ${line}\n`);
    await printReport(report, options, io);
    return report.exitCode;
  },
});

async function sourcesOf(files: readonly string[], { stdin }: ReportEnvironment): Promise<Source[]> {
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
  environment: ReportEnvironment,
  approved?: readonly string[],
): Promise<Report> {
  const { failOn, folder } = options;
  const stacks: StackReport[] = [];
  const unusable: string[] = [];
  const nowMs = environment.nowMs();
  const program = hasFilesAtHand(sources, options) && !options.write ? await programHere(environment.cwd()) : undefined;
  for (const { name, text: content, problem } of sources) {
    const { previews, problems } =
      content === undefined ? { previews: [], problems: [problem ?? "can't be read"] } : recognize(content);
    unusable.push(...problems.map((line) => `${quote(cleanLine(name))} ${line}`));
    const programFolder =
      folder ?? (await folderOf(name === STDIN ? undefined : name, environment.cwd(), env["GITHUB_WORKSPACE"]));
    const common = { source: name, failOn, folder: programFolder, nowMs, approved };
    for (const one of previews) {
      try {
        stacks.push(stackReport(one, { ...common, program: previews.length === 1 ? program : undefined }));
      } catch (error) {
        // The document nests values too deeply.
        if (!(error instanceof RangeError)) throw error;
        unusable.push(`${quote(cleanLine(name))} is nested more deeply than any preview`);
      }
    }
  }
  const problem = nameProblem(stacks, options);
  // The documents are left out: readers would take their changes, and their command for approvals, for this stack's.
  if (problem) {
    stacks.length = 0;
    unusable.push(problem);
  }
  return { stacks, unusable, failOn, exitCode: exitCodeOf(stacks, unusable, failOn) };
}

/**
 * Whether readers of the report have the document and the program here. A report with a name becomes a comment, and annotations
 * stand on a forge: their readers are elsewhere.
 */
const hasFilesAtHand = ([source, ...more]: readonly Source[], { name, format }: Options): boolean =>
  source !== undefined && source.name !== STDIN && more.length === 0 && name === undefined && format !== "github";

/**
 * Approves all open changes, tidies, or both.
 * @returns all digests that the file approves afterwards
 * @throws CommandError before anything is written
 */
async function writeApprovals(
  { stacks, unusable }: Report,
  { file, approves, tidies, ...days }: WriteOptions,
  { err }: Io,
  environment: ReportEnvironment,
): Promise<readonly string[]> {
  const [stack, ...more] = stacks;
  const flag = approves ? "--approve" : "--tidy";
  if (unusable.length > 0)
    throw new CommandRefused(`${flag} takes one preview of one stack: ${withoutQuoteMarks(unusable.join("; "))}`);
  if (!stack || more.length > 0) throw new UsageError(`${flag} takes one preview of one stack`);
  if (stack.incomplete.length > 0)
    throw new CommandRefused(`${flag} needs a whole preview: ${withoutQuoteMarks(stack.incomplete.join("; "))}`);
  if (stack.approvals.problem !== undefined)
    throw new CommandRefused(`correct compute:approve first: ${cleanLine(stack.approvals.problem, LONGEST_LINE)}`);
  const nowMs = environment.nowMs();
  const until = lastDay(days, nowMs);
  const open = approves ? approvableIn(stack) : [];
  const { lines, plan } = await approve({
    digests: open.map((finding) => ({ digest: finding.approval!.digest!, what: whatOf(finding) })),
    ...(until === undefined ? {} : { until }),
    tidy: tidies,
    needed: digestsIn(stack.findings),
    previewList: stack.approvals.entries.map(({ text }) => text),
    stack: stack.stack,
    file,
    cwd: environment.cwd(),
    nowMs,
  });
  for (const line of lines) err.write(`${line}\n`);
  return plan.approved;
}

/** For the comment beside the entry: "primary: size 1 → 4". */
const whatOf = (finding: Finding): string =>
  cleanLine(`${finding.name}: ${changesOf(finding, (text) => text).join(", ") || finding.what}`, LONGEST_COMMENT);
const LONGEST_COMMENT = 90;

/** The lines for stderr: unusable inputs, incomplete previews and failures of `up`. */
function problemsIn({ stacks, unusable }: Report): string[] {
  const incompletes = stacks.flatMap(({ project, stack, incomplete }) =>
    incomplete.length > 0 ? [`the preview of ${project}/${stack} is incomplete: ${incomplete.join("; ")}`] : [],
  );
  const upFailures = stacks.flatMap(({ project, stack, findings }) => {
    const count = countUpFailures(findings);
    return count > 0 ? [`${project}/${stack}: \`pulumi up\` will fail at ${computes(count)}. ${NO_APPROVAL}`] : [];
  });
  return [...unusable, ...incompletes, ...upFailures].map(inOneLine);
}

/** Under the wrong name, a document of another stack would tell reviewers that nothing happens in this one. */
function nameProblem(stacks: readonly StackReport[], { name = "" }: Options): string | undefined {
  const [only, ...more] = stacks;
  if (!only || !/^[^/\s]+\/[^/\s]+$/.test(name)) return undefined;
  const named = `--name says that the report is for ${quote(cleanLine(name))}`;
  if (more.length > 0) return `there are ${stacks.length} documents, and ${named}: give the one preview of that stack`;
  // Without any URN the preview failed early. Then the report is incomplete, and shows what the preview said.
  if (only.ownStacks.every((one) => one === name)) return undefined;
  return `${quote(only.source)}: the document is for ${stackList(only.ownStacks)}, and ${named}: preview that stack, or correct --name`;
}

async function printReport(report: Report, { format, name, maxBytes }: Options, io: Io): Promise<void> {
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

const inOneLine = (line: string): string => escapeCommands(cleanLine(withoutQuoteMarks(line), LONGEST_LINE));
