// Takes over computes that exist already: writes the file for `pulumi import --file`, and prints the program that fits.

import { readFile, writeFile } from "node:fs/promises";
import { argsOf } from "../../provider/endpoint/import-arguments.js";
import { namesOf } from "../../provider/endpoint/import-names.js";
import { Stopped } from "../../provider/errors.js";
import { selectComputes } from "../../provider/lookup/select.js";
import { compareNaturally } from "../../provider/rules/natural-order.js";
import { isKnownType } from "../../provider/rules/settings.js";
import { shellWord } from "../../provider/rules/shell.js";
import type { WireEndpoint } from "../../provider/wire/endpoint.js";
import { accessFor, missingComputeError } from "../account.js";
import {
  ACCOUNT_HELP,
  EXIT,
  EXIT_HELP,
  parseArguments,
  parseTarget,
  parseTimeout,
  SERVICE_OPTIONS,
  serviceOptionsHelp,
  UsageError,
} from "../arguments.js";
import type { Command } from "../command.js";
import {
  type Imported,
  type ImportOptions,
  imported,
  importedForResource,
  nameTable,
  type ProgramResource,
} from "../imported.js";
import { programText } from "../program-text.js";
import { json } from "../table.js";
import { DEFAULT_FILE, IMPORT_OPTIONS, parseImport } from "./import-options.js";

const HELP = `Usage: compute-endpoint import-file PROJECT[/ENDPOINT] ... [--out FILE] [--name-prefix PREFIX] [--parent URN]
       [--provider URN] [--timeout TIME] [--json]
       compute-endpoint import-file PROJECT/ENDPOINT --as NAME [--owned] [--managed NAMES] [--secret NAMES] [--set NAME=VALUE]
       [--parent URN] [--provider URN] [--out FILE]

Writes a file with which \`pulumi import --file\` takes over computes that exist: those of a project, or the named ones.
Prints the program that fits; with both, the next \`pulumi preview\` shows no change. Nothing is changed on the service.

  --out FILE            the file, which must not exist yet (default ${DEFAULT_FILE})
  --name-prefix PREFIX  begins the names of all resources
  --parent URN          the component that has the resources; \`pulumi stack --show-urns\` shows its URN
  --provider URN        the Provider of the program to whose account they belong
  --no-steps            do not print the next commands, for a command line that already contains them
${serviceOptionsHelp(22)}

For a resource that the program has already, for example one of a loop whose create was interrupted:

  --as NAME             the resource's name
  --owned               the compute counts as created by the resource: deleting the resource deletes it. Else it is released
  --managed NAMES       the properties that the program sets, separated by commas: type,size,settings.pgSettings.work_mem.
                        Default: those whose values are not the defaults
  --secret NAMES        those of them whose values the program keeps secret: the file has them, and the state encrypts them
  --set NAME=VALUE      a property that can't be read from a compute, such as onDelete=delete; may be given several times

${ACCOUNT_HELP}
${EXIT_HELP}
`;

export const importFile: Command = {
  summary: "take over computes that exist: a file for `pulumi import`, and the program",
  async run(args, io) {
    const { values, positionals } = parseArguments(args, { ...SERVICE_OPTIONS, ...IMPORT_OPTIONS });
    if (values.help) {
      io.out.write(HELP);
      return EXIT.ok;
    }
    const targets = positionals.map(parseTarget);
    if (targets.length === 0) throw new UsageError("which ones? give PROJECT or PROJECT/ENDPOINT");
    const { prefix, options, resource } = parseImport(values, targets);
    const access = accessFor(io, parseTimeout(values.timeout));
    const notes: string[] = [];
    const found = await selectComputes(
      access,
      targets,
      () => true,
      (projectId, id) => missingComputeError(access, { projectId, id }),
    );
    const computes = resource
      ? found.map(({ projectId, endpoint }) => importedForResource(resource, endpoint, projectId, notes))
      : takeOver(found, prefix, options, notes);
    const table = nameTable(options);
    const resources = computes.map(({ entry }) => entry);
    await writeNew(values.out, json({ ...(Object.keys(table).length > 0 ? { nameTable: table } : {}), resources }));
    const command = `pulumi import --file ${shellWord(values.out)} --protect=false --generate-code=false`;
    if (values.json) io.out.write(json(resultOf(values.out, command, computes, notes)));
    // The program has a resource of its own already, perhaps in a loop.
    else if (!resource?.isOwned) io.out.write(programText(computes));
    for (const note of notes) io.err.write(`note: ${note}\n`);
    io.err.write(holds(values.out, computes.length));
    io.err.write(values["no-steps"] ? "\n" : nextSteps(command, resource));
    io.err.write(`${resource?.isOwned ? OWNED : TAKEN_OVER}\n`);
    return EXIT.ok;
  },
};

const resultOf = (file: string, command: string, computes: readonly Imported[], notes: readonly string[]) => ({
  file,
  command,
  program: programText(computes),
  computes: computes.map(({ id, name, args }) => ({ id, name, projectId: args.projectId, args })),
  notes,
});

function takeOver(
  endpoints: readonly { projectId: string; endpoint: WireEndpoint }[],
  prefix: string,
  options: ImportOptions,
  notes: string[],
): Imported[] {
  const known = endpoints.filter(({ endpoint: { id, type } }) => {
    const isKnown = isKnownType(type);
    if (!isKnown) notes.push(`${id} is left out: this version does not know the type ${type}`);
    return isKnown;
  });
  const names = namesOf(
    known.map(({ endpoint }) => endpoint),
    prefix,
  );
  return known
    .map(({ projectId, endpoint }) =>
      imported(names.get(endpoint.id)!, endpoint, argsOf(endpoint, projectId, notes), options),
    )
    .sort((a, b) => isReplica(a) - isReplica(b) || compareNaturally(a.name.toLowerCase(), b.name.toLowerCase()));
}

const isReplica = ({ args }: Imported): number => Number(args.type === "read_only");

/** An existing file with the same text is fine: people repeat the whole line when `pulumi import` in it fails. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isSame = code === "EEXIST" && (await readFile(file, "utf8").catch(() => undefined)) === text;
    if (isSame) return;
    if (code === "EEXIST") throw new UsageError(`${file} exists already: remove it, or name another file with --out`);
    throw new Stopped(`can't write ${file}: ${message}`);
  }
}

const holds = (file: string, count: number): string => `\n${file} holds ${count} compute${count === 1 ? "" : "s"}.`;

function nextSteps(command: string, resource: ProgramResource | undefined): string {
  const program = resource
    ? [`the program must have the resource ${resource.name}, with the arguments above`]
    : ["put the printed program into yours"];
  const steps = [
    ...(resource?.isOwned ? [] : program),
    command,
    "pulumi preview, which shows no change. Then nobody needs the file any more",
  ];
  return ` Next:\n${steps.map((step, index) => `  ${index + 1}. ${step}`).join("\n")}\n`;
}

const OWNED = "It counts as created by its resource: deleting the resource deletes the compute.";
const TAKEN_OVER =
  'They count as taken over: deleting a resource leaves its compute on the service, unless the program says onDelete: "delete".';
