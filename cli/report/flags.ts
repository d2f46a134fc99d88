import { IMPACTS, type Impact } from "../../provider/rules/restart.js";
import { parsed, UsageError, wholeNumber } from "../usage.js";
import { isInside } from "./position.js";

const FORMATS = ["markdown", "github", "json", "text"] as const;
type Format = (typeof FORMATS)[number];

const MAX_BYTES = "60000";
/** Room for the verdict, and for the names of what is deleted. */
const LEAST_BYTES = 1000;

export interface Options {
  files: string[];
  /** Undefined: as the output wants it. */
  format?: Format;
  failOn: Impact;
  maxBytes: number;
  name?: string;
  folder?: string;
}

export const HELP = `Usage: compute-endpoint report [FILE ...] [options]

Reads what \`pulumi preview --json\` printed, from files or from stdin (-, or nothing where something is piped in), and says
which computes restart, stop, get a new host or are deleted, why, and how to approve it. Sends nothing anywhere.

  --format FORMAT   markdown  for a pull request; the default
                    text      for people; the default on a terminal
                    github    annotations at the program's lines, and Markdown for the job's summary
                    json      for programs; described by pulumi-compute-endpoint/report.schema.json
  --fail-on IMPACT  the least impact that ends with exit code 3 unless it is approved: may-restart, restart, stop,
                    new-host, delete, or none for never (default restart)
  --max-bytes N     the most that the Markdown may have, from ${LEAST_BYTES} (default ${MAX_BYTES}): details go first, then the rows of
                    what does least; the line on top always counts everything
  --name NAME       what the first line of the Markdown names, <!-- compute-endpoint report v1 NAME -->, by which a pipeline
                    finds its comment again (default: PROJECT/STACK of each document). Give it where a preview may fail
                    before there is a document. As PROJECT/STACK it is held against the document: another stack's is
                    refused, exit code 2
  --folder PATH     of Pulumi.yaml in the repository, for annotations (default: found beside the file, or here)
  --help

Several documents make one report with a section each, also when they stand in one file. Approvals are read from
compute:approve in the document. In a pipeline write the file first and read it then, so that Pulumi's own exit code counts.

Exit codes: 0 nothing at or above --fail-on that is not approved, 3 something is, 2 bad usage, an input that is no preview, or
a preview that failed (what is known is reported), 1 a bug of this command.
`;

/** Undefined where help is asked for. @throws UsageError */
export function optionsOf(args: string[]): Options | undefined {
  const { values, positionals } = parsed(args, {
    help: { type: "boolean", short: "h" },
    format: { type: "string" },
    "fail-on": { type: "string", default: "restart" },
    "max-bytes": { type: "string", default: MAX_BYTES },
    name: { type: "string" },
    folder: { type: "string" },
  });
  if (values.help) return undefined;
  const { name } = values;
  if (name?.trim() === "") throw new UsageError("--name must not be empty");
  return {
    files: [...new Set(positionals)],
    ...(values.format === undefined ? {} : { format: oneOf("--format", values.format, FORMATS) }),
    failOn: oneOf("--fail-on", values["fail-on"], IMPACTS),
    maxBytes: wholeNumber("--max-bytes", values["max-bytes"], LEAST_BYTES)!,
    ...(name === undefined ? {} : { name }),
    ...(values.folder === undefined ? {} : { folder: folderIn(values.folder) }),
  };
}

function oneOf<const T extends string>(flag: string, value: string, words: readonly T[]): T {
  const word = words.find((one) => one === value);
  if (word === undefined)
    throw new UsageError(`${flag} must be one of ${words.join(", ")}, not ${JSON.stringify(value)}`);
  return word;
}

function folderIn(path: string): string {
  const folder = path.replace(/^\.\/+/, "").replace(/\/+$/, "");
  if (folder === "" || folder === ".") return "";
  if (!isInside(folder))
    throw new UsageError(`--folder must be a path inside the repository, not ${JSON.stringify(path)}`);
  return folder;
}
