// The line of the program that declares a compute: the first frame that is a file of the project.

import { access } from "node:fs/promises";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { PROJECT_FILES } from "../approve/files.js";
import { cleanLine } from "./clean.js";
import { listOf, record } from "./preview.js";
import type { Position, Step } from "./types.js";

const LONGEST = 500;
const FORM = /^project:\/\/\/(.{1,500})#(\d{1,7})(?:,(\d{1,7}))?$/u;
/** Our own class, if a clone of it is part of the project: its source, or the build's file with it (`tools/join-modules.mjs`). */
const OUR_CLASS = /(?:^|\/)(?:dist\/)?sdk\/(?:endpoint|modules)\.[jt]s$/;

/** @param folder of Pulumi.yaml inside the repository: positions are relative to it */
export function positionOf({ old, next }: Step, folder: string): Position | undefined {
  const state = (next ?? old)?.raw;
  const frames = listOf(state?.["stackTrace"]).map((frame) => record(frame)?.["sourcePosition"]);
  for (const frame of [state?.["sourcePosition"], ...frames.slice(0, 100)]) {
    const position = typeof frame === "string" ? parsed(frame) : undefined;
    if (position) return { ...position, file: posix.join(folder, position.file) };
  }
  return undefined;
}

function parsed(frame: string): Position | undefined {
  const [, path, line, column] = FORM.exec(frame) ?? [];
  if (!path || !line) return undefined;
  const file = decoded(path);
  // A path that would be cut or escaped is dropped: the rest would name another file.
  if (!file || !isRepositoryPath(file) || cleanLine(file, LONGEST) !== file || OUR_CLASS.test(file)) return undefined;
  return { file, line: Number(line), ...(column ? { column: Number(column) } : {}) };
}

/** A path of the repository's own code: relative, without `..`, and outside of node_modules. */
export function isRepositoryPath(path: string): boolean {
  const parts = path.split(/[\\/]/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a path with a control character in it is refused
  if (/[\u0000-\u001f\u007f\\:]/.test(path) || path.startsWith("/") || path.startsWith("~")) return false;
  return !parts.some((part) => part === ".." || part === "" || part === "node_modules" || part === ".git");
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

// Positions in a preview are relative to the folder of Pulumi.yaml; annotations want paths in the repository.

/**
 * The project's folder in the repository: the folder of the document, or the working folder, whichever has a Pulumi.yaml. "" for
 * the root or if unknown.
 * @param repository of the pipeline; if absent, the working folder is the root
 */
export async function folderOf(file: string | undefined, cwd: string, repository: string | undefined): Promise<string> {
  const folders = [...(file === undefined ? [] : [dirname(resolve(cwd, file))]), cwd];
  for (const candidate of folders) {
    if (!(await hasProject(candidate))) continue;
    const path = relative(repository || cwd, candidate)
      .split(sep)
      .join("/");
    return isRepositoryPath(path) ? path : "";
  }
  return "";
}

async function hasProject(folder: string): Promise<boolean> {
  for (const name of PROJECT_FILES) {
    const isThere = await access(join(folder, name)).then(
      () => true,
      () => false,
    );
    if (isThere) return true;
  }
  return false;
}
