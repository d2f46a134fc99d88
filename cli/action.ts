// restart, start and suspend, for runbooks: waiting and speaking as the provider does.

import type { Deadline } from "../provider/clock.js";
import { type ActionName, act, type Done, isReached, markOf } from "../provider/endpoint/action.js";
import { look, type Place } from "../provider/endpoint/look.js";
import { isKind, Stopped } from "../provider/errors.js";
import type { Access } from "../provider/lookup/access.js";
import { endpointInfo, operationInfo } from "../provider/lookup/facts.js";
import { isGoing } from "../provider/operations/pending.js";
import { settle } from "../provider/operations/settle.js";
import { PAGE } from "../provider/operations/watch.js";
import { leftover, nameOf } from "../provider/operations/words.js";
import type { WireEndpoint } from "../provider/wire/endpoint.js";
import type { WireOperation } from "../provider/wire/operation.js";
import { accessFor, deadlineIn, explained, notThere } from "./account.js";
import type { Command } from "./command.js";
import type { Io } from "./io.js";
import { json } from "./table.js";
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
} from "./usage.js";

interface Words {
  summary: string;
  help: string;
  /** "compute … restarts". */
  doing: string;
  /** Why there is nothing to do, behind "compute … is idle: ". */
  needless: string;
}

const WORDS: Record<ActionName, Words> = {
  restart: {
    summary: "restart an active compute, and wait until it is up again",
    help: "Restarts a compute that is active: open connections drop. One that is idle or disabled has nothing to restart.",
    doing: "restarts",
    needless: "nothing to restart, its next start is a fresh one",
  },
  start: {
    summary: "start an idle compute, and wait until it is up",
    help: "Starts a compute that is idle. One that is active stays as it is.",
    doing: "starts",
    needless: "nothing to do",
  },
  suspend: {
    summary: "suspend an active compute, and wait until it is idle",
    help: "Suspends a compute that is active: open connections drop, and the next one starts it again.",
    doing: "is being suspended",
    needless: "nothing to do",
  },
};

const FORM = "PROJECT/ENDPOINT";

export const actionCommand = (name: ActionName): Command => ({
  summary: WORDS[name].summary,
  async run(args, io) {
    const { values, positionals } = parsed(args, { ...COMMON, "no-wait": { type: "boolean" } });
    if (values.help) {
      io.out.write(helpOf(name));
      return EXIT.ok;
    }
    const { projectId: project, endpointId: id } = oneTarget(positionals, FORM);
    if (id === undefined) {
      throw new UsageError(`which compute? give ${FORM}; \`compute-endpoint endpoints ${project}\` lists them`);
    }
    const access = accessFor(io, timeoutOf(values.timeout), lateAdvice(project, id));
    await carryOut(io, access, name, { project, id }, { wait: !values["no-wait"], asJson: values.json === true });
    return EXIT.ok;
  },
});

const showsHow = (project: string, id: string) => `\`compute-endpoint operations ${project}/${id}\` shows how it ends`;

const lateAdvice = (project: string, id: string) =>
  `The work goes on at the service: ${showsHow(project, id)}; --timeout gives it more time`;

/** With what, where one more look can tell: a short time may have been up before the first. */
async function stillBusy({ client, clock }: Access["context"], project: string, deadline: Deadline): Promise<string> {
  const page = await client.listOperations(project, { limit: PAGE }, deadline).catch(() => undefined);
  const going = page?.operations.find((one) => isGoing(one, clock.wall()));
  const what = going ? ` with ${leftover(going, client.redactor, clock.wall(), 0)}` : "";
  return `Nothing was done: the project was busy${what} until time was up. \`compute-endpoint operations ${project}\` shows how it goes on; --timeout gives it more time`;
}

