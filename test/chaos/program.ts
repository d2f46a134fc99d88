// The resources of a scenario's two stacks, and the branches on which they may be.

import { type EndpointRow, SEED } from "../../emulator/index";
import type { Options, Props } from "../support/lab";

/** One resource of a scenario. Any combination of values is legal, so fast-check may take each one out. */
export interface ResourceSpec {
  type: "read_write" | "read_only";
  /** An index into the branches that the stack may use for this type. */
  branch: number;
  size?: number;
  limits?: [number, number];
  suspend?: number;
  name?: string;
  disabled?: boolean;
  pooler?: boolean;
  pg?: Record<string, string>;
  libraries?: string[];
  onDelete?: "delete" | "release";
  /** Adopts the compute that exists there: the seeded primary, or the replica that somebody created by hand. */
  adopt?: boolean;
  /** Adopts the compute that another resource of the stack has in the state. Its id is filled in when the program runs. */
  takesOver?: true;
  triggers?: number;
  waitForReady?: false;
  minutes?: number;
  onRestart?: "allow" | "warn" | "refuse";
  /** `ignoreChanges`. */
  ignore?: readonly string[];
  replaceOn?: readonly string[];
  retain?: true;
  /** A `Provider` instance with the stack's own account, or with an account that sees only the second project. */
  instance?: "same" | "away";
  /** `replaceOn` and `minutes` are set by `transforms`, which the constructor does not see. */
  byRule?: true;
}

/** A resource of a stack. Each rename raises its generation. */
export interface Slot {
  spec: ResourceSpec;
  generation: number;
}

export type Slots = (Slot | undefined)[];

const SLOTS = ["db", "ro", "api"] as const;

/** A branch beside the emulator's seed, for the second stack's primaries. */
export const EXTRA_BRANCH = "br-quiet-meadow-a5extra1";
/** A replica that somebody created by hand. Only an adoption may change it. */
export const MANUAL_REPLICA_ID = "ep-hand-made-a5replic";

const { main, dev, preview } = SEED.branches;
const BRANCHES = {
  // Each stack has its own branches for primaries: two programs that want one branch are no fault of the provider.
  read_write: [
    [main, dev, SEED.second.branchId],
    [preview, EXTRA_BRANCH, preview],
  ],
  read_only: [
    [main, dev, SEED.second.branchId],
    [main, preview, dev],
  ],
} as const;

export const projectOf = (branchId: string): string =>
  // A restored branch has the old branch's id with a suffix.
  branchId.startsWith(SEED.second.branchId) ? SEED.second.projectId : SEED.projectId;

export const nameOf = (slot: number, { generation }: Slot): string =>
  `${SLOTS[slot]}${generation === 0 ? "" : generation + 1}`;

/** Above this size a compute never suspends. */
const ALWAYS_ON_ABOVE_CU = 16;

/** The arguments of an `Endpoint`. */
export function argsOf(stack: number, slot: number, spec: ResourceSpec): Props {
  const branchId = BRANCHES[spec.type][stack]![spec.branch % 3]!;
  const max = spec.size ?? spec.limits?.[1];
  const adopt = spec.adopt ? adoptionOf(stack, slot, spec, branchId) : undefined;
  const settings = {
    ...(spec.pg ? { pgSettings: spec.pg } : {}),
    ...(spec.libraries ? { preloadLibraries: { enabledLibraries: spec.libraries } } : {}),
  };
  const limits = spec.limits && { autoscalingLimitMinCu: spec.limits[0], autoscalingLimitMaxCu: spec.limits[1] };
  const suspendTimeoutSeconds = spec.suspend !== undefined && (max ?? 0) > ALWAYS_ON_ABOVE_CU ? -1 : spec.suspend;
  return {
    projectId: projectOf(branchId),
    branchId,
    type: spec.type,
    ...(spec.size === undefined ? limits : { size: spec.size }),
    ...defined({
      suspendTimeoutSeconds,
      name: spec.name && `${spec.name}-${SLOTS[slot]}-${stack}`,
      disabled: spec.disabled,
      poolerEnabled: spec.pooler,
      settings: Object.keys(settings).length > 0 ? settings : undefined,
      onDelete: spec.onDelete,
      adopt,
      restartTriggers: spec.triggers === undefined ? undefined : [spec.triggers],
      waitForReady: spec.waitForReady,
      onRestart: spec.onRestart,
      customTimeouts: spec.byRule ? undefined : timeoutsOf(spec),
    }),
  };
}

/** The resource options of an `Endpoint`. */
export function optionsOf(spec: ResourceSpec): Options {
  const { ignore, replaceOn, retain, instance, byRule } = spec;
  const replaceOnChanges = replaceOn && { replaceOnChanges: replaceOn };
  const timeouts = timeoutsOf(spec);
  const all: Options = {
    ...(ignore ? { ignoreChanges: ignore } : {}),
    ...(retain ? { retainOnDelete: true } : {}),
    ...(instance ? { provider: instance } : {}),
  };
  if (!byRule) return { ...all, ...replaceOnChanges };
  return { ...all, byRule: { ...replaceOnChanges, ...(timeouts && { customTimeouts: timeouts }) } };
}

const timeoutsOf = ({ minutes }: ResourceSpec) => (minutes === undefined ? undefined : allSteps(`${minutes * 60}s`));
const allSteps = (time: string) => ({ create: time, update: time, delete: time });

function adoptionOf(stack: number, slot: number, spec: ResourceSpec, branchId: string): true | string | undefined {
  if (stack === 0 && slot === 0 && spec.type === "read_write" && branchId === main) return true;
  return stack === 0 && slot === 1 && spec.type === "read_only" && branchId === main ? MANUAL_REPLICA_ID : undefined;
}

const defined = (value: Props): Props =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));

/** A program's arguments under the API's names. Written out again here, so that a wrong mapping of the provider shows. */
export function requestedFields(args: Props): Props {
  const settings = args["settings"] as {
    pgSettings?: object;
    preloadLibraries?: { useDefaults?: boolean; enabledLibraries?: string[] };
  };
  const pg = Object.entries({ ...settings?.pgSettings }).map(([key, value]) => [`settings.pg_settings.${key}`, value]);
  const libraries = settings?.preloadLibraries?.enabledLibraries;
  return defined({
    branch_id: args["branchId"],
    type: args["type"],
    autoscaling_limit_min_cu: args["size"] ?? args["autoscalingLimitMinCu"],
    autoscaling_limit_max_cu: args["size"] ?? args["autoscalingLimitMaxCu"],
    suspend_timeout_seconds: args["suspendTimeoutSeconds"],
    name: args["name"],
    disabled: args["disabled"],
    pooler_enabled: args["poolerEnabled"],
    ...Object.fromEntries(pg),
    "settings.preload_libraries.use_defaults": settings?.preloadLibraries?.useDefaults,
    "settings.preload_libraries.enabled_libraries": libraries && [...libraries].sort(),
  });
}

/** A compute's values under the same names. */
export function actualFields(row: EndpointRow, names: readonly string[]): Props {
  return Object.fromEntries(
    names.map((name) => {
      const value = valueAt(row, name);
      return [
        name,
        Array.isArray(value) ? [...value].sort() : (value ?? (name.endsWith("libraries") ? [] : undefined)),
      ];
    }),
  );
}

function valueAt(row: EndpointRow, name: string): unknown {
  const [top, part, ...key] = name.split(".");
  if (top !== "settings") return row[name as keyof EndpointRow];
  return (row.settings as Record<string, Props | undefined>)[part!]?.[key.join(".")];
}
