// Validates names of computes, and generates them.

import { hashOf } from "./hash.js";
import { identityOf, urnWithClassTypes } from "./urn.js";

/** In characters, as the service counts, not in the 16-bit units of JavaScript: an emoji is one character. */
export const LONGEST_NAME = 64;

/** Control characters, line breaks and unpaired surrogates, which a request can't contain. */
const UNFIT = /[\p{Control}\p{Surrogate}\u2028\u2029]/u;

export const isName = (name: string): boolean => {
  // Spreading a text of megabytes into characters would take long.
  const length = name.length > 2 * LONGEST_NAME ? name.length : [...name].length;
  return length >= 1 && length <= LONGEST_NAME && !UNFIT.test(name);
};

/** The beginning of a text as a valid name of at most so many characters. No character is cut in two. */
export function beginningOf(text: string, longest: number): string {
  const fit = text.replace(new RegExp(UNFIT, "gu"), "-");
  if ([...fit].length <= longest) return fit;
  let [beginning, length] = ["", 0];
  // What people see as one character, such as a flag or an accented letter, can be several code points.
  for (const { segment } of new Intl.Segmenter("en").segment(fit)) {
    length += [...segment].length;
    if (length > longest) break;
    beginning += segment;
  }
  return beginning === "" ? [...fit].slice(0, longest).join("") : beginning;
}

const HASH_DIGITS = 8;
/** Characters that are left for the resource's name, beside a dash and the hash. */
const LONGEST_BEGINNING = LONGEST_NAME - HASH_DIGITS - 1;

/** The name of a compute to which the program gives none: `<resource's name>-<8 hex of the URN's hash>`. */
export function autoNameOf(urn: string): string {
  const hash = hashOf(urnWithClassTypes(urn), HASH_DIGITS);
  return `${beginningOf(identityOf(urn)?.name ?? "", LONGEST_BEGINNING)}-${hash}`;
}

/** Whether a compute's name looks as if `autoNameOf` had generated it, for any resource. */
export const looksGenerated = (name: string): boolean => /.-[0-9a-f]{8}$/.test(name);

/** Whether `autoNameOf` may have generated the name for a resource of this name: in any stack, under any parent. */
export const looksGeneratedFor = (resource: string, name: string): boolean =>
  looksGenerated(name) && name.slice(0, -(HASH_DIGITS + 1)) === beginningOf(resource, LONGEST_BEGINNING);

/** The beginning of a generated name: the resource's name, or its first characters. */
export const resourceNameFrom = (generated: string): string => generated.slice(0, -(HASH_DIGITS + 1));
