// Two stacks on one project, of which one has much to do: nobody waits until its time is up.

import { describe, expect, test } from "vitest";
import { seededRandom } from "../../emulator/index.js";
import { Lab, made, type Props, primary, replica, SEED } from "./support.js";

type Lock = "project" | "branch";
type Where = "one branch" | "a branch each";

const CREATES = 20;
const errors = (done: Record<string, { error?: Error }>) =>
  Object.values(done).flatMap(({ error }) => error?.message ?? []);

function service(seed: number, lock: Lock, operationMs: number): Lab {
  const lab = new Lab({ seed, emulator: { operationMs, lock } });
  const { branches } = lab.emulator.world;
  const one = branches[SEED.branches.preview]!;
  for (let index = 0; index < 2 * CREATES; index++) branches[`br-${index}`] = { ...one, id: `br-${index}` };
  return lab;
}

const program = (where: Where, first: number, count: number, args: Props = {}) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `r${index}`,
      where === "one branch" ? replica(args) : primary({ branchId: `br-${first + index}`, ...args }),
    ]),
  );

describe.each<[Lock, Where]>([
  ["project", "a branch each"],
  ["project", "one branch"],
  ["branch", "one branch"],
])("a service that locks by %s, %s", (lock, where) => {
  test("lets one create of 20 s come to its end beside twenty of another stack", async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = seededRandom(seed);
      const operationMs = 500 + Math.round(random() * 4500);
      const lab = service(seed, lock, operationMs);
      const other = new Lab({ beside: lab, stack: "other", seed });
      const late = lab.clock
        .sleep(random() * 8000)
        .then(() => other.upAll(program(where, CREATES, 1, { customTimeouts: { create: "20s" } })));
      const [mine, theirs] = await Promise.all([lab.upAll(program(where, 0, CREATES)), late]);
      expect([seed, operationMs, ...errors(mine), ...errors(theirs)]).toEqual([seed, operationMs]);
      expect(made(lab)).toHaveLength(CREATES + 1);
    }
  });

  test("lets two stacks take turns, and neither waits for long", async () => {
    const lab = service(7, lock, 2000);
    const other = new Lab({ beside: lab, stack: "other", seed: 7 });
    const [mine, theirs] = await Promise.all([
      lab.upAll(program(where, 0, 10)),
      other.upAll(program(where, CREATES, 10)),
    ]);
    expect([...errors(mine), ...errors(theirs)]).toEqual([]);
    for (const { last } of [lab, other]) {
      const posts = last.sent
        .filter(({ line, status }) => line.startsWith("POST") && status === 201)
        .map(({ at }) => at);
      const waits = posts.slice(1).map((at, index) => at - posts[index]!);
      expect(Math.max(...waits)).toBeLessThan(20_000);
    }
  });

  test("costs a stack that is alone a few percent of its time", async () => {
    for (const operationMs of [500, 3000, 5000]) {
      const lab = service(1, lock, operationMs);
      expect(errors(await lab.upAll(program(where, 0, CREATES)))).toEqual([]);
      const turns = lab.last.steps.flatMap((step) => step.turns).sort((a, b) => a.from - b.from);
      const pauses = turns.slice(1).map(({ from }, index) => from - turns[index]!.to!);
      const paused = pauses.filter((ms) => ms > 200).reduce((sum, ms) => sum + ms, 0);
      expect(paused / lab.clock.now()).toBeLessThan(0.055);
    }
  });
});

test("a service that locks by branch never keeps a stack of many branches waiting for nobody", async () => {
  const lab = service(1, "branch", 3000);
  expect(errors(await lab.upAll(program("a branch each", 0, CREATES)))).toEqual([]);
  expect(lab.clock.now()).toBeLessThan(3.5 * 3000);
});
