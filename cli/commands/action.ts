// restart, start and suspend, for runbooks. They wait, and report progress, as the provider does.

import type { Deadline } from "../../provider/clock.js";
import {
  type ActionName,
  type ActionResult,
  isNeedless,
  lastStartOf,
  runAction,
} from "../../provider/endpoint/action.js";
import { type ComputeRef, findCompute } from "../../provider/endpoint/find.js";
import { isKind, Stopped } from "../../provider/errors.js";
import { type Access, deadlineOf, explainMissingProject } from "../../provider/lookup/access.js";
import { endpointInfo, operationInfo } from "../../provider/lookup/to-info.js";
import { formatUnfinished, operationName } from "../../provider/operations/format.js";
import { NEWEST_PAGE } from "../../provider/operations/poll.js";
import { isRunning, newestOperations } from "../../provider/operations/queries.js";
import { settle } from "../../provider/operations/settle.js";
import type { WireEndpoint } from "../../provider/wire/endpoint.js";
import type { WireOperation } from "../../provider/wire/operation.js";
import { accessFor, missingComputeError } from "../account.js";
import {
  ACCOUNT_HELP,
  EXIT,
  EXIT_HELP,
  parseArguments,
  parseOneTarget,
  parseTimeout,
  SERVICE_OPTIONS,
  SERVICE_OPTIONS_HELP,
  UsageError,
} from "../arguments.js";
import type { Command } from "../command.js";
import type { Io } from "../io.js";
import { json, stateText } from "../table.js";

interface Texts {
  summary: string;
  help: string;
  /** "compute … restarts". */
  doing: string;
  /** The reason why nothing was done, after "compute … is idle: ". */
  noop: string;
}

const TEXTS: Record<ActionName, Texts> = {
  restart: {
    summary: "restart an active compute, and wait until it is up again",
    help: "Restarts an active compute: open connections drop. An idle or disabled compute stays as it is.",
    doing: "restarts",
    noop: "nothing to restart",
  },
  start: {
    summary: "start an idle compute, and wait until it is up",
    help: "Starts an idle compute. An active compute stays as it is.",
    doing: "starts",
    noop: "nothing to do",
  },
  suspend: {
    summary: "suspend an active compute, and wait until it is idle",
    help: "Suspends an active compute: open connections drop. The next connection starts it again.",
    doing: "is being suspended",
    noop: "nothing to do",
  },
};

const FORM = "PROJECT/ENDPOINT";

export const actionCommand = (name: ActionName): Command => ({
  summary: TEXTS[name].summary,
  async run(args, io) {
    const { values, positionals } = parseArguments(args, { ...SERVICE_OPTIONS, "no-wait": { type: "boolean" } });
    if (values.help) {
      io.out.write(helpOf(name));
      return EXIT.ok;
    }
    const { projectId: project, endpointId: id } = parseOneTarget(positionals, FORM);
    if (id === undefined) {
      throw new UsageError(`which compute? give ${FORM}; \`compute-endpoint endpoints ${project}\` lists them`);
    }
    const access = accessFor(io, parseTimeout(values.timeout), timeoutAdvice(project, id));
    await carryOut(io, access, name, { project, id }, { wait: !values["no-wait"], asJson: values.json === true });
    return EXIT.ok;
  },
});

const resultHint = (project: string, id: string) =>
  `\`compute-endpoint operations ${project}/${id}\` shows how it ends`;

const timeoutAdvice = (project: string, id: string) =>
  `The work goes on at the service: ${resultHint(project, id)}; --timeout gives it more time`;

/** Names the operation that keeps the project busy, if one more request shows it. */
async function stillBusy(context: Access["context"], project: string, deadline: Deadline): Promise<string> {
  const { client, clock } = context;
  const going = (await newestOperations(context, project, deadline)).find((one) => isRunning(one, clock.wall()));
  const what = going ? ` with ${formatUnfinished(going, client.redactor, clock.wall(), 0)}` : "";
  return `Nothing was done: the project was busy${what} until time was up. \`compute-endpoint operations ${project}\` shows how it goes on; --timeout gives it more time`;
}

