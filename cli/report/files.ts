// The file names in the short approve or tidy command. They are known only where readers of the report have the files.

import { PREVIEW_VARIABLE } from "../../provider/rules/policies.js";
import { isPlainName } from "../../provider/rules/shell.js";
import { loadYaml } from "../approve/config-list.js";
import { type ProgramFolder, programOf, projectFile, shownPath } from "../approve/files.js";
import { cleanLine, quote } from "./clean.js";
import type { ReportFiles, StackReport } from "./types.js";

/** The program of this folder, with paths as people here name them; undefined if there is none that can be read. */
export async function programHere(cwd: string): Promise<ProgramFolder | undefined> {
  const path = await projectFile(cwd);
  if (path === undefined) return undefined;
  const program = await programOf(await loadYaml(), path).catch(() => undefined);
  return program && { ...program, stackFile: (stack) => shownPath(program.stackFile(stack), cwd) };
}

/**
 * @param preview the file with the document
 * @returns undefined if the program of this folder is another one
 */
export function filesOf(
  program: ProgramFolder,
  { preview, project, stack }: { preview: string; project: string; stack: string },
): ReportFiles | undefined {
  if (program.project !== project) return undefined;
  const config = program.stackFile(stack);
  return [preview, config].every(isPlainName) ? { preview, config } : undefined;
}

/** @param flag `--approve` or `--tidy` */
const fileCommand = (flag: string, files: ReportFiles): string =>
  `npx --no compute-endpoint report ${files.preview} ${flag} ${files.config}`;

/**
 * How to remove entries, as a sentence. Readers of a comment have no document, so they first make one.
 * @param stack undefined if it is not known
 * @param folder of the program in the repository, as readers may see it; empty if unknown
 */
export function tidyWay(files: ReportFiles | undefined, stack: string | undefined, folder: string): string {
  if (files) return `\`${fileCommand("--tidy", files)}\` removes such entries`;
  const isNamed = stack !== undefined && isPlainName(stack);
  const made = { preview: "preview.json", config: isNamed ? `Pulumi.${stack.split("/").at(-1)}.yaml` : "FILE" };
  const preview = `${PREVIEW_VARIABLE}=warn pulumi preview${isNamed ? ` --stack ${stack}` : ""} --json > ${made.preview}`;
  const where = folder === "" ? "the program's folder" : quote(cleanLine(folder));
  return `To remove such entries, in ${where}: \`${preview}\`, then \`${fileCommand("--tidy", made)}\``;
}

/** The one short line that approves all; undefined if the document does not allow it, or readers do not have the files. */
export const shortCommand = ({ files, incomplete }: StackReport): string | undefined =>
  files && incomplete.length === 0 ? fileCommand("--approve", files) : undefined;
