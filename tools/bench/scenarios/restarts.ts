import { type Bench, type Scenario, SKIP_CHECKPOINTS } from "../bench";
import type { Cost } from "../fleet";
import { ratio } from "../math";
import { type Row, rowOf } from "../row";

const SERVICE = { operationMs: 500, lock: "project" } as const;
const PROJECTS = 5;
const MOST = 0.9;
const MOST_SKIPPED = 0.3;
/** The targets are for so many computes: below, the engine's start is most of the time. */
const LARGE = 1000;
const COMPARED = ["floor", "ours"] as const;
/** Each compute that runs restarts for it. The service is asked whether it runs. */
const CHANGE = { autoscalingLimitMaxCu: 4 };

/**
 * A preview in which every compute restarts. From 3.274 on, the engine makes a checkpoint for each changed step of a preview too
 * where the state is in a folder or a bucket, and throws it away.
 */
export const restarts: Scenario = {
  name: "restarts",
  title: "preview in which all restart, with and without checkpoints",
  async run(bench) {
    const rows: Row[] = [];
    for (const n of bench.sizes([100, LARGE], [10])) rows.push(...(await rowsOf(bench, n)));
    return rows;
  },
};

async function rowsOf(bench: Bench, n: number): Promise<Row[]> {
  const made = await bench.allBuilt(COMPARED, n, PROJECTS);
  const { parallel } = bench.flags;
  const preview = async (provider: (typeof COMPARED)[number], env: NodeJS.ProcessEnv): Promise<Cost> => {
    const { fleet } = made[provider];
    await fleet.change(CHANGE);
    try {
      return await fleet.run(["preview"], { parallel, service: SERVICE, env });
    } finally {
      await fleet.change({});
    }
  };
  const seconds = (costs: readonly Cost[]) => costs.map(({ ms }) => ms / 1000);
  const whole = await bench.rounds(`preview of ${n}, all restart`, COMPARED, (provider) => preview(provider, {}));
  const skipped = await bench.rounds(`preview of ${n}, all restart, no checkpoints`, COMPARED, (provider) =>
    preview(provider, SKIP_CHECKPOINTS),
  );
  const floor = seconds(whole.floor);
  const row = (figure: string, ours: readonly number[], most: number, note?: string) =>
    rowOf({
      scenario: "restarts",
      figure: `${figure}: wall time ÷ floor`,
      n,
      samples: { floor, ours },
      sampled: "s",
      value: ratio(ours, floor),
      unit: "ratio",
      ...(n >= LARGE ? { most } : {}),
      ...(note === undefined ? {} : { note }),
    });
  return [
    row("preview, all restart", seconds(whole.ours), MOST),
    row(
      "preview, all restart, PULUMI_SKIP_CHECKPOINTS",
      seconds(skipped.ours),
      MOST_SKIPPED,
      "the floor in both is a preview with checkpoints",
    ),
    rowOf({
      scenario: "restarts",
      figure: "preview, all restart, PULUMI_SKIP_CHECKPOINTS for the floor too",
      n,
      samples: { floor: seconds(skipped.floor), ours: seconds(skipped.ours) },
      sampled: "s",
      value: ratio(seconds(skipped.ours), seconds(skipped.floor)),
      unit: "ratio",
    }),
  ];
}
