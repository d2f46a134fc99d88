// Where in the program a compute stands: the first frame that is a file of the project.

import { posix } from "node:path";
import { clean } from "./clean.js";
import { listOf, record } from "./preview.js";
import type { Position, Step } from "./types.js";

const LONGEST = 500;
const FORM = /^project:\/\/\/(.{1,500})#(\d{1,7})(?:,(\d{1,7}))?$/u;
/** Our own class, where a clone of it is part of the project. */
const OUR_CLASS = /(?:^|\/)(?:dist\/)?sdk\/endpoint\.[jt]s$/;

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
  // A path with anything unseen in it is not shown in part: it would be another one.
  if (!file || !isInside(file) || clean(file, LONGEST) !== file || OUR_CLASS.test(file)) return undefined;
  return { file, line: Number(line), ...(column ? { column: Number(column) } : {}) };
}

/** A path of the repository: relative, going nowhere up, and nobody else's code. */
export function isInside(path: string): boolean {
  const parts = path.split(/[\\/]/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
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
