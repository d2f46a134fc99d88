import type { Site } from "../rules.js";

/** Rows that were made one after the other, in the order in which lists show them that promise none. */
export function inListOrder<T>({ rules, random }: Pick<Site, "rules" | "random">, rows: T[]): T[] {
  const newestFirst = [...rows].reverse();
  return rules.listOrder === "random" ? shuffled(newestFirst, random) : newestFirst;
}

/** Rows of a page, whose borders stay where they are. */
export const inPageOrder = <T>({ rules, random }: Pick<Site, "rules" | "random">, rows: T[]): T[] =>
  rules.listOrder === "random" ? shuffled(rows, random) : rows;

function shuffled<T>(rows: T[], random: () => number): T[] {
  const mixed = [...rows];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
  }
  return mixed;
}
