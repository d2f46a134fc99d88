import type { Scenario } from "../bench";
import type { Fleet } from "../fleet";
import { mean } from "../math";
import { type Place, placesIn, settingsOf, worldWith } from "../places";
import { SpawnedProvider, StandIn } from "../process";
import { pollsIn } from "../requests";
import { type Row, rowOf } from "../row";
import { Service } from "../service";
import { waitingProjects } from "./waiting-projects";

/** Seconds of an operation, and the most polls for it. */
const OPERATIONS: [seconds: number, mostPolls: number][] = [
  [0.3, 1],
  [1, 4],
  [2, 7],
  [3, 10],
  [6.5, 18],
  [15, 27],
  [40, 37],
];
const QUICK_SECONDS = 1;
/** The end must be noticed within this part of the duration, or within these seconds, whichever is longer. */
const MOST_SHARE = 0.06;
const MOST_SECONDS = 0.26;
const COMPARED = ["naive", "ours"] as const;
/** Computes that wait together, each in its own project and process: none learns from another, so one wait gives six samples. */
const AT_ONCE = 6;
/** Milliseconds between the starts of two: their polls must not fall together. */
const APART_MS = 170;
const ROUNDS = 3;

interface Wait {
  /** From the end of the operation to the answer. */
  seconds: number;
  polls: number;
}

/** How late the provider notices the end of an operation, and how often it polls. */
export const wait: Scenario = {
  name: "wait",
  title: "from the operation's end to the resource's",
  async run(bench) {
    const rows: Row[] = [];
    const made = await bench.allBuilt(COMPARED, 2, 1);
    for (const [seconds, mostPolls] of OPERATIONS) {
      if (bench.flags.quick && seconds > QUICK_SECONDS) continue;
      const waits = await bench.rounds(
        `waiting for operations of ${seconds} s`,
        COMPARED,
        (provider) => waitsFor(made[provider].fleet, seconds * 1000),
        { atMost: ROUNDS },
      );
      const each = (name: (typeof COMPARED)[number], what: keyof Wait) => waits[name].flat().map((one) => one[what]);
      const figure = `operation of ${seconds} s`;
      rows.push(
        rowOf({
          scenario: "wait",
          figure: `${figure}: noticed after, mean`,
          samples: { naive: each("naive", "seconds"), ours: each("ours", "seconds") },
          sampled: "s",
          value: mean(each("ours", "seconds")),
          most: Math.max(MOST_SECONDS, MOST_SHARE * seconds),
        }),
        rowOf({
          scenario: "wait",
          figure: `${figure}: polls`,
          samples: { naive: each("naive", "polls"), ours: each("ours", "polls") },
          sampled: "polls",
          most: mostPolls,
          note: `without the engine, the first operation of each of ${AT_ONCE} processes`,
        }),
      );
    }
    return [...rows, ...(await waitingProjects(bench, made.ours.fleet))];
  },
};

async function waitsFor(fleet: Fleet, operationMs: number): Promise<Wait[]> {
  const text = await fleet.providerText();
  const places = placesIn(AT_ONCE, AT_ONCE);
  const service = await Service.start({ operationMs, lock: "project" });
  const standIn = await StandIn.listen();
  const started: SpawnedProvider[] = [];
  try {
    await service.setWorld(worldWith(await service.world(), places));
    const { folder, env } = fleet.processOptions;
    for (const _ of places) {
      const one = await SpawnedProvider.start({ folder, env: { ...env, ...service.env }, engine: standIn.address });
      started.push(one);
      await one.configure();
    }
    const answers = await Promise.all(
      places.map(async (place, index) => {
        const checked = await checkedIn(started[index]!, place, text);
        await new Promise((resolve) => setTimeout(resolve, index * APART_MS));
        return answeredAt(started[index]!, checked);
      }),
    );
    const [{ operations }, requests] = [await service.world(), await service.requests()];
    return places.map(({ projectId }, index) => {
      const ended = operations.filter((one) => one.project_id === projectId).map((one) => Date.parse(one.updated_at));
      const polls = pollsIn(requests, projectId);
      return { seconds: ((answers[index] ?? Number.NaN) - Math.max(...ended)) / 1000, polls };
    });
  } finally {
    await Promise.all(started.map((one) => one.close()));
    standIn.close();
    await service.close();
  }
}

const checkedIn = async (process: SpawnedProvider, place: Place, text: unknown) => ({
  ...(await process.check({ ...settingsOf(place), __provider: text })),
  __provider: text,
});

/** Milliseconds of the machine's clock, by which the emulator runs too. */
async function answeredAt(process: SpawnedProvider, checked: Record<string, unknown>): Promise<number> {
  await process.create(checked);
  return Date.now();
}
