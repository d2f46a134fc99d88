/** Many projects with a running operation each, all waited for by one process. */
import type { Bench } from "../bench";
import type { Fleet } from "../fleet";
import { mean, mostWithin } from "../math";
import { placesIn, settingsOf, worldWith } from "../places";
import { SpawnedProvider, StandIn } from "../process";
import { isPoll } from "../requests";
import { type Row, rowOf } from "../row";
import { Service } from "../service";

const PROJECTS = 50;
const SHORTEST_MS = 15_000;
const LONGEST_MS = 300_000;
const QUICK = { projects: 8, longestMs: 20_000 };
const MINUTE_MS = 60_000;
/** Half of what the public service grants an account in a minute. */
const MOST_POLLS = 350;
/**
 * Seconds. With fixed pauses of 5 s, the end is noticed 2.5 s late on average. 50 % more is accepted for staying within the budget of
 * requests.
 */
const MOST_SECONDS = 3.8;
const LOOK_MS = 100;

export async function waitingProjects(bench: Bench, fleet: Fleet): Promise<Row[]> {
  const count = bench.flags.quick ? QUICK.projects : PROJECTS;
  const longestMs = bench.flags.quick ? QUICK.longestMs : LONGEST_MS;
  const rounds = await bench.rounds(`${count} projects wait at once`, ["ours"], () => waitIn(fleet, count, longestMs), {
    atMost: 1,
  });
  const waits = rounds.ours.flat();
  const figure = `${count} projects, operations of ${SHORTEST_MS / 1000} to ${longestMs / 1000} s`;
  const lateSeconds = waits.flatMap((one) => one.lateSeconds);
  return [
    rowOf({
      scenario: "wait",
      figure: `${figure}: noticed after, mean`,
      samples: { ours: lateSeconds },
      sampled: "s",
      value: mean(lateSeconds),
      most: MOST_SECONDS,
    }),
    rowOf({
      scenario: "wait",
      figure: `${figure}: most polls in 60 s`,
      samples: { ours: waits.map(({ polledAt }) => mostWithin(polledAt, MINUTE_MS)) },
      sampled: "polls",
      most: MOST_POLLS,
      note: "without the engine, one process for all",
    }),
  ];
}

async function waitIn(fleet: Fleet, count: number, longestMs: number) {
  const text = await fleet.providerText();
  const places = placesIn(count, count);
  const service = await Service.start({ operationMs: longestMs, lock: "project" });
  const standIn = await StandIn.listen();
  let started: SpawnedProvider | undefined;
  try {
    await service.setWorld(worldWith(await service.world(), places));
    const { folder, env } = fleet.processOptions;
    const one = await SpawnedProvider.start({ folder, env: { ...env, ...service.env }, engine: standIn.address });
    started = one;
    await one.configure();
    const answers = Promise.all(
      places.map(async (place) => {
        const inputs = await one.check({ ...settingsOf(place), __provider: text });
        await one.create({ ...inputs, __provider: text });
        return Date.now();
      }),
    );
    await Promise.race([answers, spreadEnds(service, count, longestMs)]);
    const answeredAt = await answers;
    const [{ operations }, requests] = [await service.world(), await service.requests()];
    const lateSeconds = places.map(({ projectId }, index) => {
      const ended = operations.filter((row) => row.project_id === projectId).map((row) => Date.parse(row.updated_at));
      return ((answeredAt[index] ?? Number.NaN) - Math.max(...ended)) / 1000;
    });
    return { lateSeconds, polledAt: requests.filter(isPoll).map(({ time }) => time) };
  } finally {
    await started?.close();
    standIn.close();
    await service.close();
  }
}

/** Gives the operations durations that are spread evenly, once all have begun: the emulator's own are all the same. */
async function spreadEnds(service: Service, count: number, longestMs: number): Promise<void> {
  for (;;) {
    const world = await service.world();
    if (world.operations.length >= count) {
      const step = (longestMs - SHORTEST_MS) / Math.max(1, world.operations.length - 1);
      for (const [index, { plan }] of world.operations.entries()) plan.duration_ms = SHORTEST_MS + index * step;
      return service.setWorld(world);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