async function carryOut(
  io: Io,
  access: Access,
  name: ActionName,
  place: Place,
  { wait, asJson }: { wait: boolean; asJson: boolean },
): Promise<void> {
  const { context } = access;
  const { project, id } = place;
  const deadline = deadlineIn(access);
  let phase = "nothing was sent";
  const release = io.onInterrupt(() => `interrupted: ${phase}`);
  try {
    const now = await look(context, place, deadline).catch((error: unknown) => {
      throw explained(access, project, error);
    });
    if (!now) throw await notThere(access, { projectId: project, id });
    const mark = name === "restart" && !isReached(name, now) ? await markOf(context, place, now, deadline) : {};
    phase = `the request may have reached the service; \`compute-endpoint operations ${project}/${id}\` shows what became of it`;
    const done = await act(context, name, place, now, mark, deadline).catch(async (error: unknown) => {
      const isBusy = isKind(error, "service") && error.answer.status === 423;
      if (isBusy) error.message += `. ${await stillBusy(context, project, deadline)}`;
      throw error;
    });
    if (!done) throw new Stopped(`compute ${id} is not in project ${project} any more: somebody deleted it`);
    const { operations } = done;
    if (operations.length > 0) {
      const goesOn = operations
        .map((one) => `${nameOf(one, context.client.redactor)} (operation ${one.id})`)
        .join(", ");
      phase = `the service goes on with ${goesOn}; ${showsHow(project, id)}`;
      const what = done.sent ? WORDS[name].doing : "is not at rest";
      io.err.write(`compute ${id} ${what}: ${operations.map(({ action }) => action).join(", ")}\n`);
    } else {
      phase = "the work was done";
    }
    const waited = wait || operations.length === 0;
    if (wait && operations.length > 0) await waitFor(access, place, operations, deadline);
    const after =
      waited && operations.length > 0 ? ((await look(context, place, deadline)) ?? done.endpoint) : done.endpoint;
    const result = { name, project, done, after, waited };
    io.out.write(asJson ? json(await documentOf(access, result, deadline)) : sentenceOf(result));
  } finally {
    release();
  }
}

/** A failure says how the compute is now: that is what whoever called will look at next. */
async function waitFor(
  { context }: Access,
  place: Place,
  operations: WireOperation[],
  deadline: Deadline,
): Promise<void> {
  try {
    await settle(context, place.project, operations, deadline);
  } catch (error) {
    const now = await look(context, place, deadline).catch(() => undefined);
    if (now && error instanceof Error) error.message += `. Compute ${place.id} is ${stateOf(now)}`;
    throw error;
  }
}

interface Result {
  name: ActionName;
  project: string;
  done: Done;
  after: WireEndpoint;
  waited: boolean;
}

function sentenceOf({ name, done, after, waited }: Result): string {
  const { id } = after;
  if (!waited) return `compute ${id} ${WORDS[name].doing}: the service has accepted it, and nobody waits\n`;
  if (done.sent || done.operations.length > 0) return `compute ${id} is ${stateOf(after)}\n`;
  const needless = isReached(name, after) ? WORDS[name].needless : "it has just been started by somebody else";
  return `compute ${id} is ${stateOf(after)}: ${needless}\n`;
}

/** "active", "active → idle", "disabled". */
function stateOf({
  disabled,
  current_state: state = "in an unknown state",
  pending_state: next,
}: WireEndpoint): string {
  const moves = next === undefined || next === state ? state : `${state} → ${next}`;
  return disabled ? `disabled (${moves})` : moves;
}

async function documentOf({ context }: Access, { name, project, done, after, waited }: Result, deadline: Deadline) {
  const { operations } = done;
  // As they ended, not as they began.
  const page =
    waited && operations.length > 0
      ? await context.client.listOperations(project, { limit: PAGE }, deadline)
      : undefined;
  const now = operations.map((one) => page?.operations.find(({ id }) => id === one.id) ?? one);
  return {
    action: name,
    /** Whether a request was sent; false where there was nothing to do. */
    sent: done.sent,
    waited,
    endpoint: endpointInfo(after, project),
    operations: now.map((one) => operationInfo(one, project)),
  };
}

const helpOf = (
  name: ActionName,
): string => `Usage: compute-endpoint ${name} ${FORM} [--no-wait] [--timeout TIME] [--json]

${WORDS[name].help}

  --no-wait        return when the service has accepted it
${COMMON_HELP}

${ACCOUNT_HELP}
Ctrl-C ends it at once, and says what goes on at the service.
${EXIT_HELP}
`;
