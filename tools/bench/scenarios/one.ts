import type { Scenario } from "../bench";
import { ratio } from "../math";
import { rowOf } from "../row";

const SERVICE = { operationMs: 500, lock: "project" } as const;
const MOST = 1.25;
const COMPARED = ["empty", "floor", "ours"] as const;

/** A small stack: most of its preview is the start of processes. A program with a dynamic resource has one more than an empty one. */
export const one: Scenario = {
  name: "one",
  title: "preview of one compute beside that of an empty program",
  async run(bench) {
    const made = {
      empty: await bench.built("floor", 0, 1),
      floor: await bench.built("floor", 1, 1),
      ours: await bench.built("ours", 1, 1),
    };
    const costs = await bench.rounds("preview of one", COMPARED, (which) =>
      made[which].fleet.run(["preview"], { parallel: bench.flags.parallel, service: SERVICE }),
    );
    const seconds = (which: (typeof COMPARED)[number]) => costs[which].map(({ ms }) => ms / 1000);
    const row = (figure: string, which: "floor" | "ours", more: { most?: number; note?: string }) =>
      rowOf({
        scenario: "one",
        figure,
        n: 1,
        samples: { floor: seconds("empty"), ours: seconds(which) },
        sampled: "s",
        value: ratio(seconds(which), seconds("empty")),
        unit: "ratio",
        ...more,
      });
    return [
      row("preview of one compute ÷ an empty program's", "ours", { most: MOST }),
      row("the same of a provider that does nothing", "floor", {
        note: "the floor is an empty program; the rest is the start of a provider's process, most of it Pulumi's SDK",
      }),
    ];
  },
};
