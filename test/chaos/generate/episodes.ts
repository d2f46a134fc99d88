// Rounds that belong together: the second must cope with what happened in the first.

import fc from "fast-check";
import type { Fault } from "../faults/fault";
import { faults } from "../faults/kinds";
import { SUCCESS_WITHOUT_WORK } from "../faults/misleading";
import { DRIFTS, type ManualChange } from "../manual-changes";
import type { ResourceSpec } from "../program";
import { type Edit, type Round, roundWith } from "../scenario";
import { change, OPTIONAL_ARGS, place, slot } from "./resources";

const harmless = fc.oneof(
  fc.record({ suspend: OPTIONAL_ARGS.suspend }),
  fc.record({ name: OPTIONAL_ARGS.name }),
  fc.record({ libraries: OPTIONAL_ARGS.libraries }),
  fc.record({ pooler: OPTIONAL_ARGS.pooler }),
);

/** One of the limits alone, or one part of the settings. */
const partly = fc.oneof(
  fc.record({ limits: OPTIONAL_ARGS.limits }),
  fc.record({
    limits: OPTIONAL_ARGS.limits,
    ignore: fc.constantFrom(["autoscalingLimitMaxCu"], ["autoscalingLimitMinCu"]),
  }),
  fc.record({
    pg: OPTIONAL_ARGS.pg,
    ignore: fc.constantFrom(["settings.pgSettings.work_mem"], ["settings.preloadLibraries"]),
  }),
);

/** Somebody changes a compute by hand, then the program changes another setting. The manual change must stay. */
export const driftThenChange: fc.Arbitrary<Round[]> = fc
  .record({
    stack: fc.constantFrom(0, 1),
    slot,
    what: fc.constantFrom(...DRIFTS),
    first: fc.oneof(harmless, change, partly),
    next: fc.oneof(harmless, change, partly, fc.constant<Partial<ResourceSpec>>({})),
  })
  .map(({ stack, slot: at, what, first, next }) => [
    roundWith({
      stack,
      edits: [{ slot: at, change: first }],
      manualChanges: [{ what, which: `slot ${at}` as ManualChange["which"], at: 0 }],
    }),
    roundWith({ stack, edits: [{ slot: at, change: next }] }),
  ]);

/** A change meets a fault and is taken back. */
export const failThenTakeBack: fc.Arbitrary<Round[]> = fc
  .record({ stack: fc.constantFrom(0, 1), slot, change, fault: faults, refresh: fc.boolean() })
  .map(({ stack, slot: at, change: changes, fault, refresh }) => [
    roundWith({ stack, edits: [{ slot: at, change: changes }], faults: [{ ...fault, skip: 0 }] }),
    roundWith({ stack, edits: [{ slot: at, back: true }], command: refresh ? "refresh+up" : "up" }),
  ]);

/** Somebody raises a compute's upper limit by hand, then the program changes one limit. The API takes both limits together. */
export const raiseThenChangeOneLimit: fc.Arbitrary<Round[]> = fc
  .record({
    stack: fc.constantFrom(0, 1),
    slot,
    at: fc.record(place),
    limits: fc.constantFrom<[number, number][]>([2, 4], [1, 8]),
  })
  .map(({ stack, slot: index, at, limits: next }) => [
    roundWith({ stack, edits: [{ slot: index, to: { ...at, limits: [1, 4] } }] }),
    roundWith({
      stack,
      edits: [{ slot: index, change: { limits: next } }],
      manualChanges: [{ what: "raise", which: `slot ${index}` as ManualChange["which"], at: 0 }],
    }),
  ]);

/** A compute moves to another resource, to another `Provider` instance, or to both. */
export const moveCompute: fc.Arbitrary<Round[]> = fc
  .record({
    slot,
    made: fc.option(fc.record({ ...place, onDelete: fc.constant("delete" as const) })),
    instance: fc.constantFrom("same" as const, "same" as const, "away" as const, undefined),
    as: fc.constantFrom("same resource", "another resource", "another resource"),
    onDelete: fc.constantFrom("delete" as const, undefined),
  })
  .map(({ slot: at, made, instance, as, onDelete }) => {
    const change: Partial<ResourceSpec> = {
      instance,
      ...(as === "another resource" ? { takesOver: true, onDelete } : {}),
    };
    const rename: Edit[] = as === "another resource" ? [{ slot: at, rename: true }] : [];
    const first = made ? [roundWith({ edits: [{ slot: at, to: made }] })] : [];
    return [...first, roundWith({ edits: [...rename, { slot: at, change }] })];
  });

/** The service answers success to a POST, PATCH or DELETE, and does nothing. */
export const successWithoutWork: fc.Arbitrary<Round[]> = fc
  .record({
    stack: fc.constantFrom(0, 1),
    slot,
    to: fc.record({ ...place, onDelete: fc.constant("delete" as const) }),
    on: fc.constantFrom("POST" as const, "PATCH" as const, "DELETE" as const),
    change,
    salt: fc.integer({ min: 0, max: 999 }),
  })
  .map(({ stack, slot: at, to, on, change: changes, salt }) => {
    const made: Edit = { slot: at, to };
    const edits: Edit[] =
      on === "POST" ? [made] : on === "PATCH" ? [{ slot: at, change: changes }] : [{ slot: at, to: null }];
    const faults: Fault[] = [{ kind: SUCCESS_WITHOUT_WORK, on, skip: 0, times: 1, salt }];
    return [...(on === "POST" ? [] : [roundWith({ stack, edits: [made] })]), roundWith({ stack, edits, faults })];
  });

/** Both stacks make several computes in one project at the same time, one of them with a short time limit. */
export const turnsWithNeighbour: fc.Arbitrary<Round[]> = fc
  .record({
    stack: fc.constantFrom(0, 1),
    limited: slot,
    // In two minutes, a stack can wait for one slow operation of its neighbour and for one of its own, but not for three.
    minutes: fc.constantFrom(0.5, 1, 2, 2, 2),
    branches: fc.tuple(...Array.from({ length: 6 }, () => fc.constantFrom(0, 1))),
  })
  .map(({ stack, limited, minutes, branches }) => {
    const made = (index: number): Edit => ({
      slot: index % 3,
      to: {
        type: "read_only",
        branch: branches[index]!,
        onDelete: "delete",
        ...(index === limited ? { minutes } : {}),
      },
    });
    return [
      roundWith({ stack: 1 - stack, command: "preview", edits: [3, 4, 5].map(made) }),
      roundWith({ stack, both: true, edits: [0, 1, 2].map(made) }),
    ];
  });
