// Which resources of this run hold which computes. A delete for a resource's old name must spare a compute that another
// resource holds, and an adoption must not take one. Each `Provider` instance has a process of its own, so the processes of
// a run tell each other what they know.

import { createHash } from "node:crypto";
import { identityOf } from "../rules/approval.js";
import { isThisMachine } from "../rules/service-url.js";
import { canonical } from "../rules/settings.js";
import { Branches } from "./branches.js";
import type { Program } from "./inputs.js";
import type { Outputs } from "./outputs.js";
import type { Compared, Replacement } from "./replacement.js";

/** What one provider process tells the others. All values are digests: nothing of a program or a service can be read. */
export type Fact =
  /** Diff saw that the state has this compute under a resource of the program. */
  | { is: "seen"; compute: string; mark: string; urn?: string }
  /** Check was asked without old inputs: the resource is created, or gives up the compute it has. */
  | { is: "anew"; urn: string }
  /** A create made the compute or took it over (`free`: the take-over failed). */
  | { is: "taken" | "free"; compute: string }
  /** A delete of the compute begins (`stays`: it was not deleted). */
  | { is: "going" | "stays"; compute: string };

/** The way to the other provider processes of this run. */
export interface Sharing {
  /** Tells them all own facts and hears theirs. Never fails, and ends within about two seconds. */
  exchange(): Promise<void>;
  /** The same, a little later, with nobody waiting for it. */
  soon(): void;
}

/** The compute of a resource that the engine replaces. */
export interface Replaced {
  id: string;
  adopted: boolean;
  /** Whether the create may take it over again. */
  retakes: boolean;
}

/** Why a compute can't be taken over. */
export type Conflict = "taken" | "held" | "going";

export class Ownership {
  readonly #own = new Knowledge();
  readonly #facts: Fact[] = [];
  /** What diff saw of each resource, by its URN. */
  readonly #compared = new Map<string, Compared>();
  /** The computes of the resources that the engine replaces, by what tells their creates apart. */
  readonly #replaced = new Map<string, Replaced>();
  /** By the name of the process. */
  readonly #others = new Map<string, Knowledge>();
  /** Of the check just before: the engine checks and compares one resource after the other. */
  #urn: string | undefined;
  /** Which primaries of this process's resources change their branch. */
  readonly branches = new Branches();
  #sharing: Sharing | undefined;

  /** @param service base URL: two services may have computes with equal ids */
  constructor(readonly service: () => string = () => "") {}

  share(sharing: Sharing | undefined): void {
    this.#sharing = sharing;
  }

  get facts(): readonly Fact[] {
    return this.#facts;
  }

  /** @param from the process that tells it */
  hear(from: string, facts: readonly unknown[]): void {
    const known = this.#others.get(from) ?? new Knowledge();
    this.#others.set(from, known);
    for (const fact of facts) if (isFact(fact)) known.learn(fact);
  }

  /** @param anew checked without old inputs: a resource that is created, or, after it was compared, one that is replaced */
  check(urn: string | undefined, anew: boolean): void {
    this.#urn = urn;
    if (urn !== undefined && anew) this.#tell({ is: "anew", urn: short(urn) });
  }

  /** Diff was asked about this compute. @returns the URN of the resource; undefined where no check came before */
  see(id: string, state: Partial<Outputs>): string | undefined {
    const urn = this.#urn;
    // One check, one diff. When a compute is replaced, the engine also asks for diffs of what depends on it, without a check.
    this.#urn = undefined;
    const resource = urn === undefined ? {} : { urn: short(urn) };
    this.#tell({ is: "seen", compute: this.#key(id), mark: markOf(state), ...resource });
    if (urn !== undefined) this.#compared.set(urn, { id, state });
    this.#sharing?.soon();
    return urn;
  }

  /** What diff saw of the resource, before check is asked again for its replacement. */
  compared(urn: string): Compared | undefined {
    return this.#compared.get(urn);
  }

