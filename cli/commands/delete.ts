// Deletes computes, for repairs: for example one that an interrupted run has left. It waits, and checks that each is gone, as
// `pulumi up` does.

import { formatDuration } from "../../provider/clock.js";
import { findComputeRecent } from "../../provider/endpoint/find.js";
import type { Outputs } from "../../provider/endpoint/outputs.js";
import { remove } from "../../provider/endpoint/remove.js";
import { isKind, messageOf } from "../../provider/errors.js";
import { type Access, deadlineOf, explainMissingProject } from "../../provider/lookup/access.js";
import type { EndpointInfo } from "../../provider/lookup/info.js";
import { endpointInfo } from "../../provider/lookup/to-info.js";
import { accessFor } from "../account.js";
import {
  ACCOUNT_HELP,
  CommandRefused,
  EXIT,
  EXIT_HELP,
  parseArguments,
  parseTarget,
  parseTimeout,
  SERVICE_OPTIONS,
  SERVICE_OPTIONS_HELP,
  UsageError,
} from "../arguments.js";
import type { Command } from "../command.js";
import type { Io } from "../io.js";
import { readKeepList } from "../keep.js";
import { sizeText } from "../size-text.js";
import { json } from "../table.js";

const FORM = "PROJECT/ENDPOINT";

const HELP = `Usage: compute-endpoint delete ${FORM} ... [--yes] [--keep ID|NAME] [--keep-from FILE] [--timeout TIME] [--json]

Deletes computes, and waits until each is gone. Their hosts are gone for good; open connections drop. The data stays: it
belongs to the branch. On a terminal it asks first, and only the answer yes deletes; any other one ends with exit code 2.
A compute that is gone already is no error.

  --yes            do not ask; needed where nobody is at a terminal
  --keep ID|NAME   refuse to delete this compute; may be given several times
  --keep-from FILE refuse to delete the computes that this file names, for example what \`pulumi stack export\` printed
${SERVICE_OPTIONS_HELP}

If --keep or --keep-from names one of the computes, none is deleted. If a compute is in a Pulumi state, let Pulumi delete it.
${ACCOUNT_HELP}
Ctrl-C ends the command at once; what the service has accepted goes on.
${EXIT_HELP}
`;

interface Compute {
  projectId: string;
  id: string;
  /** As it was before. Undefined if it was gone already. */
  before?: EndpointInfo;
}

export const deleteCommand: Command = {
  summary: "delete computes, and wait until they are gone",
  async run(args, io) {
    const { values, positionals } = parseArguments(args, {
      ...SERVICE_OPTIONS,
      yes: { type: "boolean", short: "y" },
      keep: { type: "string", multiple: true },
      "keep-from": { type: "string", multiple: true },
    });
    if (values.help) {
      io.out.write(HELP);
      return EXIT.ok;
    }
    const targets = parseTargets(positionals);
    if (!values.yes && !io.ask) {
      throw new UsageError("this is not a terminal, so nobody can confirm: --yes deletes without asking");
    }
    const keep = await readKeepList(values.keep ?? [], values["keep-from"] ?? []);
    const timeoutMs = parseTimeout(values.timeout);
    const access = accessFor(io, timeoutMs, timeoutAdvice(targets));
    const computes = await Promise.all(targets.map((target) => look(access, target)));
    for (const { id, projectId, before } of computes) {
      const place = keep.sourceOf({ id, ...(before?.name === undefined ? {} : { name: before.name }) });
      if (place) {
        throw new CommandRefused(`compute ${id} of project ${projectId} is to be kept (${place}). Nothing was deleted`);
      }
    }
    const present = computes.filter(({ before }) => before !== undefined);
    const { clock } = access.context;
    for (const { before } of present) io.err.write(`${describe(before!, clock.wall())}\n`);
    if (present.length > 0 && !values.yes && !(await isConfirmed(io, present.length))) {
      io.err.write("the answer is not yes: nothing was deleted\n");
      return EXIT.refused;
    }
    const results = await deleteAll(io, access, computes, timeoutMs);
    if (values.json) io.out.write(json({ action: "delete", computes: results }));
    else for (const one of results) if (one.outcome !== "failed") io.out.write(`${sentence(one)}\n`);
    for (const { error } of results) if (error !== undefined) io.err.write(`compute-endpoint delete: ${error}\n`);
    return results.some(({ outcome }) => outcome === "failed") ? EXIT.failed : EXIT.ok;
  },
};

