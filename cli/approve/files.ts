// The files in which Pulumi looks for a stack's config.

import { readFile, stat } from "node:fs/promises";
import { dirname, extname, join, parse, relative, resolve } from "node:path";
import { CommandRefused } from "../arguments.js";
import type { Yaml } from "./config-list.js";

/** The names that Pulumi accepts for the file of a project. */
export const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"];

/** The nearest Pulumi.yaml, in this folder or a parent folder. */
export async function projectFile(cwd: string): Promise<string | undefined> {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    for (const name of PROJECT_FILES) {
      const path = join(folder, name);
      if (await isFile(path)) return path;
    }
    if (folder === parse(folder).root) return undefined;
  }
}

/** The program of a folder. */
export interface ProgramFolder {
  /** The name of the project. */
  project: unknown;
  /** The path of a stack's own file: beside the project's, or in the folder that the project names. */
  stackFile(stack: string): string;
}

/** @param path of the project's file */
export async function programOf(yaml: Yaml, path: string): Promise<ProgramFolder> {
  const settings = (yaml.parse((await textOf(path)) ?? "") ?? {}) as Record<string, unknown>;
  return { project: settings["name"], stackFile: (stack) => stackFile(path, settings, stack) };
}

function stackFile(path: string, { stackConfigDir, config }: Record<string, unknown>, stack: string): string {
  // In older projects `config` is the folder's name.
  const folder = [stackConfigDir, config].find((one) => typeof one === "string") ?? "";
  const name = stack.split("/").at(-1)!;
  return join(dirname(path), String(folder), `Pulumi.${name}${extname(path)}`);
}

/** The stack in a file's name: `Pulumi.prod.yaml`. */
export const stackIn = (path: string): string | undefined =>
  /(?:^|[\\/])Pulumi\.(.+)\.(?:yaml|yml|json)$/.exec(path)?.[1];

/** Undefined if there is no such file. */
export async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new CommandRefused(`can't read ${path}: ${message}`);
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The path relative to that folder. */
export const shownPath = (path: string, cwd: string): string => relative(cwd, resolve(cwd, path)) || path;
