// Primaries that change their branch in one run. A branch has at most one primary, so its primary has to leave before the next
// one comes. A compute belongs to one resource, so no other resource can adopt it. The engine compares resources and asks for
// their steps in the order in which they happen to be registered. That order differs from run to run unless `dependsOn` fixes
// it. So a primary that comes waits (arrival.ts), and a preview fails only where waiting is in vain. A resource that the
// program no longer has is deleted last, and never compared.

import { identityOf } from "../rules/approval.js";
import { UNKNOWN, type Wish } from "../rules/settings.js";
import type { Outputs } from "./outputs.js";

interface Primary {
  urn: string;
  /** Of the compute that the state has. */
  id?: string;
  /** The branch whose primary it is now; absent where none is. */
  from?: string;
  /** The branch whose primary it is to be; absent where it is none, or preview does not know. */
  to?: string;
  /** Whether its compute leaves `from` in this run; undefined where preview does not know. */
  leaves?: boolean;
  /** Whether its compute stays with this resource for certain. */
  keeps?: boolean;
  /** The compute that it adopts by its id. */
  adopts?: string;
}

export class Branches {
  /** In the order of the comparison. */
  readonly #primaries = new Map<string, Primary>();
  readonly #replaceable = new Set<string>();
  /** Steps of computes, by id. */
  readonly #steps = new Map<string, "begun" | "ended">();

  /** Notes that an option in the program lets the engine replace this resource. */
  mayBeReplaced(urn: string): void {
    this.#replaceable.add(urn);
  }

  /**
   * A resource that is created.
   * @param adopt the id of the compute that it takes over, or true for the branch's primary
   * @returns why that can't work
   */
  create(urn: string, wish: Wish, adopt?: string | boolean): string | undefined {
    const adopts = typeof adopt === "string" ? { adopts: adopt } : {};
    return this.#add({ urn, to: placeOf(wish), leaves: false, ...adopts });
  }

  /**
   * A resource that the state has.
   * @param stays whether its compute stays on the service if it is replaced
   * @returns why its change, or the one of a resource before it, can't work
   */
  compare(urn: string, id: string, state: Partial<Outputs>, wish: Wish, stays: boolean): string | undefined {
    const { projectId, branchId, type } = state;
    const from = type === "read_write" ? placeOf({ projectId, branchId, type }) : undefined;
    const replaced = differs(wish.projectId, projectId) || differs(wish.type ?? "read_write", type);
    const moves = replaced || differs(wish.branchId, branchId);
    const isKnown = [wish.projectId, wish.branchId, wish.type].every((value) => value !== UNKNOWN);
    const leaves = isKnown ? moves && !(replaced && stays) : undefined;
    return this.#add({
      urn,
      id,
      from,
      to: placeOf(wish),
      leaves,
      keeps: isKnown && !replaced && !this.#replaceable.has(urn),
    });
  }

  /** Whether a resource with this compute was compared. */
  knows(id: string): boolean {
    return [...this.#primaries.values()].some((one) => one.id === id);
  }

  /** The compute of a resource that is replaced stays on its branch. */
  stays(urn: string): void {
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

  /** The compute that leaves the branch in this run. @param except the one that comes */
  leaverOf(place: string, except: string | undefined): string | undefined {
    return [...this.#primaries.values()].find(
      ({ id, from, leaves }) => leaves && from === place && id !== undefined && id !== except,
    )?.id;
  }

  #add(next: Primary): string | undefined {
    const conflict = this.#conflictOf(next);
    // What is refused changes nothing.
    if (conflict) this.#primaries.delete(next.urn);
    return conflict;
  }

  #conflictOf(next: Primary): string | undefined {
    const before = [...this.#primaries.values()].filter(({ urn, id }) => urn !== next.urn && (!id || id !== next.id));
    this.#primaries.set(next.urn, next);
    const shared = this.#sharedWith(next, before);
    if (shared) return shared;
    const there = next.to !== next.from ? before.find(({ from }) => from !== undefined && from === next.to) : undefined;
    if (there?.leaves === false) return occupied(next, there);
    const rival = next.to !== next.from ? before.find(({ from, to }) => to === next.to && from !== to) : undefined;
    if (rival && next.to !== undefined) return rivals(rival, next);
    const comes = before.find(({ from, to }) => to !== undefined && to === next.from && to !== from);
    if (!comes || next.leaves === undefined) return undefined;
    if (!next.leaves) return occupied(comes, next);
    const circle = this.#circleOf(next);
    // Otherwise the one that comes waits, whichever step the engine asks for first.
    return circle && circular(circle);
  }

  /** Why two resources can't have one compute. */
  #sharedWith(next: Primary, before: readonly Primary[]): string | undefined {
    const { id, keeps, adopts } = next;
    const other = before.find((one) => one.adopts !== undefined && one.adopts === (adopts ?? (keeps ? id : undefined)));
    if (other) return shared(adopts ?? id, other, next);
    const holder = before.find((one) => adopts !== undefined && one.id === adopts && one.keeps);
    return holder && shared(adopts, holder, next);
  }

  /** The primaries that wait for each other, as far as they were compared. */
  #circleOf(first: Primary): Primary[] | undefined {
    const all = [...this.#primaries.values()];
    const circle = [first];
    for (let one = first; circle.length <= all.length; ) {
      const next = all.find(({ from, leaves }) => leaves && from !== undefined && from === one.to);
      if (!next) return undefined;
      if (next === first) return circle;
      circle.push(next);
      one = next;
    }
    return undefined;
  }
}

const differs = (next: unknown, now: unknown): boolean => next !== undefined && next !== UNKNOWN && next !== now;

/** Only of a primary whose place is known. */
export function placeOf({ projectId, branchId, type = "read_write" }: Wish): string | undefined {
  if (type !== "read_write" || typeof projectId !== "string" || typeof branchId !== "string") return undefined;
  return `${projectId} ${branchId}`;
}

const branchOf = (place: string | undefined): string => place?.split(" ")[1] ?? "";
const nameOf = ({ urn }: Primary): string => identityOf(urn)?.name ?? urn;

const occupied = (comes: Primary, there: Primary): string =>
  `resource ${nameOf(comes)} is to have the primary of branch ${branchOf(comes.to)}, but compute ${there.id} of resource ${nameOf(there)} is its primary, and stays there: a branch has only one. Name another branch for one of the two, or give one of them type: "read_only"`;

const rivals = (one: Primary, other: Primary): string =>
  `resources ${nameOf(one)} and ${nameOf(other)} both ask for the primary of branch ${branchOf(one.to)}: a branch has only one. Name another branch for one of the two, or give one of them type: "read_only"`;

const shared = (id: string | undefined, one: Primary, other: Primary): string =>
  `resources ${nameOf(one)} and ${nameOf(other)} are both to have compute ${id}: a compute belongs to one resource. Take one of the two out of the program; if the resource was renamed, keep the new one and give it the resource option aliases in the place of adopt`;

const circular = (circle: readonly Primary[]): string =>
  `the primaries of resources ${circle.map(nameOf).join(", ")} are to change places on their branches (${circle.map(({ from }) => branchOf(from)).join(", ")}). A branch has only one primary, so none of them can move first. Choose: if only the resources' names have changed places, give each its old name, or the resource option aliases; otherwise move one of them to a branch without a primary in a \`pulumi up\` of its own, and then the others`;
