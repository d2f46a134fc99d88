import type { Simulation } from "../model/simulation.js";

/** Rows in the order of a list whose order is not documented. `rows` are in the order of creation. */
export function inListOrder<T>({ behavior, random }: Pick<Simulation, "behavior" | "random">, rows: T[]): T[] {
  const newestFirst = [...rows].reverse();
  return behavior.listOrder === "random" ? shuffled(newestFirst, random) : newestFirst;
}

/** The same for rows that need no reversal: one page of a list, which is sorted, or roles and databases, which are listed oldest first. */
export const inPageOrder = <T>({ behavior, random }: Pick<Simulation, "behavior" | "random">, rows: T[]): T[] =>
  behavior.listOrder === "random" ? shuffled(rows, random) : rows;

function shuffled<T>(rows: T[], random: () => number): T[] {
  const mixed = [...rows];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other] as T, mixed[last] as T];
  }
  return mixed;
}
