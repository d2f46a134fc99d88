import fc from "fast-check";
import type { EmulatorOptions } from "../../emulator/index.js";
import { SIZES } from "../../provider/rules/size.js";
import { type Props, SEED } from "./support.js";

const size = fc.constantFrom(...SIZES);
const small = fc.constantFrom(...SIZES.filter((cu) => cu <= 16));

/** What a program can say of the size: nothing, a fixed one, or both limits. */
const sizes: fc.Arbitrary<Props> = fc.oneof(
  fc.constant({}),
  size.map((cu) => ({ size: cu })),
  fc
    .tuple(small, small)
    .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
    .filter(([min, max]) => max - min <= 8)
    .map(([min, max]) => ({ autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max })),
);

const pgSettings = fc.dictionary(fc.constantFrom("a", "b.c", "work_mem"), fc.constantFrom("1", "2", "on"), {
  maxKeys: 3,
});
const preloadLibraries = fc.record(
  { useDefaults: fc.boolean(), enabledLibraries: fc.subarray(["x", "y", "z"]) },
  { requiredKeys: [] },
);

const optional = fc.record(
  {
    suspendTimeoutSeconds: fc.oneof(fc.constantFrom(-1, 0, 60, 300, 604_800), fc.integer({ min: 60, max: 604_800 })),
    name: fc.string({ minLength: 1, maxLength: 64 }).filter((name) => name.trim() !== ""),
    disabled: fc.boolean(),
    poolerEnabled: fc.boolean(),
    settings: fc.record({ pgSettings, preloadLibraries }, { requiredKeys: [] }),
    onDelete: fc.constantFrom("delete", "release"),
    onRestart: fc.constantFrom("allow", "warn"),
    waitForReady: fc.constant(true),
    customTimeouts: fc.constantFrom({ update: "11m" }, { create: "12m", delete: "9m" }),
    type: fc.constant("read_write"),
    regionId: fc.constant(SEED.regionId),
  },
  { requiredKeys: [] },
);

/** Legal arguments of a primary, all of one project and type. */
export const programs: fc.Arbitrary<Props> = fc
  .tuple(sizes, optional, fc.constantFrom(SEED.branches.dev, SEED.branches.preview))
  .map(([cu, others, branchId]): Props => ({ projectId: SEED.projectId, branchId, ...cu, ...others }))
  .map((args) => {
    const max = (args["size"] ?? args["autoscalingLimitMaxCu"]) as number | undefined;
    // A compute above 16 CU never suspends.
    return max !== undefined && max > 16 && args["suspendTimeoutSeconds"] !== undefined
      ? { ...args, suspendTimeoutSeconds: -1 }
      : args;
  });

/** The same with restarts that are asked for, which no compute remembers. */
export const restarting: fc.Arbitrary<Props> = fc
  .tuple(programs, fc.constantFrom({}, {}, { restartTriggers: [1] }, { restartTriggers: [2, { a: "1" }] }))
  .map(([args, triggers]) => ({ ...args, ...triggers }));

/** How the service behaves where its behaviour is not documented, or differs by account and time. */
export const services: fc.Arbitrary<Omit<EmulatorOptions, "time">> = fc.record({
  operationMs: fc.constantFrom(0, 500, 4000),
  lock: fc.constantFrom("project", "branch"),
  failed: fc.constantFrom("final", "retried"),
  idleUpdate: fc.constantFrom("operations", "none"),
  settingsPatch: fc.constantFrom("replace", "merge"),
  listOrder: fc.constantFrom("newest", "random"),
  availabilityCheckMs: fc.constantFrom(0, 0, 60_000),
  retryAfter: fc.constantFrom("none", "seconds", "date"),
  suspendDefaultSeconds: fc.constantFrom(1, 300),
});

/** What somebody changes by hand. */
export const drifts = fc
  .tuple(
    fc.constantFrom({}, limits(8, 8), limits(2, 4), limits(0.25, 8)),
    fc.record(
      {
        suspend_timeout_seconds: fc.constantFrom(0, 77),
        name: fc.constantFrom("theirs", "others"),
        disabled: fc.boolean(),
        branch_id: fc.constantFrom(SEED.branches.dev, SEED.branches.preview),
        settings: fc.record({ pg_settings: pgSettings }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([cu, others]) => ({ ...cu, ...others }));

function limits(min: number, max: number) {
  return { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max };
}
