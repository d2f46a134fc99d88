// Which resources of this run hold which computes. When a resource was renamed, the delete of its old name must spare the
// compute, which the new name holds. An adoption must not take a compute that another resource holds. Each `Provider` instance
// has a process of its own, so the processes of a run exchange what they know.
//
// Five guards keep two resources from holding one compute:
// - in a preview, `BranchMoves` (branch-moves.ts) fails where two resources ask for one branch's primary or adopt one compute;
// - a create first looks into `SharedState.claimed`: the computes of other creates of the same process;
// - then it asks `isHeld`: the computes of resources that stay in the program;
// - `claim` asks the other processes, right before an adoption sends anything;
// - an adoption stops at a name that was generated for another resource, which another stack may have (adopt.ts).
// A delete asks `mayDelete`, so that it spares a compute that another resource has by now.

import { canonical } from "../rules/equality.js";
import { hashOf } from "../rules/hash.js";
import { isThisMachine } from "../rules/service-url.js";
import { identityOf } from "../rules/urn.js";
import { BranchMoves } from "./branch-moves.js";
import { createKeyOf } from "./create-key.js";
import type { DesiredState } from "./inputs.js";
import type { Outputs } from "./outputs.js";
import { type Fact, isFact, OwnershipFacts } from "./ownership-facts.js";
import type { Compared, Replacement } from "./replacement.js";

/** The channel to the other provider processes of this run. */
export interface Sharing {
  /** Sends this process's facts to all of them, and receives theirs. Never fails, and ends within about two seconds. */
  exchange(): Promise<void>;
  /** Does the same a little later. Nobody waits for it. */
  exchangeSoon(): void;
}

/** The compute of a resource that the engine replaces. */
export interface Replaced {
  id: string;
  adopted: boolean;
  /** Whether the create of the replacement may take the compute over again. */
  retakes: boolean;
}

/** Why a compute can't be taken over. */
export type Conflict = "taken" | "held" | "deleting";

export class Ownership {
  readonly #own = new OwnershipFacts();
  readonly #facts: Fact[] = [];
  /** By URN: each resource as diff saw it. */
  readonly #compared = new Map<string, Compared>();
  /** By `createKeyOf`: the computes of the resources that the engine replaces. */
  readonly #replaced = new Map<string, Replaced>();
  /** By process: the facts of the others. */
  readonly #others = new Map<string, OwnershipFacts>();
  /** The URN of the check just before. The engine checks and diffs one resource after the other. */
  #urn: string | undefined;
  /** The primaries of this process's resources that change their branch. */
  readonly branchMoves = new BranchMoves();
  #sharing: Sharing | undefined;
  /** Cache: the service's URL and its normalized form. Every diff needs the normalized one. */
  #service = { url: "", text: serviceOf("") };

  /** @param service the base URL. Two services may have computes with equal ids */
  constructor(readonly service: () => string = () => "") {}

  share(sharing: Sharing | undefined): void {
    this.#sharing = sharing;
  }

  get facts(): readonly Fact[] {
    return this.#facts;
  }

  /** Learns the facts of another process, `from`. */
  hear(from: string, facts: readonly unknown[]): void {
    const known = this.#others.get(from) ?? new OwnershipFacts();
    this.#others.set(from, known);
    for (const fact of facts) if (isFact(fact)) known.learn(fact);
  }

  /** @param isNewOrReplaced whether check got no old inputs: the resource is created or, where it was diffed before, replaced */
  noteCheck(urn: string | undefined, isNewOrReplaced: boolean): void {
    this.#urn = urn;
    if (urn !== undefined && isNewOrReplaced) this.#publish({ is: "created-or-replaced", urn: fingerprintOf(urn) });
  }

  /** Diff was asked about this compute. @returns the URN of its resource; undefined if no check came before */
  noteDiff(id: string, state: Partial<Outputs>): string | undefined {
    const urn = this.#urn;
    // Used once: when a compute is replaced, the engine also diffs the resources that depend on it, without a check.
    this.#urn = undefined;
    const resource = urn === undefined ? {} : { urn: fingerprintOf(urn) };
    this.#publish({ is: "compared", compute: this.#key(id), fingerprint: resourceFingerprintOf(state), ...resource });
    if (urn !== undefined) this.#compared.set(urn, { id, state });
    this.#sharing?.exchangeSoon();
    return urn;
  }

  /** The resource as diff saw it, before the engine checks it again for its replacement. */
  comparedAs(urn: string): Compared | undefined {
    return this.#compared.get(urn);
  }

