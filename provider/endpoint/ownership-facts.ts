// The facts that the provider processes of a run tell each other about their computes.

/** All values are digests: nothing of a program or a service can be read from a fact. */
export type Fact =
  /**
   * Diff ran for this compute, which belongs to a resource in the state. `fingerprint`: a digest of what the state says about the
   * resource (`resourceFingerprintOf` in ownership.ts). A delete can compute the same digest, but gets no URN.
   */
  | { is: "compared"; compute: string; fingerprint: string; urn?: string }
  /** Check ran without old inputs: the resource is created or replaced. */
  | { is: "created-or-replaced"; urn: string }
  /** A create has created the compute or takes it over. `claim-released`: it could not be taken over. */
  | { is: "claimed" | "claim-released"; compute: string }
  /** A delete of the compute begins. `delete-cancelled`: the delete has spared it. */
  | { is: "deleting" | "delete-cancelled"; compute: string };

/** The facts of one process, ready for questions. */
export class OwnershipFacts {
  readonly claimed = new Set<string>();
  readonly deleting = new Set<string>();
  readonly #compared = new Map<string, { fingerprint: string; urn: string | undefined }[]>();
  readonly #createdOrReplaced = new Set<string>();

  learn(fact: Fact): void {
    switch (fact.is) {
      case "compared": {
        const { compute, fingerprint, urn } = fact;
        const others = this.#compared.get(compute);
        if (others) others.push({ fingerprint, urn });
        else this.#compared.set(compute, [{ fingerprint, urn }]);
        return;
      }
      case "created-or-replaced":
        return void this.#createdOrReplaced.add(fact.urn);
      case "claimed":
        return void this.claimed.add(fact.compute);
      case "claim-released":
        return void this.claimed.delete(fact.compute);
      case "deleting":
        return void this.deleting.add(fact.compute);
      case "delete-cancelled":
        return void this.deleting.delete(fact.compute);
    }
  }

  /** Whether a resource that stays in the program has the compute. */
  isHeld(compute: string): boolean {
    return (this.#compared.get(compute) ?? []).some(({ urn }) => this.#staysInProgram(urn));
  }

  /**
   * Whether another resource than the one that is being deleted has the compute too. Two resources can have it if a run adopts it
   * under a new name and ends before it deletes the old one. Their fingerprints may be equal. But the engine deletes only resources that
   * left the program, so a resource in the program is always another one.
   * @param fingerprint of the resource that is being deleted
   */
  isHeldByAnother(compute: string, fingerprint: string): boolean {
    return (this.#compared.get(compute) ?? []).some(
      (one) => one.fingerprint !== fingerprint || this.#staysInProgram(one.urn),
    );
  }

  #staysInProgram(urn: string | undefined): boolean {
    return urn !== undefined && !this.#createdOrReplaced.has(urn);
  }
}

const FINGERPRINT = /^[0-9a-f]{16}$/;
const isFingerprint = (value: unknown): boolean => typeof value === "string" && FINGERPRINT.test(value);

/** A process of another version may send facts that this version does not know. */
export function isFact(value: unknown): value is Fact {
  const { is, compute, fingerprint, urn } = Object(value) as Record<string, unknown>;
  if (is === "created-or-replaced") return isFingerprint(urn);
  if (is === "compared")
    return isFingerprint(compute) && isFingerprint(fingerprint) && (urn === undefined || isFingerprint(urn));
  const isOfCompute = is === "claimed" || is === "claim-released" || is === "deleting" || is === "delete-cancelled";
  return isOfCompute && isFingerprint(compute);
}
