// The computes that `delete` must not touch, as a script names them.

import { readFile } from "node:fs/promises";
import type { WireEndpoint } from "../provider/wire/endpoint.js";
import { CommandRefused, UsageError } from "./arguments.js";

/** Ids in any text: in the document of `pulumi stack export`, in a list, in a connection string. */
const IDS = /\bep-[a-z0-9-]{1,57}\b/g;
const POOLER = /-pooler$/;

export interface KeepList {
  /** Where the list names the compute, for the refusal; undefined if it does not. */
  sourceOf(compute: Pick<WireEndpoint, "id" | "name">): string | undefined;
}

/**
 * @param named ids and names
 * @param files text files: each id in them counts, and each line that is a compute's name
 * @throws UsageError for a file that can't be read or names no compute: a broken list must not leave everything unprotected
 */
export async function readKeepList(named: readonly string[], files: readonly string[]): Promise<KeepList> {
  const sources = new Map<string, string>();
  for (const one of named.flatMap((text) => text.split(",")).map((text) => text.trim())) {
    if (one === "") throw new UsageError("--keep needs the id or the name of a compute");
    sources.set(one, "--keep");
  }
  for (const file of files) {
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      throw new CommandRefused(`--keep-from: can't read ${file}: ${error.message}`);
    });
    const ids = text.match(IDS) ?? [];
    const lines = text.split("\n").map((line) => line.trim());
    const isDocument = /^\s*[{[]/.test(text);
    const names = isDocument ? [] : lines.filter((line) => line !== "" && !line.startsWith("#"));
    if (ids.length + names.length === 0) {
      throw new CommandRefused(
        `--keep-from: ${file} names no compute, so it would keep none. Leave it out if that is what you want`,
      );
    }
    for (const one of [...ids.map((id) => id.replace(POOLER, "")), ...names]) sources.set(one, file);
  }
  return { sourceOf: ({ id, name }) => sources.get(id) ?? (name === undefined ? undefined : sources.get(name)) };
}
