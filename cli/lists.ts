import { duration } from "../provider/clock.js";
// What a project has and what is going on in it.

import type { EndpointInfo, OperationInfo } from "../provider/lookup/facts.js";
import { listEndpoints, listOperations } from "../provider/lookup/index.js";
import { accessFor } from "./account.js";
import type { Command } from "./command.js";
import type { Io } from "./io.js";
import { type Cell, type Colour, json, table } from "./table.js";
import {
  ACCOUNT_HELP,
  COMMON,
  COMMON_HELP,
  EXIT,
  EXIT_HELP,
  oneTarget,
  parsed,
  timeoutOf,
  UsageError,
  wholeNumber,
} from "./usage.js";

const TERMINAL_HELP =
  "On a terminal it is a table, with colours unless NO_COLOR is set; elsewhere lines without a head, values between tabs.";

const ENDPOINTS_HELP = `Usage: compute-endpoint endpoints PROJECT [--timeout TIME] [--json]

Lists the computes of a project, primaries and replicas, as they are now.

${COMMON_HELP}

${ACCOUNT_HELP}
${TERMINAL_HELP}
${EXIT_HELP}
`;

export const endpoints: Command = {
  summary: "list the computes of a project",
  async run(args, io) {
    const { values, positionals } = parsed(args, COMMON);
    if (values.help) return helped(io, ENDPOINTS_HELP);
    const { projectId, endpointId } = oneTarget(positionals, "PROJECT");
    if (endpointId !== undefined) throw new UsageError("give the project alone: all its computes are listed");
    const all = await listEndpoints(accessFor(io, timeoutOf(values.timeout)), { projectId });
    if (values.json) io.out.write(json(all));
    else if (all.length === 0) io.err.write(`project ${projectId} has no computes\n`);
    else io.out.write(table(io, ["ID", "TYPE", "BRANCH", "STATE", "SIZE", "SUSPENDS", "NAME", "HOST"], all.map(rowOf)));
    return EXIT.ok;
  },
};

function rowOf(one: EndpointInfo): Cell[] {
  const { currentState: state, pendingState: next, autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max } = one;
  const moves = next === undefined || next === state ? state : `${state} → ${next}`;
  return [
    { text: one.id },
    { text: one.type },
    { text: one.branchId },
    { text: one.disabled ? "disabled" : moves, colour: colourOfState(one) },
    { text: min === max ? `${max} CU` : `${min}–${max} CU` },
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
  return seconds === 0 ? "default" : duration(seconds * 1000);
}

const DEFAULT_LIMIT = 20;
/** Rows looked through for those of one compute: the service has no filter. */
const MOST_ROWS = 1000;

const OPERATIONS_HELP = `Usage: compute-endpoint operations PROJECT[/ENDPOINT] [--limit N] [--timeout TIME] [--json]

Lists the operations of a project, or of one of its computes, the newest first.

  --limit N        how many (default ${DEFAULT_LIMIT})
${COMMON_HELP}

${ACCOUNT_HELP}
${TERMINAL_HELP}
${EXIT_HELP}
`;

export const operations: Command = {
  summary: "list the operations of a project or compute, newest first",
  async run(args, io) {
    const { values, positionals } = parsed(args, { ...COMMON, limit: { type: "string" } });
    if (values.help) return helped(io, OPERATIONS_HELP);
    const { projectId, endpointId } = oneTarget(positionals, "PROJECT or PROJECT/ENDPOINT");
    const limit = wholeNumber("--limit", values.limit, 1) ?? DEFAULT_LIMIT;
    const access = accessFor(io, timeoutOf(values.timeout));
    const found: OperationInfo[] = [];
    let looked = 0;
    for await (const one of listOperations(access, endpointId === undefined ? { projectId, limit } : { projectId })) {
      looked++;
      if (endpointId === undefined || one.endpointId === endpointId) found.push(one);
      if (found.length >= limit || (endpointId !== undefined && looked >= MOST_ROWS)) break;
    }
    if (values.json) io.out.write(json(found));
    else io.out.write(found.length > 0 ? table(io, OPERATION_HEAD, found.map(operationRow)) : "");
    if (endpointId !== undefined && looked >= MOST_ROWS && found.length < limit) {
      io.err.write(`only the newest ${MOST_ROWS} operations of the project were looked through\n`);
    } else if (found.length === 0) {
      io.err.write(`no operations of ${endpointId ?? `project ${projectId}`}\n`);
    }
    return EXIT.ok;
  },
};

const OPERATION_HEAD = ["CREATED", "ACTION", "OF", "STATUS", "TOOK", "ID", "ERROR"];
const COLOURS: Record<string, Colour> = { OK: "green", Error: "red", "In progress": "yellow", Scheduling: "yellow" };

function operationRow(one: OperationInfo): Cell[] {
  const status = one.label === undefined ? one.status : `${one.label} (${one.status})`;
  const colour = COLOURS[one.label ?? ""];
  return [
    { text: one.createdAt ?? "" },
    { text: one.action },
    { text: one.endpointId ?? one.branchId ?? "" },
    { text: status, ...(colour ? { colour } : {}) },
    { text: one.durationMs ? duration(one.durationMs) : "" },
    { text: one.id },
    { text: one.error ?? "" },
  ];
}

function helped(io: Io, text: string): number {
  io.out.write(text);
  return EXIT.ok;
}
