// Writes approvals into a file of config, and says what was done.

import { readdir, writeFile } from "node:fs/promises";
import { basename, dirname, extname, resolve } from "node:path";
import { Stopped } from "../../provider/errors.js";
import { shortDigest } from "../../provider/rules/approval.js";
import { compareNaturally } from "../../provider/rules/natural-order.js";
import { CommandError, CommandRefused, UsageError } from "../arguments.js";
import { type ConfigList, loadYaml, readList, writeList, type Yaml } from "./config-list.js";
import { programOf, projectFile, shownPath, stackIn, textOf } from "./files.js";
import { type ApproveRequest, type Plan, planChange } from "./plan.js";
import { staleLines } from "./stale.js";

export interface ApproveInFile extends ApproveRequest {
  /** The file to write; undefined if the stack's own file is to be found. */
  file?: string;
  cwd: string;
  /** The list that the preview used; undefined without a preview. */
  previewList?: readonly string[];
}

/** @returns what was done, in lines for people. @throws CommandError before anything is written */
export async function approve(request: ApproveInFile): Promise<{ lines: string[]; plan: Plan }> {
  const yaml = await loadYaml();
  const { cwd, stack } = request;
  const path = resolve(cwd, request.file ?? (await fileOf(yaml, request)));
  const name = shownPath(path, cwd);
  const text = await textOf(path);
  const named = stackIn(path);
  // A new list is written as YAML, so no new JSON file is begun.
  if (text === undefined && (named === undefined || path.endsWith(".json")))
    throw new CommandRefused(`there is no file ${name}`);
  if (text === undefined && named !== undefined) await refuseUnread(yaml, path, named, cwd);
  // `--config-file` may name a file that is not called Pulumi.STACK.yaml. So only a stack in the file's name is compared.
  if (request.previewList && stack !== undefined && named !== undefined && named !== stack)
    throw new CommandRefused(`${name} is the file of another stack: the preview is for ${stack}`);
  try {
    const list = readList(yaml, text ?? "");
    if (list.isProject) await refuseHidden(yaml, request, list, name);
    const project = list.isProject ? undefined : await projectList(yaml, cwd);
    const inherited = list.values ? undefined : (request.previewList ?? project?.values);
    // Pulumi.yaml serves all stacks, so one preview can't tell which entries are unused.
    const forThisList = list.isProject ? { ...request, needed: undefined } : request;
    const comments = list.values ? list.comments : (project?.comments ?? list.comments);
    const plan = planChange(list.values ?? inherited ?? [], forThisList, comments);
    const changed = plan.added.length > 0 || plan.removed.length > 0;
    const keepsEmpty = list.hasEnvironments || (project?.values?.length ?? 0) > 0;
    const change = { ...plan.change, keepsEmpty, ...(inherited && project ? { comments: project.comments } : {}) };
    if (changed) await write(path, name, writeList(yaml, text ?? "", change));
    const isNew = text === undefined;
    const lines = linesOf(plan, request, { name, isNew, comments });
    if (isNew && changed) lines.push(...(await warnIfNewStack(path)));
    return { plan, lines: [...lines, ...notesOf(list, inherited, changed)] };
  } catch (error) {
    if (error instanceof CommandError) throw new CommandRefused(`${name}: ${error.message}. Nothing was written`);
    throw error;
  }
}

async function fileOf(yaml: Yaml, { cwd, stack }: ApproveInFile): Promise<string> {
  if (stack === undefined) throw new UsageError("no stack given: use --stack STACK, or --file FILE");
  const project = await projectFile(cwd);
  if (project === undefined)
    throw new CommandRefused("there is no Pulumi.yaml here or above: run this in the program's folder");
  return (await programOf(yaml, project)).stackFile(stack);
}

