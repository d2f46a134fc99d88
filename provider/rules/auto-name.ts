import { createHash } from "node:crypto";
import { identityOf } from "./approval.js";

/** Characters of the resource's name: with the digest, a name of the service's length. */
const LONGEST_NAME = 55;

/** A name that is this resource's own, `<name>-<8 hex of the URN's hash>`, for a compute to which the program gives none. */
export function autoNameOf(urn: string): string {
  const hash = createHash("sha256").update(urn).digest("hex").slice(0, 8);
  return `${[...(identityOf(urn)?.name ?? "")].slice(0, LONGEST_NAME).join("")}-${hash}`;
}

/** Whether a compute's name looks like one that was made here, for whatever resource. */
export const looksGenerated = (name: string): boolean => /.-[0-9a-f]{8}$/.test(name);
