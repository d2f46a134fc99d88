// Lists of a project: its computes and its operations.

import { formatDuration } from "../../provider/clock.js";
import { listEndpoints, listOperations } from "../../provider/lookup/index.js";
import type { EndpointInfo, OperationInfo } from "../../provider/lookup/info.js";
import { compareNaturally } from "../../provider/rules/natural-order.js";
import { accessFor } from "../account.js";
import {
  ACCOUNT_HELP,
  EXIT,
  EXIT_HELP,
  parseArguments,
  parseOneTarget,
  parseTimeout,
  parseWholeNumber,
  SERVICE_OPTIONS,
  SERVICE_OPTIONS_HELP,
  UsageError,
} from "../arguments.js";
import type { Command } from "../command.js";
import type { Io } from "../io.js";
import { sizeText } from "../size-text.js";
import { type Cell, type Colour, json, stateText, table } from "../table.js";

const LIST_OPTIONS = { ...SERVICE_OPTIONS, "no-headings": { type: "boolean" } } as const;
const LIST_OPTIONS_HELP = `  --no-headings    leave the first line out
${SERVICE_OPTIONS_HELP}`;

const TERMINAL_HELP =
  "A terminal gets a table, with colours unless NO_COLOR is set. Elsewhere tabs separate the values.";

const ENDPOINTS_HELP = `Usage: compute-endpoint endpoints PROJECT [--no-headings] [--timeout TIME] [--json]

Lists the computes of a project, branch by branch: the primary first, then the replicas by name.

${LIST_OPTIONS_HELP}

${ACCOUNT_HELP}
${TERMINAL_HELP}
${EXIT_HELP}
`;

export const endpoints: Command = {
  summary: "list the computes of a project",
  async run(args, io) {
    const { values, positionals } = parseArguments(args, LIST_OPTIONS);
    if (values.help) return helped(io, ENDPOINTS_HELP);
    const { projectId, endpointId } = parseOneTarget(positionals, "PROJECT");
    if (endpointId !== undefined) throw new UsageError("give the project alone: all its computes are listed");
    const listed = await listEndpoints(accessFor(io, parseTimeout(values.timeout)), { projectId });
    const all = listed.sort(byBranchAndName);
    if (values.json) io.out.write(json(all));
    else if (all.length === 0) io.err.write(`project ${projectId} has no computes\n`);
    else io.out.write(table(io, values["no-headings"] ? undefined : ENDPOINT_HEAD, all.map(rowOf)));
    return EXIT.ok;
  },
};

const ENDPOINT_HEAD = ["ID", "TYPE", "BRANCH", "STATE", "SIZE", "SUSPENDS", "NAME", "HOST"];

/** By branch, the primary first, then by name. Computes without a name are sorted by their ids. */
const byBranchAndName = (a: EndpointInfo, b: EndpointInfo): number =>
  compareNaturally(a.branchId ?? "", b.branchId ?? "") ||
  Number(a.type !== "read_write") - Number(b.type !== "read_write") ||
  compareNaturally(a.name ?? a.id, b.name ?? b.id);

function rowOf(one: EndpointInfo): Cell[] {
  const { currentState: state, pendingState: next } = one;
  const moves = stateText(state, next);
  return [
    { text: one.id },
    { text: one.type },
    { text: one.branchId },
    { text: one.disabled ? "disabled" : moves, colour: colourOfState(one) },
    { text: sizeText(one.autoscalingLimitMinCu, one.autoscalingLimitMaxCu) },
    { text: suspends(one.suspendTimeoutSeconds) },
    { text: one.name ?? "" },
    { text: one.host },
  ];
}

function colourOfState({ disabled, currentState, pendingState }: EndpointInfo): Colour {
  if (disabled) return "red";
  if (pendingState !== undefined || currentState === "init") return "yellow";
  return currentState === "active" ? "green" : "dim";
}

function suspends(seconds: number | undefined): string {
  if (seconds === undefined) return "";
  if (seconds === -1) return "never";
  return seconds === 0 ? "default" : formatDuration(seconds * 1000);
}

const DEFAULT_LIMIT = "20";
/** Rows to search for the operations of one compute: the service has no filter. */
const MOST_ROWS = 1000;

const OPERATIONS_HELP = `Usage: compute-endpoint operations PROJECT[/ENDPOINT] [--limit N] [--no-headings] [--timeout TIME] [--json]

Lists the operations of a project, or of one of its computes, the newest first.

  --limit N        how many (default ${DEFAULT_LIMIT})
${LIST_OPTIONS_HELP}

${ACCOUNT_HELP}
${TERMINAL_HELP}
${EXIT_HELP}
`;

export const operations: Command = {
  summary: "list the operations of a project or compute, newest first",
  async run(args, io) {
    const { values, positionals } = parseArguments(args, {
      ...LIST_OPTIONS,
      limit: { type: "string", default: DEFAULT_LIMIT },
    });
    if (values.help) return helped(io, OPERATIONS_HELP);
    const { projectId, endpointId } = parseOneTarget(positionals, "PROJECT or PROJECT/ENDPOINT");
    const limit = parseWholeNumber("--limit", values.limit, 1);
    const access = accessFor(io, parseTimeout(values.timeout));
    const found: OperationInfo[] = [];
    let looked = 0;
    for await (const one of listOperations(access, endpointId === undefined ? { projectId, limit } : { projectId })) {
      looked++;
      if (endpointId === undefined || one.endpointId === endpointId) found.push(one);
      if (found.length >= limit || (endpointId !== undefined && looked >= MOST_ROWS)) break;
    }
    if (values.json) io.out.write(json(found));
    else if (found.length > 0) {
      io.out.write(table(io, values["no-headings"] ? undefined : OPERATION_HEAD, found.map(operationRow)));
    }
    if (endpointId !== undefined && looked >= MOST_ROWS && found.length < limit) {
      io.err.write(`only the newest ${MOST_ROWS} operations of the project were searched\n`);
    } else if (found.length === 0) {
      io.err.write(`no operations of ${endpointId ?? `project ${projectId}`}\n`);
    }
    return EXIT.ok;
  },
};

const OPERATION_HEAD = ["CREATED", "ACTION", "OF", "STATUS", "TOOK", "ID", "ERROR"];
const COLOURS = new Map<string, Colour>([
  ["OK", "green"],
  ["Error", "red"],
  ["In progress", "yellow"],
  ["Scheduling", "yellow"],
]);

function operationRow(one: OperationInfo): Cell[] {
  const status = one.label === undefined ? one.status : `${one.label} (${one.status})`;
  const colour = COLOURS.get(one.label ?? "");
  return [
    { text: one.createdAt ?? "" },
    { text: one.action },
    { text: one.endpointId ?? one.branchId ?? "" },
    { text: status, ...(colour ? { colour } : {}) },
    { text: one.durationMs ? formatDuration(one.durationMs) : "" },
    { text: one.id },
    { text: one.error ?? "" },
  ];
}

function helped(io: Io, text: string): number {
  io.out.write(text);
  return EXIT.ok;
}