/** Pulumi reads no stack's file with another ending than the project's. */
async function refuseUnread(yaml: Yaml, path: string, stack: string, cwd: string): Promise<void> {
  const project = await projectFile(dirname(path));
  if (project === undefined || extname(project) === extname(path)) return;
  const own = shownPath((await programOf(yaml, project)).stackFile(stack), cwd);
  throw new CommandRefused(`there is no file ${shownPath(path, cwd)}, and Pulumi would not read it: use ${own}`);
}

/** If the stack's file has a list, Pulumi ignores the one in Pulumi.yaml. */
async function refuseHidden(
  yaml: Yaml,
  request: ApproveInFile,
  { values = [] }: ConfigList,
  name: string,
): Promise<void> {
  const { previewList, stack, cwd } = request;
  const own = stack === undefined ? undefined : shownPath(await fileOf(yaml, request).catch(() => ""), cwd);
  const text = own ? await textOf(resolve(cwd, own)) : undefined;
  const isHidden = text !== undefined && readList(yaml, text).values !== undefined;
  if (isHidden) throw new CommandRefused(`${own} has its own list, which hides the one in ${name}: use ${own}`);
  if (previewList && JSON.stringify(previewList) !== JSON.stringify(values.map(String)))
    throw new CommandRefused("the preview used a different list: part of its config came from another file");
}

async function projectList(yaml: Yaml, cwd: string): Promise<ConfigList | undefined> {
  const project = await projectFile(cwd);
  const text = project && (await textOf(project));
  if (!text) return undefined;
  const { config } = (yaml.parse(text) ?? {}) as { config?: unknown };
  return typeof config === "string" ? undefined : readList(yaml, text);
}

/** A typo in a stack's name makes a file that no stack reads. Only the other stacks' files show the error. */
async function warnIfNewStack(path: string): Promise<string[]> {
  const others = (await readdir(dirname(path)))
    .filter((one) => one !== basename(path))
    .flatMap((one) => stackIn(one) ?? []);
  if (others.length === 0) return [];
  return [
    `note: no stack had this file before. Stacks with a file here: ${others.sort(compareNaturally).join(", ")}. If ${stackIn(path)} is none of yours, delete the new file`,
  ];
}

async function write(path: string, name: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    throw new Stopped(`can't write ${name}: ${(error as Error).message}`);
  }
}

function linesOf(
  { added, known, removed, stale, change }: Plan,
  { until, tidy }: ApproveInFile,
  { name, isNew, comments }: { name: string; isNew: boolean; comments: ReadonlyMap<string, string> },
): string[] {
  const day = until === undefined ? "without a last day" : `until ${until}`;
  const lines = [
    ...added.map(
      ({ digest, name, what = name }) => `approved ${day}: ${shortDigest(digest)}${what ? `  ${what}` : ""}`,
    ),
    ...known.map((entry) => `approved already${entry.day ? ` until ${entry.day}` : ""}: ${shortDigest(entry.digest)}`),
    ...staleLines("removed", removed, comments),
    ...(tidy ? [] : staleLines("can be removed (--tidy)", stale, comments)),
  ];
  const isWritten = change.add.length > 0 || removed.length > 0;
  return [
    ...lines,
    isWritten
      ? `wrote ${name}${isNew ? " (a new file)" : ""}: commit it`
      : isNew
        ? `there is no file ${name}, and none was written`
        : `${name} stays as it is`,
  ];
}

/** Facts that the file itself does not show. */
function notesOf(list: ConfigList, inherited: readonly unknown[] | undefined, changed: boolean): string[] {
  if (!changed || list.values) return [];
  return [
    ...(inherited && inherited.length > 0
      ? [
          `note: Pulumi does not merge lists, so this list hides the one in Pulumi.yaml: ${inherited.length === 1 ? "its entry was" : `its ${inherited.length} entries were`} copied`,
        ]
      : []),
    ...(list.hasEnvironments
      ? ["note: this stack imports environments. A compute:approve in one of them is hidden by this list"]
      : []),
  ];
}
