// Random scenarios. A seed gives the same scenarios until somebody changes an arbitrary, or the order of those in a
// `record` or `oneof`.

import fc from "fast-check";
import type { RateLimit } from "../../../emulator/index";
import type { Fault } from "../faults/fault";
import { faults } from "../faults/kinds";
import { type ManualChange, manualChanges } from "../manual-changes";
import type { CommandName, Kill, Round, Scenario, Service } from "../scenario";
import {
  driftThenChange,
  failThenTakeBack,
  moveCompute,
  raiseThenChangeOneLimit,
  successWithoutWork,
  turnsWithNeighbour,
} from "./episodes";
import { edits, specs } from "./resources";

const commands = fc.oneof(
  { weight: 8, arbitrary: fc.constant<CommandName>("up") },
  { weight: 2, arbitrary: fc.constant<CommandName>("refresh") },
  { weight: 2, arbitrary: fc.constant<CommandName>("refresh+up") },
  { weight: 1, arbitrary: fc.constantFrom<CommandName>("preview", "destroy") },
);

/** Most often nothing. */
const rarely = <T>(weight: number, one: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: one });

const kills: fc.Arbitrary<Kill> = fc.record({
  request: fc.integer({ min: 1, max: 12 }),
  when: fc.constantFrom("before", "after"),
  laterMs: fc.constantFrom(0, 100, 3000),
});

/** A refresh sends no changes. So a fault on changes is moved to its list. */
const onReads = (round: Round): Round => {
  if (round.command !== "refresh") return round;
  const isRead = ({ on }: Fault) => on === "any" || on === "list" || on === "operations";
  return { ...round, faults: round.faults.map((one) => (isRead(one) ? one : { ...one, on: "list", skip: 0 })) };
};

const rounds: fc.Arbitrary<Round> = fc
  .record({
    stack: fc.constantFrom(0, 0, 1),
    edits: fc.array(edits, { maxLength: 2 }),
    command: commands,
    both: fc.integer({ min: 0, max: 5 }).map((chance) => chance === 5),
    kill: rarely(5, kills),
    interrupt: rarely(19, fc.integer({ min: 1, max: 6 })),
    faults: fc.array(faults, { maxLength: 3 }),
    manualChanges: fc.oneof(
      { weight: 3, arbitrary: fc.constant<ManualChange[]>([]) },
      { weight: 1, arbitrary: fc.array(manualChanges, { maxLength: 2 }) },
    ),
    waitMs: fc.constantFrom(0, 0, 2_000, 400_000),
  })
  .map(onReads);

/** Single rounds, and episodes of two or more. */
const allRounds: fc.Arbitrary<Round[]> = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: rounds.map((one) => [one]) },
      { weight: 1, arbitrary: driftThenChange },
      { weight: 1, arbitrary: failThenTakeBack },
      { weight: 1, arbitrary: moveCompute },
      { weight: 1, arbitrary: raiseThenChangeOneLimit },
      { weight: 1, arbitrary: successWithoutWork },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((some) => some.flat());

const services: fc.Arbitrary<Service> = fc
  .record({
    operationMs: fc.constantFrom(500, 0, 4000, 45_000),
    lock: fc.constantFrom("project", "branch"),
    failed: fc.constantFrom("final", "retried"),
    failedRetryMs: fc.constantFrom(1000, 4000),
    idleUpdate: fc.constantFrom("operations", "none"),
    restartIdleStatus: fc.constantFrom(412, 423),
    settingsPatch: fc.constantFrom("replace", "merge"),
    listOrder: fc.constantFrom("newest", "random"),
    availabilityCheckMs: fc.constantFrom(0, 0, 0, 60_000),
    retryAfter: fc.constantFrom("none", "seconds", "date"),
    suspendDefaultSeconds: fc.constantFrom(300, 1),
    rateLimit: fc.constantFrom<RateLimit[]>({}, {}, {}, { perMinute: 20 }, { perRouteAndSecond: 2 }),
    ignoredFields: fc.constantFrom<string[][]>(
      [],
      [],
      [],
      [],
      ["autoscaling_limit_max_cu"],
      ["suspend_timeout_seconds"],
    ),
    skewMs: fc.constantFrom(0, 0, 60_000, -60_000),
    branchReadyMs: fc.constantFrom(0, 0, 0, 30_000),
    respells: fc.constantFrom(false, false, false, true),
  })
  // With slow operations, the service's own checks would keep it busy for ever.
  .map((one) => (one.operationMs > 4000 ? { ...one, availabilityCheckMs: 0 } : one));

const program = fc.array(fc.option(specs, { freq: 3 }), { minLength: 3, maxLength: 3 });

export const scenarios: fc.Arbitrary<Scenario> = fc
  .record({
    seed: fc.integer({ min: 1, max: 1000 }),
    service: services,
    twins: fc.integer({ min: 0, max: 7 }).map((chance) => chance === 7),
    programs: fc.tuple(program, program),
    rounds: allRounds,
    end: fc.constantFrom("up", "refresh+up", "refresh+up", "destroy"),
    // Last, so that the seeds of the tests give the same scenarios beside it.
    first: rarely(9, turnsWithNeighbour),
  })
  .map(({ first, rounds, ...rest }) => ({ ...rest, rounds: [...(first ?? []), ...rounds] }));
