/** How a figure grows from N to 10 N. That matters more than the figure at one N. */
import { type Row, rowOf } from "./row";

const TIMES = 10;

const quotient = (over: number | undefined, under: number | undefined): number[] =>
  over === undefined || !under ? [] : [over / under];

/** One row for the largest N that was also measured at N / 10: the ratio of the medians of both. Else no row. */
export function growthRows(rows: readonly Row[], figure: string): Row[] {
  const pairs = rows.flatMap((large) => {
    const small = rows.find(({ n }) => n !== undefined && large.n !== undefined && n * TIMES === large.n);
    return small ? [{ small, large }] : [];
  });
  const pair = pairs.at(-1);
  if (!pair) return [];
  const { small, large } = pair;
  const grown = (name: "floor" | "naive" | "ours") => quotient(large.medians[name], small.medians[name]);
  return [
    rowOf({
      scenario: large.scenario,
      figure: `${figure}, ${small.n} → ${large.n}`,
      samples: { floor: grown("floor"), naive: grown("naive"), ours: grown("ours") },
      sampled: "ratio",
    }),
  ];
}
