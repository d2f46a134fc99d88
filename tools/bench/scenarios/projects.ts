import { type Bench, FIRST_UP, type Scenario, WIDE } from "../bench";
import { differences, ratio } from "../math";
import { type Row, rowOf } from "../row";

const OPERATION_MS = 2_000;
const SERVICE = { operationMs: OPERATION_MS, lock: "project" } as const;
const EACH = 5;
const MOST = 1.2;
const COMPARED = ["floor", "ours"] as const;

/** Projects have nothing to do with each other: twenty take as long as one. */
export const projects: Scenario = {
  name: "projects",
  title: `first up in many projects of ${EACH} against one of them`,
  async run(bench) {
    const one = await firstUp(bench, EACH);
    const rows: Row[] = [one.row];
    for (const n of bench.sizes([100], [10]).filter((size) => size > EACH)) {
      const many = await firstUp(bench, n);
      rows.push(
        many.row,
        rowOf({
          scenario: "projects",
          figure: `wall time less the floor's: ${Math.round(n / EACH)} projects ÷ one`,
          n,
          samples: { ours: many.own },
          sampled: "s",
          value: ratio(many.own, one.own),
          unit: "ratio",
          most: MOST,
          note: `operations of ${OPERATION_MS / 1000} s, projects that lock as a whole, --parallel ${WIDE}`,
        }),
      );
    }
    return rows;
  },
};

/** Measures the first `up`. `own` is the time beyond the floor. */
async function firstUp(bench: Bench, n: number): Promise<{ row: Row; own: number[] }> {
  const count = Math.max(1, Math.round(n / EACH));
  const fleets = {
    floor: await bench.fresh({ provider: "floor", count: n, projects: count }),
    ours: await bench.fresh({ provider: "ours", count: n, projects: count }),
  };
  const costs = await bench.rounds(`first up of ${n} in ${count} projects`, COMPARED, async (provider) => {
    const fleet = fleets[provider];
    await fleet.forget();
    return fleet.run(FIRST_UP, { parallel: WIDE, service: SERVICE });
  });
  const floor = costs.floor.map(({ ms }) => ms / 1000);
  const ours = costs.ours.map(({ ms }) => ms / 1000);
  const row = rowOf({
    scenario: "projects",
    figure: `first up in ${count} ${count === 1 ? "project" : "projects"}: wall time`,
    n,
    samples: { floor, ours },
    sampled: "s",
  });
  return { row, own: differences(ours, floor) };
}
