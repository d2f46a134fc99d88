// The order of ids and names in lists: reader-2 before reader-10.

const RUNS = /\d+|\D+/g;
const isNumber = (run: string): boolean => /^\d/.test(run);

/** Compares two texts. Numbers in them count as numbers; the rest is compared character by character. */
export function compareNaturally(a: string, b: string): number {
  const [some, others] = [a.match(RUNS) ?? [], b.match(RUNS) ?? []];
  for (const [index, one] of some.entries()) {
    const other = others[index];
    if (other === undefined) return 1;
    const order = isNumber(one) && isNumber(other) ? compareNumbers(one, other) : compareTexts(one, other);
    if (order !== 0) return order;
  }
  // Only zeros in front of a number may still differ: "reader-02" and "reader-2" are two names.
  return some.length < others.length ? -1 : compareTexts(a, b);
}

/** Numbers as text: an id may have more digits than a number can hold. */
function compareNumbers(a: string, b: string): number {
  const [some, others] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")];
  return some.length - others.length || compareTexts(some, others);
}

const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
