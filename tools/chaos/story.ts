// Random stories: programs, commands, and what goes wrong beside them. Plain data, so that fast-check can shrink them.

import fc from "fast-check";
import type { EmulatorOptions, RateLimit } from "../../emulator/index";
import { EMPTY } from "./empty";
import { type Fault, faults } from "./faults";
import { DRIFTS, type Hand, hands } from "./hands";
import type { Wish } from "./program";

/** How the service behaves where its behaviour is not documented, or differs by account and time. */
export interface Service extends Omit<EmulatorOptions, "time"> {
  skewMs: number;
  /** Milliseconds for which the branch `dev` is not ready. */
  branchReadyMs: number;
  /** It answers `65536kB` where it was told `64MB`. */
  respells: boolean;
}

/** A service in a good mood. */
export const CALM: Service = {
  operationMs: 500,
  lock: "project",
  failed: "final",
  failedRetryMs: 1000,
  idleUpdate: "operations",
  restartIdleStatus: 412,
  settingsPatch: "replace",
  listOrder: "newest",
  availabilityCheckMs: 0,
  retryAfter: "none",
  suspendDefaultSeconds: 300,
  rateLimit: {},
  ignoredFields: [],
  skewMs: 0,
  branchReadyMs: 0,
  respells: false,
};

export interface Kill {
  /** The process dies with the so-many-th request… */
  request: number;
  /** …before it leaves or when the service has done its work, so many milliseconds later. */
  when: "before" | "after";
  laterMs: number;
}

export type CommandName = "up" | "preview" | "refresh" | "refresh+up" | "destroy";

export type Edit =
  /** Another resource of that name, or none. */
  | { slot: number; to: Wish | null }
  /** The same with other values. */
  | { slot: number; change: Partial<Wish> }
  | { slot: number; rename: true }
  /** As it was before the last edit. */
  | { slot: number; back: true };

export interface Act {
  stack: number;
  edits: Edit[];
  command: CommandName;
  /** The other stack runs `up` at the same time. */
  both: boolean;
  kill: Kill | null;
  /** One Ctrl-C at that request: what runs is waited for. */
  interrupt: number | null;
  faults: Fault[];
  hands: Hand[];
  /** Milliseconds that pass before it. */
  waitMs: number;
}

export interface Story {
  /** Of ids, pauses and the order of lists. */
  seed: number;
  service: Service;
  /** Both stacks are called the same: two backends, and so equal generated names. */
  twins: boolean;
  programs: (Wish | null)[][];
  acts: Act[];
  end: "up" | "refresh+up" | "destroy";
}

const size = fc.constantFrom(0.25, 0.5, 1, 2, 4, 8, 16, 20, 56);
const limits = fc.constantFrom<[number, number][]>([0.25, 2], [1, 4], [1, 8], [2, 4], [4, 4], [8, 16]);
const pg = fc.dictionary(fc.constantFrom("work_mem", "auto.log", "a"), fc.constantFrom("1", "2", "64MB"), {
  maxKeys: 2,
});

/** What a program can say beside branch and type; few values, so that changes go back and forth between them. */
const sayings = {
  size,
  limits,
  suspend: fc.constantFrom(-1, 0, 60, 300),
  name: fc.constantFrom("reports", "x"),
  disabled: fc.boolean(),
  pooler: fc.boolean(),
  pg,
  libraries: fc.subarray(["x", "y", "z"]),
  onDelete: fc.constantFrom("delete" as const, "release" as const),
  adopt: fc.boolean(),
  triggers: fc.integer({ min: 1, max: 3 }),
  waitForReady: fc.constant(false as const),
  minutes: fc.constantFrom(0.5, 1, 2, 12),
  onRestart: fc.constantFrom("allow" as const, "warn" as const, "refuse" as const),
  ignore: fc.constantFrom(
    ["size"],
    ["autoscalingLimitMaxCu"],
    ["autoscalingLimitMinCu"],
    ["settings.pgSettings.work_mem"],
    ["settings.preloadLibraries"],
    ["suspendTimeoutSeconds", "name"],
    ["*"],
  ),
  replaceOn: fc.constantFrom(["branchId"], ["size"], ["settings"], ["*"]),
  retain: fc.constant(true as const),
  instance: fc.constantFrom("same" as const, "same" as const, "away" as const),
  byRule: fc.constant(true as const),
};
const RARE = [
  ...(["waitForReady", "onDelete", "minutes", "disabled", "onRestart"] as const),
  ...(["ignore", "replaceOn", "retain", "instance"] as const),
] as const;