  /** The name of the resource that has the compute in the state. */
  resourceWith(id: string): string | undefined {
    const [urn] = [...this.#compared].find(([, one]) => one.id === id) ?? [];
    return urn === undefined ? undefined : identityOf(urn)?.name;
  }

  /** Remembers the compute of a resource for the create of its replacement. @param inputs the answer of check */
  noteReplacement(
    urn: string | undefined,
    inputs: Record<string, unknown>,
    replacement: Replacement | undefined,
  ): void {
    const old = urn === undefined ? undefined : this.comparedAs(urn);
    if (!urn || !old) return;
    const retakes = replacement?.retakes ?? false;
    this.#replaced.set(createKeyOf(inputs), { id: old.id, adopted: old.state.adopted === true, retakes });
    if (replacement?.stays) this.branchMoves.noteStays(urn);
  }

  /** The compute that the resource of this create had. Undefined for a new resource. */
  replacedBy({ inputs, autoName }: Pick<DesiredState, "inputs" | "autoName">): Replaced | undefined {
    return this.#replaced.get(createKeyOf({ ...inputs, __autoName: autoName }));
  }

  /** Whether this run deletes the compute, or has deleted it. */
  isBeingDeleted(id: string): boolean {
    const key = this.#key(id);
    return this.#all().some(({ deleting }) => deleting.has(key));
  }

  /**
   * Claims a compute for a create. An adoption waits for the answer before it sends anything.
   * @returns undefined if no other resource has the compute
   */
  async claim(id: string): Promise<Conflict | undefined> {
    const key = this.#key(id);
    this.#publish({ is: "claimed", compute: key });
    await this.#sharing?.exchange();
    if ([...this.#others.values()].some(({ claimed }) => claimed.has(key))) return "taken";
    if (this.isBeingDeleted(id)) return "deleting";
    return this.isHeld(id) ? "held" : undefined;
  }

  /** Withdraws a claim if the adoption failed. */
  releaseClaim(id: string): void {
    this.#publish({ is: "claim-released", compute: this.#key(id) });
  }

  /** Whether a resource that stays in the program has this compute. */
  isHeld(id: string): boolean {
    const key = this.#key(id);
    return this.#all().some((one) => one.isHeld(key));
  }

  /** Whether another resource, or a create of this run, has the compute. */
  #belongsToAnother(id: string, state: Partial<Outputs>): boolean {
    const [key, fingerprint] = [this.#key(id), resourceFingerprintOf(state)];
    return this.isClaimed(id) || this.#all().some((one) => one.isHeldByAnother(key, fingerprint));
  }

  /** Whether another resource of this process has the compute. `mayDelete` asks the other processes as well. */
  isHeldInThisProcess(id: string, state: Partial<Outputs>): boolean {
    const key = this.#key(id);
    return this.#own.claimed.has(key) || this.#own.isHeldByAnother(key, resourceFingerprintOf(state));
  }

  /** Whether a create of this run has created the compute or taken it over. */
  isClaimed(id: string): boolean {
    const key = this.#key(id);
    return this.#all().some(({ claimed }) => claimed.has(key));
  }

  /** Asks the other processes right before a delete is sent. @returns whether it may be sent */
  async mayDelete(id: string, state: Partial<Outputs>): Promise<boolean> {
    const key = this.#key(id);
    this.#publish({ is: "deleting", compute: key });
    await this.#sharing?.exchange();
    if (!this.#belongsToAnother(id, state)) return true;
    this.#publish({ is: "delete-cancelled", compute: key });
    return false;
  }

  #all(): OwnershipFacts[] {
    return [this.#own, ...this.#others.values()];
  }

  #publish(fact: Fact): void {
    this.#facts.push(fact);
    this.#own.learn(fact);
  }

  #key(id: string): string {
    const url = this.service();
    if (this.#service.url !== url) this.#service = { url, text: serviceOf(url) };
    return fingerprintOf(`${this.#service.text}\n${id}`);
  }
}

/**
 * A fingerprint of a resource, to distinguish resources with the same compute. Pulumi passes no URN to delete, so it uses
 * properties of the state that do not change during a run.
 */
const resourceFingerprintOf = ({ __autoName, adopt, adopted, onDelete, managed }: Partial<Outputs>): string =>
  fingerprintOf(canonical({ __autoName, adopt, adopted, onDelete, managed }));

const fingerprintOf = (text: string): string => hashOf(text, 16);

/** The service's URL in one spelling: programs write it in several. */
function serviceOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, hostname, port, pathname } = new URL(url);
  const host = isThisMachine(hostname) ? "loopback" : hostname;
  return `${protocol}//${host}:${port}${pathname.replace(/\/+$/, "")}`;
}
