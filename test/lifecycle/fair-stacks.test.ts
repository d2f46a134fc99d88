// Several stacks on one project that locks as a whole: they take turns, and nobody waits much longer than a fair order asks.

import { describe, expect, test } from "vitest";
import { Lab, primary, SEED } from "./support.js";

const CREATES = 10;

interface Served {
  /** The stack of each accepted create, in the order of service. */
  order: number[];
  /** The longest time that a stack had to wait between two of its creates, in turns. */
  longestGap: number;
  /** Time from the first to the last operation ÷ the sum of all operations. */
  wall: number;
  errors: string[];
  requestsPerTurn: number;
  mostPerMinute: number;
}

/** @param laterMs milliseconds by which each stack begins after the one before */
async function serve(stacks: number, operationMs: number, seed: number, laterMs: number): Promise<Served> {
  // The service's own operations are short: a compute's suspend after five minutes is nobody's turn.
  const lab = new Lab({ seed, emulator: { operationMs: { default: operationMs, suspend_compute: 10 } } });
  const { branches } = lab.emulator.world;
  const one = branches[SEED.branches.preview]!;
  for (let index = 0; index < stacks * CREATES; index++) branches[`br-${index}`] = { ...one, id: `br-${index}` };
  const labs = Array.from({ length: stacks }, (_, index) =>
    index === 0 ? lab : new Lab({ beside: lab, stack: `stack-${index}`, seed: 100 * seed + index }),
  );
  const program = (stack: number) =>
    Object.fromEntries(
      Array.from({ length: CREATES }, (_, index) => [
        `r${index}`,
        primary({ branchId: `br-${stack * CREATES + index}` }),
      ]),
    );
  const done = await Promise.all(
    labs.map(async (each, stack) => {
      if (stack > 0 && laterMs > 0) await lab.clock.sleep(stack * laterMs);
      return each.upAll(program(stack));
    }),
  );
  const created = labs
    .flatMap(({ last }, stack) =>
      last.sent
        .filter(({ line, status }) => line.startsWith("POST") && status === 201)
        .map(({ at }) => ({ at, stack })),
    )
    .sort((a, b) => a.at - b.at);
  const gaps = labs.flatMap((_, stack) => {
    const ats = [stack * laterMs, ...created.filter((turn) => turn.stack === stack).map(({ at }) => at)];
    return ats.slice(1).map((at, index) => at - ats[index]!);
  });
  const sent = labs.map(({ last }) => last.sent.map(({ at }) => at));
  const inMinute = (ats: number[]) => ats.map((from) => ats.filter((at) => at >= from && at < from + 60_000).length);
  return {
    order: created.map(({ stack }) => stack),
    longestGap: Math.max(...gaps) / operationMs,
    wall: (created.at(-1)!.at + operationMs) / (created.length * operationMs),
    errors: done.flatMap((outcomes) => Object.values(outcomes).flatMap(({ error }) => error?.message ?? [])),
    requestsPerTurn: sent.flat().length / created.length,
    mostPerMinute: Math.max(...sent.flatMap(inMinute)),
  };
}

describe.each([2, 4])("%i stacks on one project that locks as a whole", (stacks) => {
  test.each([2000, 4000, 15_000, 45_000])("take turns, with operations of %i ms", async (operationMs) => {
    for (const [seed, laterMs] of [
      [1, 0],
      [2, 700],
      [3, 0],
      [4, 2300],
    ] as const) {
      const { errors, longestGap, order, wall, requestsPerTurn, mostPerMinute } = await serve(
        stacks,
        operationMs,
        seed,
        laterMs,
      );
      const served = `seed ${seed}: ${order.join("")}`;
      expect(errors, served).toEqual([]);
      expect(order, served).toHaveLength(stacks * CREATES);
      // Twice the time of four turns.
      expect(longestGap, served).toBeLessThan(2 * 4 * 1.05);
      expect(wall, served).toBeLessThan(operationMs < 4000 ? 1.2 : 1.12);
      // Each of those that wait meets the lock once a turn, reads what holds it, and polls every 5 s and near its expected end.
      expect(requestsPerTurn, served).toBeLessThan(4 + 8 * (stacks - 1) + (stacks * operationMs) / 4000);
      expect(mostPerMinute, served).toBeLessThan(160);
    }
  });
});