const place = {
  type: fc.constantFrom("read_write" as const, "read_only" as const),
  branch: fc.integer({ min: 0, max: 2 }),
};

/** Some of the sayings: all at once would be most programs alike. */
const some = fc
  .tuple(fc.record(sayings, { requiredKeys: [] }), fc.integer({ min: 0, max: RARE.length - 1 }))
  .map(([all, rare]) => {
    const wish: Partial<Wish> = { ...all };
    for (const [index, name] of RARE.entries()) if (index !== rare) delete wish[name];
    if (wish.size !== undefined) delete wish.limits;
    if (wish.replaceOn === undefined && wish.minutes === undefined) delete wish.byRule;
    return wish;
  });

const wishes: fc.Arbitrary<Wish> = fc.tuple(fc.record(place), some).map(([at, rest]) => ({ ...rest, ...at }));

const slot = fc.integer({ min: 0, max: 2 });
const change = fc.oneof(
  fc.record({ size }),
  fc.record({ limits }),
  fc.record({ branch: place.branch }),
  fc.record({ type: place.type }),
  fc.record({ triggers: sayings.triggers }),
  some,
);
const edits: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ slot, change }) },
  { weight: 2, arbitrary: fc.record({ slot, to: fc.option(wishes, { freq: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ slot, rename: fc.constant(true as const) }) },
  { weight: 1, arbitrary: fc.record({ slot, back: fc.constant(true as const) }) },
);

const commands = fc.oneof(
  { weight: 8, arbitrary: fc.constant<CommandName>("up") },
  { weight: 2, arbitrary: fc.constant<CommandName>("refresh") },
  { weight: 2, arbitrary: fc.constant<CommandName>("refresh+up") },
  { weight: 1, arbitrary: fc.constantFrom<CommandName>("preview", "destroy") },
);

/** Most often nothing. */
const seldom = <T>(weight: number, one: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: one });

const kills: fc.Arbitrary<Kill> = fc.record({
  request: fc.integer({ min: 1, max: 12 }),
  when: fc.constantFrom("before", "after"),
  laterMs: fc.constantFrom(0, 100, 3000),
});

const QUIET = { both: false, kill: null, interrupt: null, faults: [], hands: [], edits: [], waitMs: 0 };
const withOne = (given: Partial<Act>): Act => ({ ...QUIET, stack: 0, command: "up", ...given });
const harmless = fc.oneof(
  fc.record({ suspend: sayings.suspend }),
  fc.record({ name: sayings.name }),
  fc.record({ libraries: sayings.libraries }),
  fc.record({ pooler: sayings.pooler }),
);

/** One of the limits alone, or one part of the settings. */
const partly = fc.oneof(
  fc.record({ limits: sayings.limits }),
  fc.record({ limits: sayings.limits, ignore: fc.constantFrom(["autoscalingLimitMaxCu"], ["autoscalingLimitMinCu"]) }),
  fc.record({ pg, ignore: fc.constantFrom(["settings.pgSettings.work_mem"], ["settings.preloadLibraries"]) }),
);

/** Somebody changes a compute by hand, and then the program changes something else: nothing of the first may be lost. */
const drifts: fc.Arbitrary<Act[]> = fc
  .record({
    stack: fc.constantFrom(0, 1),
    slot,
    what: fc.constantFrom(...DRIFTS),
    first: fc.oneof(harmless, change, partly),
    next: fc.oneof(harmless, change, partly, fc.constant<Partial<Wish>>({})),
  })
  .map(({ stack, slot: at, what, first, next }) => [
    withOne({
      stack,
      edits: [{ slot: at, change: first }],
      hands: [{ what, which: `slot ${at}` as Hand["which"], at: 0 }],
    }),
    withOne({ stack, edits: [{ slot: at, change: next }] }),
  ]);

/** A change that fails, and is taken back. */
const takenBack: fc.Arbitrary<Act[]> = fc
  .record({ stack: fc.constantFrom(0, 1), slot, change, fault: faults, refresh: fc.boolean() })
  .map(({ stack, slot: at, change: changes, fault, refresh }) => [
    withOne({ stack, edits: [{ slot: at, change: changes }], faults: [{ ...fault, skip: 0 }] }),
    withOne({ stack, edits: [{ slot: at, back: true }], command: refresh ? "refresh+up" : "up" }),
  ]);

