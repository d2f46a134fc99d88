// Positions in a preview are relative to the folder of Pulumi.yaml; annotations want paths in the repository.

import { access } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { isInside } from "./position.js";

const PROJECT_FILES = ["Pulumi.yaml", "Pulumi.yml"];

/**
 * The folder of the project inside the repository, "" for its root or where it can't be told: beside the document, or where
 * the command runs.
 * @param repository of the pipeline; without one, where the command runs is the root
 */
export async function folderOf(file: string | undefined, cwd: string, repository: string | undefined): Promise<string> {
  const places = [...(file === undefined ? [] : [dirname(resolve(cwd, file))]), cwd];
  for (const place of places) {
    if (!(await hasProject(place))) continue;
    const path = relative(repository || cwd, place)
      .split(sep)
      .join("/");
    return isInside(path) ? path : "";
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