/** Each compute once. */
function parseTargets(positionals: readonly string[]): Required<ReturnType<typeof parseTarget>>[] {
  if (positionals.length === 0) throw new UsageError(`which computes? give ${FORM}`);
  return [...new Set(positionals)].map((text) => {
    const { projectId, endpointId } = parseTarget(text);
    if (endpointId === undefined) {
      throw new UsageError(`which compute? give ${FORM}; \`compute-endpoint endpoints ${projectId}\` lists them`);
    }
    return { projectId, endpointId };
  });
}

const timeoutAdvice = (targets: readonly { projectId: string }[]): string => {
  const commands = [...new Set(targets.map(({ projectId }) => `\`compute-endpoint operations ${projectId}\``))];
  return `${commands.join(" and ")} shows how it ends; --timeout gives it more time`;
};

async function look(access: Access, { projectId, endpointId: id }: { projectId: string; endpointId: string }) {
  const place = { project: projectId, id };
  const found = await findComputeRecent(access.context, place, deadlineOf(access)).catch((error: unknown) => {
    throw explainMissingProject(access, projectId, error);
  });
  const compute: Compute = { projectId, id, ...(found ? { before: endpointInfo(found, projectId) } : {}) };
  return compute;
}

/** "compute ep-… of project …: read_only on branch br-…, 1 CU, named reader-2, active, last used 12 s ago". */
function describe(one: EndpointInfo, nowMs: number): string {
  const { lastActive, disabled, currentState } = one;
  const used =
    lastActive === undefined ? "never used" : `last used ${formatDuration(nowMs - Date.parse(lastActive))} ago`;
  const facts = [
    `${one.type} on branch ${one.branchId}`,
    sizeText(one.autoscalingLimitMinCu, one.autoscalingLimitMaxCu),
    ...(one.name === undefined ? [] : [`named ${one.name}`]),
    disabled ? `disabled (${currentState})` : currentState,
    used,
  ];
  return `compute ${one.id} of project ${one.projectId}: ${facts.join(", ")}`;
}

async function isConfirmed(io: Io, count: number): Promise<boolean> {
  const [what, hosts] = count === 1 ? ["this compute", "Its host is"] : [`these ${count} computes`, "Their hosts are"];
  const answer = await io.ask?.(`Delete ${what}? ${hosts} gone for good, and open connections drop. Type yes: `);
  return answer?.trim().toLowerCase() === "yes";
}

interface Result {
  projectId: string;
  id: string;
  /** `gone`: there was no such compute. */
  outcome: "deleted" | "gone" | "failed";
  endpoint?: EndpointInfo;
  error?: string;
}

async function deleteAll(
  io: Io,
  { context }: Access,
  computes: readonly Compute[],
  timeoutMs: number,
): Promise<Result[]> {
  const sent = computes.filter(({ before }) => before !== undefined);
  const waiting = new Set(sent.map(({ projectId, id }) => `${projectId}/${id}`));
  const release = io.onInterrupt(
    () =>
      `interrupted: the deletion of ${[...waiting].join(", ")} may have reached the service; \`compute-endpoint endpoints ${sent[0]?.projectId}\` shows what is there`,
  );
  const removal = {
    context,
    claimed: new Map<string, string>(),
    warn: (line: string) => io.err.write(`warning: ${line}\n`),
  };
  const deleteOne = async ({ projectId, id, before }: Compute): Promise<Result> => {
    if (!before) return { projectId, id, outcome: "gone" };
    const { branchId, type } = before;
    const state: Outputs = {
      projectId,
      branchId,
      type,
      adopted: false,
      restart: "no",
      managed: [],
      onDelete: "delete",
    };
    try {
      await remove(removal, id, state, { timeoutMs }, { stays: "", moreTime: "--timeout" });
      return { projectId, id, outcome: "deleted", endpoint: before };
    } catch (error) {
      return { projectId, id, outcome: "failed", endpoint: before, error: failureOf(id, error) };
    } finally {
      waiting.delete(`${projectId}/${id}`);
    }
  };
  try {
    return await Promise.all(computes.map(deleteOne));
  } finally {
    release();
  }
}

/** An error about a request names only the route; the others name the compute. */
function failureOf(id: string, error: unknown): string {
  if (isKind(error, "service")) return `compute ${id} was not deleted: ${error.message}`;
  if (!isKind(error, "unclear")) return messageOf(error);
  return `whether compute ${id} is deleted is not known: ${error.message}. Run the command again: it is no error if the compute is gone`;
}

const sentence = ({ id, projectId, outcome }: Result): string =>
  outcome === "gone" ? `compute ${id} is not in project ${projectId}: it is gone already` : `compute ${id} is deleted`;