/** Somebody raises a compute's upper limit by hand, and then the program changes one limit: the other is sent along. */
const oneLimit: fc.Arbitrary<Act[]> = fc
  .record({
    stack: fc.constantFrom(0, 1),
    slot,
    at: fc.record(place),
    limits: fc.constantFrom<[number, number][]>([2, 4], [1, 8]),
  })
  .map(({ stack, slot: index, at, limits: next }) => [
    withOne({ stack, edits: [{ slot: index, to: { ...at, limits: [1, 4] } }] }),
    withOne({
      stack,
      edits: [{ slot: index, change: { limits: next } }],
      hands: [{ what: "raise", which: `slot ${index}` as Hand["which"], at: 0 }],
    }),
  ]);

/** One compute goes from one resource to another, which stands on another instance, or from one instance to another. */
const moves: fc.Arbitrary<Act[]> = fc
  .record({
    slot,
    made: fc.option(fc.record({ ...place, onDelete: fc.constant("delete" as const) })),
    instance: fc.constantFrom("same" as const, "same" as const, "away" as const, undefined),
    as: fc.constantFrom("same resource", "another resource", "another resource"),
    onDelete: fc.constantFrom("delete" as const, undefined),
  })
  .map(({ slot: at, made, instance, as, onDelete }) => {
    const change: Partial<Wish> = { instance, ...(as === "another resource" ? { takes: true, onDelete } : {}) };
    const rename: Edit[] = as === "another resource" ? [{ slot: at, rename: true }] : [];
    const first = made ? [withOne({ edits: [{ slot: at, to: made }] })] : [];
    return [...first, withOne({ edits: [...rename, { slot: at, change }] })];
  });

/** The service answers with success and does nothing, for each method that changes something. */
const believed: fc.Arbitrary<Act[]> = fc
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
    const faults: Fault[] = [{ kind: EMPTY, on, skip: 0, times: 1, salt }];
    return [...(on === "POST" ? [] : [withOne({ stack, edits: [made] })]), withOne({ stack, edits, faults })];
  });

/** A refresh changes nothing: what would hurt a change hurts its list instead. */
const onReads = (act: Act): Act => {
  if (act.command !== "refresh") return act;
  const isRead = ({ on }: Fault) => on === "any" || on === "list" || on === "operations";
  return { ...act, faults: act.faults.map((one) => (isRead(one) ? one : { ...one, on: "list", skip: 0 })) };
};

const acts: fc.Arbitrary<Act> = fc
  .record({
    stack: fc.constantFrom(0, 0, 1),
    edits: fc.array(edits, { maxLength: 2 }),
    command: commands,
    both: fc.integer({ min: 0, max: 5 }).map((chance) => chance === 5),
    kill: seldom(5, kills),
    interrupt: seldom(19, fc.integer({ min: 1, max: 6 })),
    faults: fc.array(faults, { maxLength: 3 }),
    hands: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Hand[]>([]) },
      { weight: 1, arbitrary: fc.array(hands, { maxLength: 2 }) },
    ),
    waitMs: fc.constantFrom(0, 0, 2_000, 400_000),
  })
  .map(onReads);

/** Acts, some of which belong together. */
const episodes: fc.Arbitrary<Act[]> = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: acts.map((one) => [one]) },
      { weight: 1, arbitrary: drifts },
      { weight: 1, arbitrary: takenBack },
      { weight: 1, arbitrary: moves },
      { weight: 1, arbitrary: oneLimit },
      { weight: 1, arbitrary: believed },
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
  // A service that is always busy with itself would never take a change.
  .map((one) => (one.operationMs > 4000 ? { ...one, availabilityCheckMs: 0 } : one));

const program = fc.array(fc.option(wishes, { freq: 3 }), { minLength: 3, maxLength: 3 });

export const stories: fc.Arbitrary<Story> = fc.record({
  seed: fc.integer({ min: 1, max: 1000 }),
  service: services,
  twins: fc.integer({ min: 0, max: 7 }).map((chance) => chance === 7),
  programs: fc.tuple(program, program),
  acts: episodes,
  end: fc.constantFrom("up", "refresh+up", "refresh+up", "destroy"),
});
