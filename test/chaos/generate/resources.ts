// Random resources of a program, and random edits of them.

import fc from "fast-check";
import type { ResourceSpec } from "../program";
import type { Edit } from "../scenario";

const size = fc.constantFrom(0.25, 0.5, 1, 2, 4, 8, 16, 20, 56);
const limits = fc.constantFrom<[number, number][]>([0.25, 2], [1, 4], [1, 8], [2, 4], [4, 4], [8, 16]);
const pg = fc.dictionary(fc.constantFrom("work_mem", "auto.log", "a"), fc.constantFrom("1", "2", "64MB"), {
  maxKeys: 2,
});

/** Arguments beside branch and type. They have few values, so that changes go back and forth. */
export const OPTIONAL_ARGS = {
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
const RARE_ARGS = [
  ...(["waitForReady", "onDelete", "minutes", "disabled", "onRestart"] as const),
  ...(["ignore", "replaceOn", "retain", "instance"] as const),
] as const;

export const place = {
  type: fc.constantFrom("read_write" as const, "read_only" as const),
  branch: fc.integer({ min: 0, max: 2 }),
};

/** Some of the optional arguments: with all at once most programs would be alike. */
const some = fc
  .tuple(fc.record(OPTIONAL_ARGS, { requiredKeys: [] }), fc.integer({ min: 0, max: RARE_ARGS.length - 1 }))
  .map(([all, rare]) => {
    const spec: Partial<ResourceSpec> = { ...all };
    for (const [index, name] of RARE_ARGS.entries()) if (index !== rare) delete spec[name];
    if (spec.size !== undefined) delete spec.limits;
    if (spec.replaceOn === undefined && spec.minutes === undefined) delete spec.byRule;
    return spec;
  });

export const specs: fc.Arbitrary<ResourceSpec> = fc
  .tuple(fc.record(place), some)
  .map(([at, rest]) => ({ ...rest, ...at }));

export const slot = fc.integer({ min: 0, max: 2 });
export const change = fc.oneof(
  fc.record({ size }),
  fc.record({ limits }),
  fc.record({ branch: place.branch }),
  fc.record({ type: place.type }),
  fc.record({ triggers: OPTIONAL_ARGS.triggers }),
  some,
);
export const edits: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ slot, change }) },
  { weight: 2, arbitrary: fc.record({ slot, to: fc.option(specs, { freq: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ slot, rename: fc.constant(true as const) }) },
  { weight: 1, arbitrary: fc.record({ slot, back: fc.constant(true as const) }) },
);
