// What the stories are about: two stacks, their resources, and the branches on which these may stand.

import { type EndpointRow, SEED } from "../../emulator/index";
import type { Options, Props } from "../../test/support/lab";

/** One resource as a story tells it: short, always legal, and small enough to be shrunk. */
export interface Wish {
  type: "read_write" | "read_only";
  /** Which of the branches that are open to the stack and the type. */
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
  /** Takes over what stands there: the seeded primary, or the replica that somebody made by hand. */
  adopt?: boolean;
  /** Takes over what another resource of the stack has in the state: the id is filled in when the program is run. */
  takes?: true;
  triggers?: number;
  waitForReady?: false;
  minutes?: number;
  onRestart?: "allow" | "warn" | "refuse";
  /** Options of the resource. */
  ignore?: readonly string[];
  replaceOn?: readonly string[];
  retain?: true;
  /** A `Provider` instance: of the stack's own account, or of one that sees the second project only. */
  instance?: "same" | "away";
  /** `replaceOn` and `minutes` come from `transforms`, of which the constructor knows nothing. */
  byRule?: true;
}

/** A resource of a stack. A rename makes another one of it. */
export interface Slot {
  wish: Wish;
  generation: number;
}

export type Slots = (Slot | undefined)[];

const SLOTS = ["db", "ro", "api"] as const;

/** A branch that the emulator's seed has not: for the second stack's primaries. */
export const EXTRA_BRANCH = "br-quiet-meadow-a5extra1";
/** A replica that somebody made by hand: it is there to be adopted, and nobody else's business. */
export const HAND_MADE = "ep-hand-made-a5replic";

const { main, dev, preview } = SEED.branches;
const BRANCHES = {
  // Each stack has its own for primaries: what two programs ask of one branch is no fault of the provider.
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
  // The old branch that a restore leaves has the branch's id with a suffix.
  branchId.startsWith(SEED.second.branchId) ? SEED.second.projectId : SEED.projectId;

export const nameOf = (slot: number, { generation }: Slot): string =>
  `${SLOTS[slot]}${generation === 0 ? "" : generation + 1}`;

/** Above this size a compute never suspends. */
const ALWAYS_ON_ABOVE_CU = 16;

/** The arguments of an `Endpoint`. */
export function argsOf(stack: number, slot: number, wish: Wish): Props {
  const branchId = BRANCHES[wish.type][stack]![wish.branch % 3]!;
  const max = wish.size ?? wish.limits?.[1];
  const adopt = wish.adopt ? adoptionOf(stack, slot, wish, branchId) : undefined;
  const settings = {
    ...(wish.pg ? { pgSettings: wish.pg } : {}),
    ...(wish.libraries ? { preloadLibraries: { enabledLibraries: wish.libraries } } : {}),
  };
  const limits = wish.limits && { autoscalingLimitMinCu: wish.limits[0], autoscalingLimitMaxCu: wish.limits[1] };
  const suspendTimeoutSeconds = wish.suspend !== undefined && (max ?? 0) > ALWAYS_ON_ABOVE_CU ? -1 : wish.suspend;
  return {
    projectId: projectOf(branchId),
    branchId,
    type: wish.type,
    ...(wish.size === undefined ? limits : { size: wish.size }),
    ...defined({
      suspendTimeoutSeconds,
      name: wish.name && `${wish.name}-${SLOTS[slot]}-${stack}`,
      disabled: wish.disabled,
      poolerEnabled: wish.pooler,
      settings: Object.keys(settings).length > 0 ? settings : undefined,
      onDelete: wish.onDelete,
      adopt,
      restartTriggers: wish.triggers === undefined ? undefined : [wish.triggers],
      waitForReady: wish.waitForReady,
      onRestart: wish.onRestart,
      customTimeouts: wish.byRule ? undefined : timeoutsOf(wish),
    }),
  };
}

/** The resource options of an `Endpoint`. */
export function optionsOf(wish: Wish): Options {
  const { ignore, replaceOn, retain, instance, byRule } = wish;
  const replaceOnChanges = replaceOn && { replaceOnChanges: replaceOn };
  const timeouts = timeoutsOf(wish);
  const all: Options = {
    ...(ignore ? { ignoreChanges: ignore } : {}),
    ...(retain ? { retainOnDelete: true } : {}),
    ...(instance ? { provider: instance } : {}),
  };
  if (!byRule) return { ...all, ...replaceOnChanges };
  return { ...all, byRule: { ...replaceOnChanges, ...(timeouts && { customTimeouts: timeouts }) } };
}

const timeoutsOf = ({ minutes }: Wish) => (minutes === undefined ? undefined : allSteps(`${minutes * 60}s`));
const allSteps = (time: string) => ({ create: time, update: time, delete: time });

function adoptionOf(stack: number, slot: number, wish: Wish, branchId: string): true | string | undefined {
  if (stack === 0 && slot === 0 && wish.type === "read_write" && branchId === main) return true;
  return stack === 0 && slot === 1 && wish.type === "read_only" && branchId === main ? HAND_MADE : undefined;
}

export const defined = (value: Props): Props =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));

/** Names of the API for what a program says of a compute: written out here again, so that a wrong mapping is noticed. */
export function askedOf(args: Props): Props {
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

/** What a compute has, under the same names. */
export function hasOf(row: EndpointRow, names: readonly string[]): Props {
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
