// The options of `report`, and its help.

import { APPROVAL_OPTIONS, approvalHelp } from "../approve/options.js";
import { parseArguments, parseChoice, parseWholeNumber, UsageError } from "../arguments.js";
import { DEFAULT_FAIL_ON, type FailOn, parseFailOn } from "./fail-on.js";
import { isRepositoryPath } from "./position.js";

const FORMATS = ["markdown", "github", "json", "text"] as const;
type Format = (typeof FORMATS)[number];

const MAX_BYTES = "60000";
/** Room for the verdict, and for the names of what is deleted. */
const LEAST_BYTES = 1000;

export interface Options {
  files: string[];
  /** Undefined: text on a terminal, else Markdown. */
  format?: Format;
  failOn: FailOn;
  maxBytes: number;
  name?: string;
  folder?: string;
  /** Write the stack's file. */
  write?: WriteOptions;
}

export interface WriteOptions {
  file: string;
  /** Whether to approve what the report asks for. */
  approves: boolean;
  /** Whether to take out what approves nothing any more. */
  tidies: boolean;
  until: string | undefined;
  "no-expiry": boolean | undefined;
}

export const HELP = `Usage: compute-endpoint report [FILE ...] [options]

Reads what \`pulumi preview --json\` printed, from files or from stdin (-, or nothing where something is piped in), and says
which computes restart, stop, get a new host or are deleted, why, and how to approve it. Sends no requests.

  --format FORMAT   markdown  for a pull request; the default
                    text      for people; the default on a terminal
                    github    annotations at the program's lines, and Markdown for the job's summary
                    json      for programs; described by pulumi-compute-endpoint/report.schema.json
  --fail-on LIST    when to exit with 3: the lowest impact that needs an approval (may-restart, restart, stop or
                    new-host), and delete for each deletion, which nobody can approve; or none (default restart)
  --max-bytes N     the largest size of the Markdown, at least ${LEAST_BYTES} (default ${MAX_BYTES}): details are dropped first,
                    then the rows of the least harmful changes; the first line always counts all
  --name NAME       the name in the first line of the Markdown, <!-- compute-endpoint report v1 NAME -->, by which a pipeline
                    finds its comment again (default: PROJECT/STACK of each document). Give it where a preview may fail
                    before there is a document. If NAME is PROJECT/STACK, only one document is taken, and only if
                    all its URNs belong to that stack; anything else is refused with exit code 2
  --approve FILE    approve all that this report asks for: writes it into FILE, the stack's file of config, in place
${approvalHelp(18)}
  --tidy FILE       remove from FILE the entries that approve nothing any more, or nothing in this preview. Approves nothing;
                    with --approve FILE too, both
  --folder PATH     of Pulumi.yaml in the repository, for annotations (default: found beside the file, or here)
  --help

Several documents give one report with one section each, also if they are in one file. Approvals are read from
compute:approve in the document. In a pipeline write the file first and read it then, so that Pulumi's own exit code counts.

Under onRestart: "refuse", preview with COMPUTE_ON_RESTART=warn in the environment. It shows everything and changes no file, and
\`pulumi up\` refuses as before.

Exit codes: 0 no unapproved change reaches --fail-on, 3 at least one does, 2 bad usage, an input that is not a preview, or a
preview that failed or says that \`up\` will fail (the known part is reported), 1 --approve can't write FILE, or a bug of this
command.
`;

/** Undefined if help is asked for. @throws UsageError */
export function optionsOf(args: string[]): Options | undefined {
  const { values, positionals } = parseArguments(args, {
    format: { type: "string" },
    "fail-on": { type: "string", default: DEFAULT_FAIL_ON },
    "max-bytes": { type: "string", default: MAX_BYTES },
    name: { type: "string" },
    folder: { type: "string" },
    approve: { type: "string" },
    tidy: { type: "string" },
    ...APPROVAL_OPTIONS,
  });
  if (values.help) return undefined;
  const { name } = values;
  if (name?.trim() === "") throw new UsageError("--name must not be empty");
  return {
    files: [...new Set(positionals)],
    ...(values.format === undefined ? {} : { format: parseChoice("--format", values.format, FORMATS) }),
    failOn: parseFailOn(values["fail-on"]),
    maxBytes: parseWholeNumber("--max-bytes", values["max-bytes"], LEAST_BYTES),
    ...(name === undefined ? {} : { name }),
    ...(values.folder === undefined ? {} : { folder: folderIn(values.folder) }),
    ...writeOptions(values),
  };
}

function folderIn(path: string): string {
  const folder = path.replace(/^\.\/+/, "").replace(/\/+$/, "");
  if (folder === "" || folder === ".") return "";
  if (!isRepositoryPath(folder))
    throw new UsageError(`--folder must be a path inside the repository, not ${JSON.stringify(path)}`);
  return folder;
}

interface WriteFlags {
  approve?: string;
  tidy?: string;
  until?: string;
  "no-expiry"?: boolean;
}

function writeOptions({ approve, tidy, until, "no-expiry": noExpiry }: WriteFlags): { write?: WriteOptions } {
  const lone = Object.entries({ until, "no-expiry": noExpiry }).find(([, value]) => value !== undefined);
  if (approve === undefined && lone) throw new UsageError(`--${lone[0]} needs --approve FILE`);
  if (approve !== undefined && tidy !== undefined && approve !== tidy)
    throw new UsageError("--approve and --tidy must name the same FILE: a stack has one");
  const file = approve ?? tidy;
  if (file === undefined) return {};
  const days = { until, "no-expiry": noExpiry };
  return { write: { file, approves: approve !== undefined, tidies: tidy !== undefined, ...days } };
}