async function carryOut(
  io: Io,
  access: Access,
  name: ActionName,
  compute: ComputeRef,
  { wait, asJson }: { wait: boolean; asJson: boolean },
): Promise<void> {
  const { context } = access;
  const { project, id } = compute;
  const deadline = deadlineOf(access);
  let phase = "nothing was sent";
  const release = io.onInterrupt(() => `interrupted: ${phase}`);
  try {
    const now = await findCompute(context, compute, deadline).catch((error: unknown) => {
      throw explainMissingProject(access, project, error);
    });
    if (!now) throw await missingComputeError(access, { projectId: project, id });
    const lastStart =
      name === "restart" && !isNeedless(name, now) ? await lastStartOf(context, compute, now, deadline) : {};
    phase = `the request may have reached the service; \`compute-endpoint operations ${project}/${id}\` shows what became of it`;
    const done = await runAction(context, name, compute, now, lastStart, deadline).catch(async (error: unknown) => {
      const isBusy = isKind(error, "service") && error.answer.status === 423;
      if (isBusy) error.message += `. ${await stillBusy(context, project, deadline)}`;
      throw error;
    });
    if (!done) throw new Stopped(`compute ${id} is not in project ${project} any more: somebody deleted it`);
    const { operations } = done;
    if (operations.length > 0) {
      const goesOn = operations
        .map((one) => `${operationName(one, context.client.redactor)} (operation ${one.id})`)
        .join(", ");
      phase = `the service goes on with ${goesOn}; ${resultHint(project, id)}`;
      const what = done.sent ? TEXTS[name].doing : "is still changing";
      io.err.write(`compute ${id} ${what}: ${operations.map(({ action }) => action).join(", ")}\n`);
    } else {
      phase = "the work was done";
    }
    const hasWaited = wait && operations.length > 0;
    if (hasWaited) await waitFor(access, compute, operations, deadline);
    const after = (hasWaited && (await findCompute(context, compute, deadline))) || done.endpoint;
    const result = { name, project, done, after, hasWaited, isOver: wait || operations.length === 0 };
    io.out.write(asJson ? json(await resultInfo(access, result, deadline)) : describeResult(result));
  } finally {
    release();
  }
}

/** Waits for the operations. The error of a failure gives the state of the compute, which the caller needs next. */
async function waitFor(
  { context }: Access,
  compute: ComputeRef,
  operations: WireOperation[],
  deadline: Deadline,
): Promise<void> {
  try {
    await settle(context, compute.project, operations, deadline);
  } catch (error) {
    const now = await findCompute(context, compute, deadline).catch(() => undefined);
    if (now && error instanceof Error) error.message += `. Compute ${compute.id} is ${stateOf(now)}`;
    throw error;
  }
}

interface Result {
  name: ActionName;
  project: string;
  done: ActionResult;
  after: WireEndpoint;
  /** Whether the command has waited for operations. */
  hasWaited: boolean;
  /** Whether all work has ended: the command has waited, or there was nothing to wait for. */
  isOver: boolean;
}

function describeResult({ name, done, after, isOver }: Result): string {
  const { id } = after;
  if (!isOver)
    return `compute ${id} ${TEXTS[name].doing}: the service has accepted it; --no-wait does not wait for the end\n`;
  if (done.sent || done.operations.length > 0) return `compute ${id} is ${stateOf(after)}\n`;
  const noop = isNeedless(name, after) ? TEXTS[name].noop : "somebody else has just started it";
  return `compute ${id} is ${stateOf(after)}: ${noop}\n`;
}

/** "active", "active → idle", "disabled". */
function stateOf({
  disabled,
  current_state: state = "in an unknown state",
  pending_state: next,
}: WireEndpoint): string {
  const moves = stateText(state, next);
  return disabled ? `disabled (${moves})` : moves;
}

async function resultInfo(
  { context }: Access,
  { name, project, done, after, hasWaited, isOver }: Result,
  deadline: Deadline,
) {
  const { operations } = done;
  // The operations as they are now. Those in `done` are as they were at the start.
  const page = hasWaited ? await context.client.listOperations(project, { limit: NEWEST_PAGE }, deadline) : undefined;
  const now = operations.map((one) => page?.operations.find(({ id }) => id === one.id) ?? one);
  return {
    action: name,
    /** Whether a request was sent. False if there was nothing to do. */
    sent: done.sent,
    waited: isOver,
    endpoint: endpointInfo(after, project),
    operations: now.map((one) => operationInfo(one, project)),
  };
}

const helpOf = (
  name: ActionName,
): string => `Usage: compute-endpoint ${name} ${FORM} [--no-wait] [--timeout TIME] [--json]

${TEXTS[name].help}

  --no-wait        return as soon as the service has accepted the request
${SERVICE_OPTIONS_HELP}

${ACCOUNT_HELP}
Ctrl-C ends the command at once, and names the operations that the service continues.
${EXIT_HELP}
`;
