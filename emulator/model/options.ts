import * as z from "zod/mini";
import { KnownField } from "./endpoint-fields.js";
import { describeIssues } from "./issues.js";
import type { Time } from "./time.js";

export const LARGEST_PORT = 65_535;
/** Node.js fires a longer timer at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** The longest time that can be added to the present and still be shown as a date. */
const A_CENTURY_MS = 100 * 366 * 24 * 3_600_000;
const ms = z.number().check(z.gte(0), z.lte(A_CENTURY_MS));
const count = z.int().check(z.gte(1));

/** A host as a request names it. Patterns are refused: they would accept unexpected names. */
export const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
const HostName = z.string().check(
  z.regex(HOST_NAME, {
    error: ({ input }) => `${JSON.stringify(input)} is no host: give a name with its port, as in emulator.test:8080`,
  }),
);

const Key = z.strictObject({
  /** The text that clients send as `Authorization: Bearer …`. */
  key: z.string().check(z.minLength(1)),
  /**
   * The only project that the key reaches (editor level). Other projects are 404. Listing the projects and deleting this one
   * are 403.
   * @default everything
   */
  projectId: z.optional(z.string()),
});
/** A key, and what it reaches. */
export interface Key extends z.output<typeof Key> {}

const RateLimit = z.strictObject({
  /** Requests in any 60 seconds. @default no limit */
  perMinute: z.optional(count),
  /** Requests in any second, for each route (method and path pattern). @default no limit */
  perRouteAndSecond: z.optional(count),
});
/** The number of requests before the emulator answers 429, over all keys. Requests that were refused do not count. */
export interface RateLimit extends z.output<typeof RateLimit> {}

/** The options of `startEmulator` and `createEmulator`. Strict, so that a typo in a test is an error. */
export const OPTIONS = z.partial(
  z.strictObject({
    /** Port on 127.0.0.1, for `startEmulator`. @default 0, a free one */
    port: z.int().check(z.gte(0), z.lte(LARGEST_PORT)),
    /**
     * Values of `Host` that are accepted beside the loopback names and addresses, each as clients send it:
     * `"emulator.test:8080"`. For a forwarded port, the name of a container, or your own proxy. The emulator listens on
     * 127.0.0.1 alone. @default none
     */
    hosts: z.array(HostName),
    /** The key that reaches everything. @default the one in the `state` file, else a random one */
    apiKey: z.string().check(z.minLength(1)),
    /** More keys. @default none */
    keys: z.array(Key),
    /**
     * Milliseconds that an operation takes: for all actions, or for each by its name. The key `default` is for all others.
     * @default 500
     */
    operationMs: z.union([ms, z.record(z.string(), ms)]),
    /**
     * `"real"`: the clock of this machine. `"virtual"`: a clock that stands still until it is advanced. Or a clock of your
     * own, such as `virtualTime()`, which also moves when somebody sleeps.
     * @default as in the `state` file, else "real"
     */
    time: z.union([
      z.enum(["real", "virtual"]),
      z.looseObject({ now: z.function(), sleep: z.function() }) as z.ZodMiniType<unknown> as z.ZodMiniType<Time, Time>,
    ]),
    /** Source of randomness for ids and passwords. `seededRandom(1)` gives the same ones each time. @default Math.random */
    random: z.function() as z.ZodMiniType<unknown> as z.ZodMiniType<() => number, () => number>,
    /**
     * A file that holds the world, so that the next process finds it, however this one ended. It is written before a request is
     * answered. Only one process at a time can use it. @default none: the world ends with the process
     */
    state: z.string().check(z.minLength(1)),
    /** What a pending operation locks: its whole project, or only its branch. @default "project" */
    lock: z.enum(["project", "branch"]),
    /**
     * The meaning of a scripted `failed`. `"final"`: the operation has ended. `"retried"`: the service tries again after
     * `failedRetryMs`, and succeeds. @default "final"
     */
    failed: z.enum(["final", "retried"]),
    /** Milliseconds between a failed attempt and the next one. @default 1000 */
    failedRetryMs: ms,
    /**
     * The operations that updating an idle compute starts: `[apply_config, suspend_compute]` or `[]`. Public sources show both.
     * @default "operations"
     */
    idleUpdate: z.enum(["operations", "none"]),
    /** Status for the restart of an idle compute, which is not documented. @default 412 */
    restartIdleStatus: z.literal([412, 423]),
    /** Milliseconds from the end of the operation that makes a branch until the branch is `ready`. @default 0 */
    branchReadyMs: ms,
    /**
     * Status while a branch is not `ready`, for example right after `POST /projects`: for requests that create a branch
     * or a compute on it. The service was seen to answer 422; some clients wait only after a 423. @default 422
     */
    branchNotReadyStatus: z.literal([422, 423]),
    /**
     * Whether a PATCH replaces `settings` of a compute and `allowed_ips` of a project, or merges them name by name.
     * @default "replace"
     */
    settingsPatch: z.enum(["replace", "merge"]),
    /**
     * Fields of a compute that POST and PATCH ignore, although they answer with success: `"autoscaling_limit_max_cu"`,
     * `"settings.pg_settings.work_mem"`. @default none
     */
    ignoredFields: z.array(KnownField),
    /**
     * Order of the lists whose order is not documented. `"newest"`: computes and projects newest first, roles and databases oldest
     * first. `"random"`: all of them in any order. @default "newest"
     */
    listOrder: z.enum(["newest", "random"]),
    /**
     * The result of restoring a branch. `"new"`: a new branch with the old one's name, to which the computes move (id and host
     * stay, `branch_id` changes). `"same"`: the same branch. @default "new"
     */
    restoredBranch: z.enum(["new", "same"]),
    /**
     * Milliseconds between two `check_availability` operations on a compute. The service starts them itself, and they lock like
     * any other. @default 0, never
     */
    availabilityCheckMs: ms,
    /** `"public"` is the documented limit of the public service: 700 a minute, and 40 a second for each route. @default no limit */
    rateLimit: z.union([z.literal("public"), RateLimit]),
    /** How long an idle connection stays open, in milliseconds, for `startEmulator`. 0: until the client closes it. @default 0 */
    keepAliveMs: z.int().check(z.gte(0), z.lte(LONGEST_TIMER_MS)),
    /** `Retry-After` with 423 and 429, which is not documented: none, in seconds, or as a date. @default "none" */
    retryAfter: z.enum(["none", "seconds", "date"]),
    /** The service's default timeout in seconds: what a `suspend_timeout_seconds` of 0 means. @default 300 */
    suspendDefaultSeconds: z.number().check(z.positive()),
  }),
);
/** How an emulator behaves. Each option can be left out: without any, operations succeed and nothing is slow. */
export interface EmulatorOptions extends z.input<typeof OPTIONS> {}

