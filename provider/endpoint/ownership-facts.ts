// The facts that the provider processes of a run tell each other about their computes.

/** All values are digests: nothing of a program or a service can be read from a fact. */
export type Fact =
  /**
   * Diff ran for this compute, which belongs to a resource in the state. `mark`: a digest of what the state says about the
   * resource (`resourceFingerprintOf` in ownership.ts). A delete can compute the same digest, but gets no URN.
   */
  | { is: "seen"; compute: string; mark: string; urn?: string }
  /** Check ran without old inputs: the resource is created or replaced. */
  | { is: "anew"; urn: string }
  /** A create has created the compute or takes it over. `free`: it could not be taken over. */
  | { is: "taken" | "free"; compute: string }
  /** A delete of the compute begins. `stays`: the delete has spared it. */
  | { is: "going" | "stays"; compute: string };

/** The facts of one process, ready for questions. */
export class OwnershipFacts {
  readonly taken = new Set<string>();
  readonly going = new Set<string>();
  readonly #seen = new Map<string, { fingerprint: string; urn: string | undefined }[]>();
  readonly #anew = new Set<string>();

  learn(fact: Fact): void {
    switch (fact.is) {
      case "seen": {
        const { compute, mark: fingerprint, urn } = fact;
        const others = this.#seen.get(compute);
        if (others) others.push({ fingerprint, urn });
        else this.#seen.set(compute, [{ fingerprint, urn }]);
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

  /** Whether a resource that stays in the program has the compute. */
  isHeld(compute: string): boolean {
    return (this.#seen.get(compute) ?? []).some(({ urn }) => this.#staysInProgram(urn));
  }

  /**
   * Whether another resource than the one that is being deleted has the compute too. Two resources can have it if a run adopts it
   * under a new name and ends before it deletes the old one. Their fingerprints may be equal. But the engine deletes only resources that
   * left the program, so a resource in the program is always another one.
   * @param fingerprint of the resource that is being deleted
   */
  isHeldByAnother(compute: string, fingerprint: string): boolean {
    return (this.#seen.get(compute) ?? []).some(
      (one) => one.fingerprint !== fingerprint || this.#staysInProgram(one.urn),
    );
  }

  #staysInProgram(urn: string | undefined): boolean {
    return urn !== undefined && !this.#anew.has(urn);
  }
}

const FINGERPRINT = /^[0-9a-f]{16}$/;
const isFingerprint = (value: unknown): boolean => typeof value === "string" && FINGERPRINT.test(value);

/** A process of another version may send facts that this version does not know. */
export function isFact(value: unknown): value is Fact {
  const { is, compute, mark, urn } = Object(value) as Record<string, unknown>;
  if (is === "anew") return isFingerprint(urn);
  if (is === "seen") return isFingerprint(compute) && isFingerprint(mark) && (urn === undefined || isFingerprint(urn));
  return (is === "taken" || is === "free" || is === "going" || is === "stays") && isFingerprint(compute);
}
