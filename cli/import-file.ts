// Takes computes over that exist already: the file for `pulumi import --file`, and the program that fits.

import { writeFile } from "node:fs/promises";
import { Stopped } from "../provider/errors.js";
import type { Access } from "../provider/lookup/access.js";
import type { WireEndpoint } from "../provider/wire/endpoint.js";
import { accessFor, deadlineIn, explained, notThere } from "./account.js";
import type { Command } from "./command.js";
import { argsOf, type Imported, imported, namesOf } from "./imported.js";
import { programText } from "./program-text.js";
import { json } from "./table.js";
import {
  ACCOUNT_HELP,
  COMMON,
  EXIT,
  EXIT_HELP,
  parsed,
  type Target,
  targetOf,
  timeoutOf,
  UsageError,
} from "./usage.js";

const DEFAULT_FILE = "compute-import.json";

const HELP = `Usage: compute-endpoint import-file PROJECT[/ENDPOINT] ... [--out FILE] [--name-prefix PREFIX] [--timeout TIME]

Writes a file with which \`pulumi import --file\` takes over computes that exist: those of a project, or the named ones.
Prints the program that fits; with both, the next \`pulumi preview\` shows no change. Nothing is changed on the service.

  --out FILE            the file, which must not exist yet (default ${DEFAULT_FILE})
  --name-prefix PREFIX  begins the names of all resources
  --timeout TIME        how long it may take at most, for example 90s or 10m (default 10m)
  --help

${ACCOUNT_HELP}
${EXIT_HELP}
`;

export const importFile: Command = {
  summary: "take over computes that exist: a file for `pulumi import`, and the program",
  async run(args, io) {
    const { values, positionals } = parsed(args, {
      help: COMMON.help,
      timeout: COMMON.timeout,
      out: { type: "string", default: DEFAULT_FILE },
      "name-prefix": { type: "string", default: "" },
    });
    if (values.help) {
      io.out.write(HELP);
      return EXIT.ok;
    }
    const prefix = values["name-prefix"];
    if (!/^[A-Za-z0-9_.-]*$/.test(prefix)) {
      throw new UsageError("--name-prefix may have letters, digits, dots, dashes and underscores");
    }
    const targets = positionals.map(targetOf);
    if (targets.length === 0) throw new UsageError("which ones? give PROJECT or PROJECT/ENDPOINT");
    const access = accessFor(io, timeoutOf(values.timeout));
    const notes: string[] = [];
    const computes = takeOver(await endpointsOf(access, targets), prefix, notes);
    await writeNew(values.out, json({ resources: computes.map(({ entry }) => entry) }));
    io.out.write(programText(computes));
    for (const note of notes) io.err.write(`note: ${note}\n`);
    io.err.write(nextSteps(values.out, computes.length));
    return EXIT.ok;
  },
};

/** The computes, each with its project; an error where one is missing. */
async function endpointsOf(access: Access, targets: readonly Target[]): Promise<[string, WireEndpoint][]> {
  const found = new Map<string, [string, WireEndpoint]>();
  for (const { projectId, endpointId } of targets) {
    const all = await access.context.lists.read(projectId, deadlineIn(access)).catch((error: unknown) => {
      throw explained(access, projectId, error);
    });
    const meant = endpointId === undefined ? all : all.filter(({ id }) => id === endpointId);
    if (endpointId !== undefined && meant.length === 0) throw await notThere(access, { projectId, id: endpointId });
    if (meant.length === 0) throw new Stopped(`project ${projectId} has no computes`);
    for (const one of meant) found.set(one.id, [projectId, one]);
  }
  return [...found.values()];
}

function takeOver(endpoints: readonly [string, WireEndpoint][], prefix: string, notes: string[]): Imported[] {
  const known = endpoints.filter(([, { id, type }]) => {
    const isKnown = type === "read_write" || type === "read_only";
    if (!isKnown) notes.push(`${id} is left out: ${type} is no type of compute that this version knows`);
    return isKnown;
  });
  const names = namesOf(
    known.map(([, one]) => one),
    prefix,
  );
  return known
    .map(([projectId, one]) => imported(names.get(one.id)!, one, argsOf(one, projectId, notes)))
    .sort((a, b) => isReplica(a) - isReplica(b) || (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
}

const isReplica = ({ args }: Imported): number => Number(args.type === "read_only");

async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") throw new UsageError(`${file} exists already: remove it, or name another file with --out`);
    throw new Stopped(`can't write ${file}: ${message}`);
  }
}

const nextSteps = (file: string, count: number): string => `
${file} holds ${count} compute${count === 1 ? "" : "s"}. Next:
  1. put the program above into yours
  2. pulumi import --file ${file} --protect=false --generate-code=false
  3. pulumi preview, which shows no change
They count as taken over: deleting a resource leaves its compute on the service, unless the program says onDelete: "delete".
`;