  /** The name of the resource under which the state has the compute. */
  resourceWith(id: string): string | undefined {
    const [urn] = [...this.#compared].find(([, one]) => one.id === id) ?? [];
    return urn === undefined ? undefined : identityOf(urn)?.name;
  }

  /** Remembers for the create of a replacement which compute its resource had. @param inputs the answer of check */
  replaces(urn: string | undefined, inputs: Record<string, unknown>, replacement: Replacement | undefined): void {
    const old = urn === undefined ? undefined : this.compared(urn);
    if (!urn || !old) return;
    const retakes = replacement?.retakes ?? false;
    this.#replaced.set(keyOf(inputs), { id: old.id, adopted: old.state.adopted === true, retakes });
    if (replacement?.stays) this.branches.stays(urn);
  }

  /** Undefined for the create of a resource that is new. */
  replacedBy({ inputs, autoName }: Pick<Program, "inputs" | "autoName">): Replaced | undefined {
    return this.#replaced.get(keyOf({ ...inputs, __autoName: autoName }));
  }

  /** Whether this run deletes it, or has deleted it. */
  isGoing(id: string): boolean {
    const key = this.#key(id);
    return this.#all().some(({ going }) => going.has(key));
  }

  /**
   * Claims a compute for a create. Whoever adopts one that exists waits for the answer before it sends anything.
   * @returns undefined where nobody else has it
   */
  async take(id: string): Promise<Conflict | undefined> {
    const key = this.#key(id);
    this.#tell({ is: "taken", compute: key });
    await this.#sharing?.exchange();
    if ([...this.#others.values()].some(({ taken }) => taken.has(key))) return "taken";
    if (this.isGoing(id)) return "going";
    return this.isHeld(id) ? "held" : undefined;
  }

  /** The compute was not taken over after all. */
  free(id: string): void {
    this.#tell({ is: "free", compute: this.#key(id) });
  }

  /** Whether a resource that stays in the program has this compute. */
  isHeld(id: string): boolean {
    const key = this.#key(id);
    return this.#all().some((one) => one.isHeld(key));
  }

  /** Whether a create of this run has it, or another resource than the one with this state. As far as is known here. */
  byAnother(id: string, state: Partial<Outputs>): boolean {
    const [key, mark] = [this.#key(id), markOf(state)];
    return this.isTaken(id) || this.#all().some((one) => one.isSeenByAnother(key, mark));
  }

  /** As `byAnother`, by what this process knows itself. */
  isKnownHere(id: string, state: Partial<Outputs>): boolean {
    const key = this.#key(id);
    return this.#own.taken.has(key) || this.#own.isSeenByAnother(key, markOf(state));
  }

  /** Whether a create of this run made it or took it over. */
  isTaken(id: string): boolean {
    const key = this.#key(id);
    return this.#all().some(({ taken }) => taken.has(key));
  }

  /** Asks the other processes, right before a delete is sent. @returns whether it may be sent */
  async mayDelete(id: string, state: Partial<Outputs>): Promise<boolean> {
    const key = this.#key(id);
    this.#tell({ is: "going", compute: key });
    await this.#sharing?.exchange();
    if (!this.byAnother(id, state)) return true;
    this.#tell({ is: "stays", compute: key });
    return false;
  }

  #all(): Knowledge[] {
    return [this.#own, ...this.#others.values()];
  }

  #tell(fact: Fact): void {
    this.#facts.push(fact);
    this.#own.learn(fact);
  }

  #key(id: string): string {
    return short(`${serviceOf(this.service())}\n${id}`);
  }
}

/** A create is told no URN: this is what differs between two, at most one of which can be the primary of the branch. */
const keyOf = ({ __autoName, name, projectId, branchId }: Record<string, unknown>): string =>
  canonical([__autoName, name, projectId, branchId]);

/** What one process knows. */
class Knowledge {
  readonly taken = new Set<string>();
  readonly going = new Set<string>();
  readonly #seen = new Map<string, { mark: string; urn: string | undefined }[]>();
  readonly #anew = new Set<string>();

  learn(fact: Fact): void {
    switch (fact.is) {
      case "seen": {
        const { compute, mark, urn } = fact;
        const others = this.#seen.get(compute);
        if (others) others.push({ mark, urn });
        else this.#seen.set(compute, [{ mark, urn }]);
        return;
      }
      case "anew":
        return void this.#anew.add(fact.urn);
      case "taken":
        return void this.taken.add(fact.compute);
      case "free":
        return void this.taken.delete(fact.compute);
      case "going":
        return void this.going.add(fact.compute);
      case "stays":
        return void this.going.delete(fact.compute);
    }
  }

  isHeld(key: string): boolean {
    return (this.#seen.get(key) ?? []).some(({ urn }) => this.#stays(urn));
  }

  /**
   * Two resources can hold one compute: it was taken over under a new name, and the run ended before the old name was
   * deleted. They may look alike in the state; but one that was compared and is not replaced is not the one that is deleted.
   */
  isSeenByAnother(key: string, mark: string): boolean {
    return (this.#seen.get(key) ?? []).some((one) => one.mark !== mark || this.#stays(one.urn));
  }

  #stays(urn: string | undefined): boolean {
    return urn !== undefined && !this.#anew.has(urn);
  }
}

/** Pulumi tells a delete no name of its resource: this is what differs between two, and stays the same during a run. */
const markOf = ({ __autoName, adopt, adopted, onDelete, managed }: Partial<Outputs>): string =>
  short(canonical({ __autoName, adopt, adopted, onDelete, managed }));

const short = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** One service under the spellings that programs have for it. */
function serviceOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, hostname, port, pathname } = new URL(url);
  const host = isThisMachine(hostname) ? "loopback" : hostname;
  return `${protocol}//${host}:${port}${pathname.replace(/\/+$/, "")}`;
}

const DIGEST = /^[0-9a-f]{16}$/;
const isDigest = (value: unknown): boolean => typeof value === "string" && DIGEST.test(value);

/** A process of another version may tell more than this one knows. */
function isFact(value: unknown): value is Fact {
  const { is, compute, mark, urn } = Object(value) as Record<string, unknown>;
  if (is === "anew") return isDigest(urn);
  if (is === "seen") return isDigest(compute) && isDigest(mark) && (urn === undefined || isDigest(urn));
  return (is === "taken" || is === "free" || is === "going" || is === "stays") && isDigest(compute);
}
