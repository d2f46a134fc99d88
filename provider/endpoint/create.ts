// Look, create, keep the id from that moment, wait. POST …/endpoints

import type { Deadline } from "../clock.js";
import { isKind, Stopped } from "../errors.js";
import { untilClear } from "../operations/lost.js";
import { pendingOf } from "../operations/settle.js";
import { differingPaths, pick, settingsByName, valuesByPath } from "../rules/paths.js";
import { pruned } from "../rules/pruned.js";
import { atLeast, impactOf, sentence } from "../rules/restart.js";
import { wishOf } from "../rules/wish.js";
import type { WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import { adopted, conflicting, isPrimaryOf, nameOfAnother, retaken } from "./adopt.js";
import type { Inputs, Program } from "./inputs.js";
import { lookAtItself, lookClosely } from "./look.js";
import { calledAs, findLost } from "./lost-create.js";
import { carriesMore, createBody, liveOf } from "./mapping.js";
import { knownAfter, type Outputs } from "./outputs.js";
import { changeable } from "./plan.js";
import { readBack } from "./read-back.js";
import { startedAfter } from "./start.js";
import { alreadyThere, assertRegion, deadlineFor, type Process, patch, settleOrKeep, type Target } from "./step.js";
import { whose } from "./whose.js";

export async function create(process: Process, program: Program): Promise<{ id: string; outputs: Outputs }> {
  const { context } = process;
  const { inputs } = program;
  const project = inputs.projectId ?? "";
  const { target, existing, answer, deadline } = await context.turns.take(project, keysOf(inputs), async () => {
    const deadline = deadlineFor(process, "create", program, inputs.customTimeouts);
    // In its own turn, so that it is fresh; it is one list with the read-back of the create before.
    const listed = await context.lists.look(project, deadline).catch((error: unknown) => {
      throw unseen(error, `project ${project}`, "projectId");
    });
    const before = await withNamed(process, inputs, listed, deadline);
    if (before[0]) assertRegion(program, before[0].region_id, `project ${project}`);
    const own = process.ownership?.replacedBy(program);
    const existing = adopted(process, program, project, before) ?? retaken(process, program, before);
    // At once: another create may mean the same compute by its branch.
    if (existing) process.created.set(existing.id, calledAs(program));
    if (existing) context.turns.joins(project, inputs.branchId ?? "", existing.id);
    const made = existing
      ? await adopt(process, program, existing, deadline).catch((error: unknown) => {
          process.created.delete(existing.id);
          process.ownership?.free(existing.id);
          throw error;
        })
      : await post(process, program, before, deadline);
    const target: Target = {
      project,
      id: made.endpoint.id,
      program,
      last: knownAfter(existing ? {} : pruned({ name: program.autoName }), inputs),
      adopted: existing !== undefined && (existing.id === own?.id ? own.adopted : true),
      origin: "create",
    };
    process.created.set(target.id, calledAs(program));
    if (!existing) await process.ownership?.take(target.id);
    const after = await settleOrKeep(process, target, made, deadline, existing ? undefined : "made");
    // What an interrupted run left may have failed to start, and is taken over as it is.
    const latest = { ...made, endpoint: after };
    const answer = existing ? await startedAfter(process, target, target.last, latest, deadline) : made.endpoint;
    return { target, existing, answer, deadline };
  });
  const sent = changeable(wishOf(inputs));
  return { id: target.id, outputs: await readBack(process, target, answer, { sent, existing }, deadline) };
}

/** What must not be worked on by two at once: a branch, a compute, and a name by which a lost create would be found. */
const keysOf = ({ branchId, adopt, name }: Inputs) => [
  branchId,
  typeof adopt === "string" ? adopt : undefined,
  name === undefined ? undefined : `name:${name}`,
];

/** The list with the compute that `adopt` names: a list may be behind, and lack it. */
async function withNamed(
  { context }: Process,
  { adopt, projectId: project = "" }: Inputs,
  listed: readonly WireEndpoint[],
  deadline: Deadline,
): Promise<readonly WireEndpoint[]> {
  if (typeof adopt !== "string" || listed.some(({ id }) => id === adopt)) return listed;
  const found = await lookAtItself(context, { project, id: adopt }, deadline);
  return found ? [...listed, found] : listed;
}

/** Takes over a compute that exists: changes what the program asks for and leaves the rest as it is. */
async function adopt(
  process: Process,
  program: Program,
  existing: WireEndpoint,
  deadline: Deadline,
  isFromList = true,
): Promise<WireEndpointChange> {
  const { inputs, secrets } = program;
  const project = inputs.projectId ?? "";
  // Another process of this run may have it; each `Provider` instance has a process of its own.
  const conflict = await process.ownership?.take(existing.id);
  if (conflict) throw new Stopped(conflicting(existing.id, conflict));
  const wish = wishOf(inputs);
  // A compute that is only now managed is not restarted for its first triggers.
  const live = { ...liveOf(existing), restartTriggers: inputs.restartTriggers };
  const verdict = impactOf(live, wish, { secrets, asSize: inputs.size !== undefined });
  // In the place of a compute that is gone by now: the plan said so, and it was let through.
  const told = atLeast(program.announced?.impact ?? "none", "restart");
  const refuses = (inputs.onRestart ?? process.config.onRestart) === "refuse" && !told;
  if (refuses && atLeast(verdict.impact, "restart")) {
    throw new Stopped(
      `adopting ${existing.id} would change it: ${sentence(verdict)}. onRestart is "refuse", so nothing was changed. To go on, give the program the values that the compute has, or set onRestart: "warn" on this resource until the compute is taken over. A preview asks nothing, so it could not tell`,
    );
  }
  const desired = changeable(wish);
  const paths = differingPaths(desired, valuesByPath(live));
  const place = { project, id: existing.id };
  // A list may be behind: nothing is sent then that could tell, or old values would go along in the request.
  if (isFromList && (paths.length === 0 || carriesMore(paths))) {
    const now = await lookClosely(process.context, place, deadline);
    if (!now) throw new Stopped(notThere(project, existing.id));
    const { branchId } = inputs;
    // It was found as the branch's primary, not by its id, and a restore of the branch has just moved it. An update would move
    // it back.
    if (typeof inputs.adopt !== "string" && ![undefined, branchId].includes(now.branch_id)) {
      throw new Stopped(justMoved(now, branchId));
    }
    return adopt(process, program, now, deadline, false);
  }
  if (paths.length > 0) {
    if (paths.some((path) => path.startsWith("settings.")) && existing.settings === undefined) {
      throw new Stopped(untoldSettings(existing.id));
    }
    const part = settingsByName(pick(desired, paths));
    return patch(process, { ...place, last: {}, program }, part, existing, deadline);
  }
  const busy = existing.pending_state !== undefined || existing.current_state === "init";
  const operations = busy ? await pendingOf(process.context, project, existing.id, deadline) : [];
  return { endpoint: existing, operations };
}

const untoldSettings = (id: string): string =>
  `adopt means ${id}, and the service does not tell which settings it has: setting one of them could drop the others. Nothing was changed. Run \`pulumi up\` again; if it stays so, take the compute over without settings first`;

const notThere = (project: string, id: string): string =>
  `adopt means ${id}, which the list of project ${project} still has, but it is not there any more: somebody has just deleted it. Nothing was changed. Run \`pulumi up\` again`;

const justMoved = ({ id, branch_id: to }: WireEndpoint, branchId: string | undefined): string =>
  `compute ${id} was the primary of branch ${branchId}, but somebody has just moved it to branch ${to}. Nothing was changed. Run \`pulumi up\` again: it takes over the branch's new primary, or makes one`;

/** Creates the compute; after a lost answer it looks for the compute before it asks again. */
async function post(
  process: Process,
  program: Program,
  before: readonly WireEndpoint[],
  deadline: Deadline,
): Promise<WireEndpointChange> {
  const { inputs, autoName } = program;
  const { client } = process.context;
  const project = inputs.projectId ?? "";
  await refuseSecondNow(process, program, project, before, deadline);
  const wish = wishOf(inputs);
  const body = createBody(wish, { autoName, regionId: inputs.regionId });
  let lost = false;
  const send = async () => {
    try {
      return await client.createEndpoint(project, body, deadline);
    } catch (error) {
      // After a lost answer, "already there" may well be what the first request made.
      if (!lost || !isKind(error, "service") || !alreadyThere(error)) throw error;
      const ours = await find(deadline);
      if (ours) return ours;
      throw error;
    }
  };
  const find = (until: Deadline) => {
    lost = true;
    return findLost(process, program, before, wish, until);
  };
  try {
    return await untilClear(process.context, deadline, send, find);
  } catch (error) {
    throw await explained(process, error, program, project, deadline);
  }
}

/**
 * As `refuseSecond`, but not for a primary that only the list still has: the service itself makes no second one. Of anything
 * else the list decides: to stop for a compute that has just gone costs another run, to make a second one costs more.
 */
async function refuseSecondNow(
  process: Process,
  program: Program,
  project: string,
  before: readonly WireEndpoint[],
  deadline: Deadline,
): Promise<void> {
  try {
    refuseSecond(process, program, project, before);
  } catch (stopped) {
    const { branchId, type = "read_write" } = program.inputs;
    const primary = type === "read_write" ? before.find((one) => isPrimaryOf(one, branchId)) : undefined;
    if (!primary) throw stopped;
    const now = await lookClosely(process.context, { project, id: primary.id }, deadline).catch(() => primary);
    if (now) throw stopped;
    const rest = before.filter((one) => one !== primary);
    refuseSecond(process, program, project, rest);
  }
}

/** Stops before a second compute is made where one of ours may stand already. */
function refuseSecond(process: Process, program: Program, project: string, before: readonly WireEndpoint[]): void {
  const { inputs, autoName } = program;
  const type = inputs.type ?? "read_write";
  const others = before.filter((one) => !process.created.has(one.id));
  // The compute that is being replaced, or another resource's, is nobody's leftover.
  const strays = others.filter((one) => !process.known.has(one.id));
  const left =
    inputs.name === undefined ? strays.find((one) => autoName !== undefined && one.name === autoName) : undefined;
  if (left) {
    throw new Stopped(
      `compute ${left.id} of project ${project} carries the name ${autoName}, which belongs to this resource: an interrupted run may have left it, or the resource was renamed or moved. It was not touched. Choose: adopt: "${left.id}" takes it over (with onDelete: "delete" if it is to be deleted with the resource; then \`pulumi refresh --clear-pending-creates\` ends Pulumi's own warning); the resource option aliases tells Pulumi that it was renamed or moved; or delete the compute if nobody needs it`,
    );
  }
  const namesake = strays.find(
    (one) =>
      inputs.name !== undefined && one.name === inputs.name && one.type === type && one.branch_id === inputs.branchId,
  );
  if (namesake) {
    throw new Stopped(
      `branch ${inputs.branchId} already has a ${type} compute of this name: ${namesake.id}. An interrupted run may have left it. It was not touched. Choose: adopt: "${namesake.id}" takes it over; another name makes a second one; or delete the compute if nobody needs it`,
    );
  }
  const primary = type === "read_write" ? others.find((one) => isPrimaryOf(one, inputs.branchId)) : undefined;
  if (primary) throw new Stopped(primaryExists(process, program, project, primary), "occupied");
}

function primaryExists(process: Process, program: Program, project: string, primary: WireEndpoint | undefined): string {
  const { branchId } = program.inputs;
  const name = primary && nameOfAnother(process, program, primary);
  const adopt = name
    ? `the resource option aliases, if this resource was renamed or moved; adopt: true with name: "${name}" takes it over with its host, once no state has it under the resource for which this name was generated (\`pulumi state delete\`)`
    : "adopt: true takes it over with its host";
  return `branch ${branchId} of project ${project} already has its primary compute, ${primary?.id ?? "made meanwhile"}, and a branch has only one (a new project or branch often comes with it). Nothing was changed.${primary ? whose(process, primary) : ""} Choose: ${adopt}; type: "read_only" makes a read replica; or name another branch`;
}

const primaryAppeared: typeof primaryExists = (_process, { inputs: { branchId } }, project, primary) =>
  `branch ${branchId} of project ${project} has its primary compute${primary ? `, ${primary.id}` : ""}, but the project's list did not have it when adopt: true looked for it. Nothing was changed. Run \`pulumi up\` again: it takes that compute over`;

/** For a 404, which says neither what is missing nor why. */
function unseen(error: unknown, what: string, property: string): unknown {
  if (!isKind(error, "service") || error.answer.status !== 404) return error;
  return new Stopped(
    `${what} does not exist, or this key can't see it, so no compute was made. Check ${property} and the key (${error.message})`,
  );
}

async function explained(
  process: Process,
  error: unknown,
  program: Program,
  project: string,
  deadline: Deadline,
): Promise<unknown> {
  const { inputs } = program;
  if (!isKind(error, "service")) return error;
  if (error.answer.status === 404) return unseen(error, `branch ${inputs.branchId} of project ${project}`, "branchId");
  if (!alreadyThere(error)) return error;
  // Made meanwhile: by somebody else, or by a lost request of ours that cannot be recognized any more.
  const now = await process.context.lists.look(project, deadline).catch(() => []);
  const primary = now.find((one) => isPrimaryOf(one, inputs.branchId));
  const words = inputs.adopt === true ? primaryAppeared : primaryExists;
  return new Stopped(`${words(process, program, project, primary)} (${error.message})`, "occupied");
}