/** The defaults of the options that shape the simulation. The other options have theirs in the code that reads them. */
export const DEFAULTS = {
  operationMs: 500,
  lock: "project",
  failed: "final",
  failedRetryMs: 1000,
  idleUpdate: "operations",
  restartIdleStatus: 412,
  branchReadyMs: 0,
  branchNotReadyStatus: 422,
  settingsPatch: "replace",
  ignoredFields: [],
  listOrder: "newest",
  restoredBranch: "new",
  availabilityCheckMs: 0,
  rateLimit: {},
  retryAfter: "none",
  suspendDefaultSeconds: 300,
} satisfies EmulatorOptions;

const PUBLIC_RATE_LIMIT: RateLimit = { perMinute: 700, perRouteAndSecond: 40 };

/**
 * The options with their defaults: how this control plane behaves where the service's behaviour depends on the account or the
 * time, or is not documented. A comment with "modelling choice" marks a behaviour that no option can change yet.
 */
export type Behavior = Omit<Required<Pick<EmulatorOptions, keyof typeof DEFAULTS>>, "operationMs" | "rateLimit"> & {
  operationMs(action: string): number;
  rateLimit: RateLimit;
};

/** Throws an error that names the option. */
export function assertOptions(options: EmulatorOptions): void {
  const result = OPTIONS.safeParse(options);
  if (!result.success) throw new Error(`not options of an emulator: ${describeIssues(result.error)}`);
}

export function behaviorOf(options: EmulatorOptions): Behavior {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const { operationMs, rateLimit, ...rest } = { ...DEFAULTS, ...(given as EmulatorOptions) };
  return {
    ...(rest as Required<typeof rest>),
    operationMs: (action) =>
      typeof operationMs === "number"
        ? operationMs
        : ((Object.hasOwn(operationMs, action) ? operationMs[action] : operationMs["default"]) ?? DEFAULTS.operationMs),
    rateLimit: rateLimit === "public" ? PUBLIC_RATE_LIMIT : rateLimit,
  };
}
