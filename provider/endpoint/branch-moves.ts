// Tracks primaries that change their branch in this run, and finds conflicts. A branch has at most one primary, so its primary
// has to leave before the next one comes. The engine compares resources, and asks for their steps, in the order in which they
// were registered. That order differs from run to run unless `dependsOn` fixes it. So a primary that comes waits
// (branch-handover.ts), and a preview fails only where waiting can't help. A resource that the program does not have any more is
// not known here: the engine deletes it at the end, without comparing it.

import { DEFAULT_TYPE, type DesiredSettings, UNKNOWN } from "../rules/settings.js";
import { identityOf } from "../rules/urn.js";
import type { Outputs } from "./outputs.js";

interface Primary {
  urn: string;
  /** The compute that the state has; absent for a new resource. */
  id?: string;
  /** The branch whose primary the compute is now; absent if it is not a primary. */
  from?: string;
  /** The branch of which the compute becomes the primary. Absent for a replica, and where the preview does not know the branch. */
  to?: string;
  /** Whether the compute leaves `from` in this run; absent if preview does not know. */
  leaves?: boolean;
  /** Whether the compute certainly stays with this resource. */
  keeps?: boolean;
  /** The compute that the resource adopts by its id. */
  adopts?: string;
}

export class BranchMoves {
  /** By URN, in the order of the comparison. */
  readonly #primaries = new Map<string, Primary>();
  readonly #replaceable = new Set<string>();
  /** By id of the compute. */
  readonly #steps = new Map<string, "begun" | "ended">();

  /** An option in the program lets the engine replace this resource. */
  noteReplaceable(urn: string): void {
    this.#replaceable.add(urn);
  }

  /**
   * Notes a resource that is created.
   * @param adopt the id of the compute that it takes over, or true for the branch's primary
   * @returns the reason if it is impossible
   */
  noteCreate(urn: string, desired: DesiredSettings, adopt?: string | boolean): string | undefined {
    const adopts = typeof adopt === "string" ? { adopts: adopt } : {};
    return this.#add({ urn, to: branchKeyOf(desired), leaves: false, ...adopts });
  }

