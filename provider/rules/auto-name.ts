import { createHash } from "node:crypto";
import { identityOf } from "./approval.js";
import { beginningOf, LONGEST_NAME } from "./name.js";

const HASH_DIGITS = 8;
/** Characters of the resource's name: with a dash and the hash, a name of the service's length. */
const LONGEST_BEGINNING = LONGEST_NAME - HASH_DIGITS - 1;

/** A name that is this resource's own, `<name>-<8 hex of the URN's hash>`, for a compute to which the program gives none. */
export function autoNameOf(urn: string): string {
  const hash = createHash("sha256").update(urn).digest("hex").slice(0, HASH_DIGITS);
  return `${beginningOf(identityOf(urn)?.name ?? "", LONGEST_BEGINNING)}-${hash}`;
}

/** Whether a compute's name looks like one that was made here, for whatever resource. */
export const looksGenerated = (name: string): boolean => /.-[0-9a-f]{8}$/.test(name);
