// Which compute a create takes over: the one that `adopt` means, or the one that its resource had before.

import { Stopped } from "../errors.js";
import { looksGenerated } from "../rules/auto-name.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { Program } from "./inputs.js";
import { list } from "./lost-create.js";
import type { Conflict } from "./ownership.js";
import type { Process } from "./step.js";

/** The compute that `adopt` means, or undefined where one is to be made. */
export function adopted(
  process: Process,
  program: Program,
  project: string,
  before: readonly WireEndpoint[],
): WireEndpoint | undefined {
  const { adopt, branchId, type = "read_write" } = program.inputs;
  if (!adopt) return undefined;
  const found = before.find((one) => (adopt === true ? isPrimaryOf(one, branchId) : one.id === adopt));
  if (!found && adopt === true) return undefined;
  if (!found) {
    throw new Stopped(
      `adopt names ${adopt}, but project ${project} has no such compute. It has: ${list(before)}. Nothing was changed. Set adopt to one of these, or leave it out to make a new compute`,
    );
  }
  if (process.created.has(found.id)) throw new Stopped(conflicting(found.id, "taken"));
  if (process.ownership?.isHeld(found.id)) throw new Stopped(conflicting(found.id, "held"));
  if (found.type !== undefined && found.type !== type) {
    throw new Stopped(
      `adopt names ${found.id}, which is a ${found.type} compute, while the program asks for ${type}: a compute can't change its type. Nothing was changed. Set type to ${found.type}, or let adopt name another compute`,
    );
  }
  const name = nameOfAnother(process, program, found);
  if (name !== undefined) {
    throw new Stopped(
      `adopt means ${found.id}, which has the name ${name}. Such names are generated for the computes of this package's resources, and this one is another resource's: as long as a state has it, deleting that resource deletes the compute. Nothing was changed. Choose: if this resource was renamed or moved, replace adopt by the resource option aliases; otherwise take the compute out of the other state with \`pulumi state delete\`, if any has it, and set name here (name: "${name}" changes nothing about it) to say that you know whose it was`,
    );
  }
  return found;
}

/**
 * The compute's name, where it is another resource's generated one. Its state may have the compute, in this stack or in
 * another. The run that deletes it may come later, or in another process: nothing else would tell then.
 */
export function nameOfAnother(
  process: Process,
  { inputs, autoName }: Program,
  { id, name }: WireEndpoint,
): string | undefined {
  if (inputs.name !== undefined || name === undefined || name === autoName || !looksGenerated(name)) return undefined;
  return process.ownership?.replacedBy({ inputs, autoName })?.id === id ? undefined : name;
}

const CONFLICTS: Record<Conflict, string> = {
  taken:
    "which another resource of this same run has made or taken over: a compute belongs to one resource. Nothing was changed",
  held: "which another resource of this program has in the state: a compute belongs to one resource. Nothing was changed. Leave adopt out, or name another compute or branch",
  going:
    "which another resource of this same run is deleting. Nothing was changed. Run `pulumi up` again: it sees what is left",
};

export const conflicting = (id: string, conflict: Conflict): string => `adopt means ${id}, ${CONFLICTS[conflict]}`;

/**
 * The compute that this resource had when the engine began to replace it, where it stayed on the service and is the branch's
 * primary: no other one can be made. An earlier run may have failed between the release and the create; then the engine
 * asks for the create at every `pulumi up`, also after the change that asked for the replacement was taken back.
 */
export function retaken(process: Process, program: Program, before: readonly WireEndpoint[]): WireEndpoint | undefined {
  const own = process.ownership?.replacedBy(program);
  if (!own?.retakes || (program.inputs.type ?? "read_write") !== "read_write") return undefined;
  const found = before.find((one) => one.id === own.id && isPrimaryOf(one, program.inputs.branchId));
  if (!found || process.created.has(found.id) || process.ownership?.isGoing(found.id)) return undefined;
  process.warn(
    `compute ${found.id} stayed on the service when Pulumi began to replace its resource, and is its branch's primary: it is taken over again, with its host`,
  );
  return found;
}

export const isPrimaryOf = (one: WireEndpoint, branchId: string | undefined): boolean =>
  one.type === "read_write" && one.branch_id === branchId;