  /**
   * Notes a resource that the state has.
   * @param stays whether the compute stays on the service when the resource is replaced
   * @returns why its change, or that of a resource compared before, can't work
   */
  noteDiff(
    urn: string,
    id: string,
    state: Partial<Outputs>,
    desired: DesiredSettings,
    stays: boolean,
  ): string | undefined {
    const { projectId, branchId, type } = state;
    const from = type === "read_write" ? branchKeyOf({ projectId, branchId, type }) : undefined;
    const replaced = differs(desired.projectId, projectId) || differs(desired.type ?? DEFAULT_TYPE, type);
    const moves = replaced || differs(desired.branchId, branchId);
    const isKnown = [desired.projectId, desired.branchId, desired.type].every((value) => value !== UNKNOWN);
    const leaves = isKnown ? moves && !(replaced && stays) : undefined;
    return this.#add({
      urn,
      id,
      from,
      to: branchKeyOf(desired),
      leaves,
      keeps: isKnown && !replaced && !this.#replaceable.has(urn),
    });
  }

  /** Whether a resource with this compute was compared. */
  knows(id: string): boolean {
    return [...this.#primaries.values()].some((one) => one.id === id);
  }

  /** The resource is replaced, and its compute stays on the branch. */
  noteStays(urn: string): void {
    const known = this.#primaries.get(urn);
    if (known) known.leaves = false;
  }

  /** The step of a compute begins. */
  begins(id: string): void {
    this.#steps.set(id, "begun");
  }

  ends(id: string): void {
    this.#steps.set(id, "ended");
  }

  stepOf(id: string): "begun" | "ended" | undefined {
    return this.#steps.get(id);
  }

  /** The compute that leaves the branch in this run. @param except the compute that comes */
  leaverOf(branchKey: string, except: string | undefined): string | undefined {
    return [...this.#primaries.values()].find(
      ({ id, from, leaves }) => leaves && from === branchKey && id !== undefined && id !== except,
    )?.id;
  }

  #add(next: Primary): string | undefined {
    this.#primaries.set(next.urn, next);
    const conflict = this.#conflictOf(next);
    // A change that is refused moves nothing.
    if (conflict) this.#primaries.delete(next.urn);
    return conflict;
  }

  #conflictOf(next: Primary): string | undefined {
    // A compute does not conflict with itself: it may also have been noted without a URN, by its id.
    const others = [...this.#primaries.values()].filter(({ urn, id }) => urn !== next.urn && (!id || id !== next.id));
    const sharing = this.#sharingOf(next, others);
    if (sharing) return sharing;
    if (next.to !== undefined && next.to !== next.from) {
      const occupant = others.find(({ from }) => from === next.to);
      if (occupant?.leaves === false) return occupied(next, occupant);
      const rival = others.find(({ from, to }) => to === next.to && from !== to);
      if (rival) return rivals(rival, next);
    }
    // An earlier resource moves its primary to the branch of `next`.
    const comes = others.find(({ from, to }) => to !== undefined && to === next.from && to !== from);
    if (!comes || next.leaves === undefined) return undefined;
    if (!next.leaves) return occupied(comes, next);
    const cycle = this.#cycleOf(next);
    // Without a cycle, the arriving primary waits, in either order of the steps.
    return cycle && cyclic(cycle);
  }

  /** Why a resource can't have its compute: another one has it too. */
  #sharingOf(next: Primary, others: readonly Primary[]): string | undefined {
    const { id, keeps, adopts } = next;
    const compute = adopts ?? (keeps ? id : undefined);
    if (compute === undefined) return undefined;
    const adopter = others.find((one) => one.adopts === compute);
    if (adopter) return heldTwice(compute, adopter, next);
    const holder = others.find((one) => adopts !== undefined && one.id === adopts && one.keeps);
    return holder && heldTwice(compute, holder, next);
  }

  /** The primaries that wait for each other, as far as they were compared. */
  #cycleOf(first: Primary): Primary[] | undefined {
    const all = [...this.#primaries.values()];
    const cycle = [first];
    for (let one = first; cycle.length <= all.length; ) {
      const next = all.find(({ from, leaves }) => leaves && from !== undefined && from === one.to);
      if (!next) return undefined;
      if (next === first) return cycle;
      cycle.push(next);
      one = next;
    }
    return undefined;
  }
}

const differs = (next: unknown, now: unknown): boolean => next !== undefined && next !== UNKNOWN && next !== now;

/** Names a branch and its project. Undefined for a replica, and where the branch is not known. */
export function branchKeyOf({ projectId, branchId, type = DEFAULT_TYPE }: DesiredSettings): string | undefined {
  if (type !== "read_write" || typeof projectId !== "string" || typeof branchId !== "string") return undefined;
  return `${projectId} ${branchId}`;
}

const branchOf = (branchKey: string | undefined): string => branchKey?.split(" ")[1] ?? "";
const nameOf = ({ urn }: Primary): string => identityOf(urn)?.name ?? urn;

const occupied = (comes: Primary, there: Primary): string =>
  `resource ${nameOf(comes)} asks for the primary of branch ${branchOf(comes.to)}, but compute ${there.id} of resource ${nameOf(there)} is that primary, and stays there: a branch has only one. Choose another branch for one of the two, or give one of them type: "read_only"`;

const rivals = (one: Primary, other: Primary): string =>
  `resources ${nameOf(one)} and ${nameOf(other)} both ask for the primary of branch ${branchOf(one.to)}: a branch has only one. Choose another branch for one of the two, or give one of them type: "read_only"`;

const heldTwice = (id: string, one: Primary, other: Primary): string =>
  `resources ${nameOf(one)} and ${nameOf(other)} would both have compute ${id}: a compute belongs to one resource. Remove one of the two from the program; if the resource was renamed, keep the new one and give it the resource option aliases instead of adopt`;

const cyclic = (cycle: readonly Primary[]): string =>
  `the primaries of resources ${cycle.map(nameOf).join(", ")} swap their branches (${cycle.map(({ from }) => branchOf(from)).join(", ")}). A branch has only one primary, so none of them can move first. Choose: if only the resources' names have changed places, give each its old name, or the resource option aliases; otherwise move one of them to a branch without a primary in a \`pulumi up\` of its own, and then the others`;
