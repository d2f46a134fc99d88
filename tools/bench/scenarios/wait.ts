import type { Scenario } from "../bench";
import type { Fleet } from "../fleet";
import { type Place, placesIn, settingsOf, worldWith } from "../places";
import { ProviderProcess, StandIn } from "../process";
import { pollsIn } from "../requests";
import { type Row, rowOf } from "../row";
import { Service } from "../service";

/** Seconds of an operation, and how many looks at it are enough. */
const OPERATIONS: [seconds: number, mostPolls: number][] = [
  [0.2, 1],
  [1, 3],
  [5, 7],
  [30, 13],
];
const QUICK_SECONDS = 1;
/** The larger of these. */
const MOST_SHARE = 0.25;
const MOST_SECONDS = 0.4;
const COMPARED = ["naive", "ours"] as const;
/** Computes in a project each, so that nobody shares a look: as many samples in the time of one. */
const AT_ONCE = 8;
const ROUNDS = 3;

interface Wait {
  /** From the end of the operation to the answer. */
  seconds: number;
  polls: number;
}

/** How late the end of an operation is noticed, and how often is looked. */
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
          figure: `${figure}: noticed after`,
          samples: { naive: each("naive", "seconds"), ours: each("ours", "seconds") },
          sampled: "s",
          most: Math.max(MOST_SECONDS, MOST_SHARE * seconds),
        }),
        rowOf({
          scenario: "wait",
          figure: `${figure}: looks`,
          samples: { naive: each("naive", "polls"), ours: each("ours", "polls") },
          sampled: "polls",
          most: mostPolls,
          note: `without the engine, one compute a project, ${AT_ONCE} projects at once`,
        }),
      );
    }
    return rows;
  },
};

async function waitsFor(fleet: Fleet, operationMs: number): Promise<Wait[]> {
  const text = await fleet.providerText();
  const places = placesIn(AT_ONCE, AT_ONCE);
  const service = await Service.start({ operationMs, lock: "project" });
  const standIn = await StandIn.listen();
  let started: ProviderProcess | undefined;
  try {
    await service.setWorld(worldWith(await service.world(), places));
    const { folder, env } = fleet.place;
    started = await ProviderProcess.start({ folder, env: { ...env, ...service.env }, engine: standIn.address });
    await started.configure();
    const answers = await Promise.all(places.map((place) => answeredAt(started!, place, text)));
    const [{ operations }, requests] = [await service.world(), await service.requests()];
    return places.map(({ projectId }, index) => {
      const ended = operations.filter((one) => one.project_id === projectId).map((one) => Date.parse(one.updated_at));
      const polls = pollsIn(requests, projectId);
      return { seconds: ((answers[index] ?? Number.NaN) - Math.max(...ended)) / 1000, polls };
    });
  } finally {
    await started?.close();
    standIn.close();
    await service.close();
  }
}

/** Milliseconds of the machine's clock, by which the emulator runs too. */
async function answeredAt(process: ProviderProcess, place: Place, text: unknown): Promise<number> {
  const inputs = await process.check({ ...settingsOf(place), __provider: text });
  await process.create({ ...inputs, __provider: text });
  return Date.now();
}
