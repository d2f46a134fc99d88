import { z } from "zod";
import { KnownField } from "./ignored.js";
import type { Rules } from "./rules.js";
import type { Time } from "./time.js";

/** A key, and how far it reaches. */
export interface Key {
  /** What clients send as `Authorization: Bearer …`. */
  key: string;
  /**
   * Only this project (editor level): others are 404, the list of projects and deleting it are 403.
   * @default everything
   */
  projectId?: string;
}

/** How many requests are taken before the answer is 429, over all keys. Requests that were refused do not count. */
export interface RateLimit {
  /** In any 60 seconds. @default no limit */
  perMinute?: number;
  /** In any second, for each route (method and path pattern). @default no limit */
  perRouteAndSecond?: number;
}

/** How an emulator behaves. Everything is optional: `startEmulator()` alone is a service in a good mood. */
export interface EmulatorOptions {
  /** Port on 127.0.0.1, for `startEmulator`. @default 0, a free one */
  port?: number;
  /**
   * Values of `Host` that are answered beside the loopback names and addresses with the port, each as clients send it:
   * `"emulator.test:8080"`. For a forwarded port, a container's name or a proxy of yours: the emulator itself listens on
   * 127.0.0.1 alone. @default none
   */
  hosts?: string[];
  /** The key that reaches everything. @default the one in the `state` file, else one made up */
  apiKey?: string;
  /** Further keys. @default none */
  keys?: Key[];
  /** Milliseconds that an operation takes, for all actions or for each. @default 500 */
  operationMs?: number | ({ [action: string]: number } & { default?: number });
  /**
   * `"real"`: the clock of this machine. `"virtual"`: a clock that stands still until it is advanced. Or a clock of your
   * own, such as `virtualTime()`.
   * @default as in the `state` file, else "real"
   */
  time?: "real" | "virtual" | Time;
  /** Chance, for ids and passwords: `seededRandom(1)` gives the same ones each time. @default Math.random */
  random?: () => number;
  /**
   * A file that holds the world, so that it is still there after a restart, however this process ended. It is written
   * before a request is answered. One process at a time. @default none: the world ends with the process
   */
  state?: string;
  /**
   * What a pending operation locks: its whole project, or only its branch. @default "project"
   */
  lock?: "project" | "branch";
  /**
   * What a scripted `failed` means. `"final"`: the end. `"retried"`: the service tries again after `failedRetryMs`, and
   * then it works. @default "final"
   */
  failed?: "final" | "retried";
  /** Milliseconds between a failed attempt and the next one. @default 1000 */
  failedRetryMs?: number;
  /** What updating an idle compute answers: `[apply_config, suspend_compute]` or `[]`; both are public. @default "operations" */
  idleUpdate?: "operations" | "none";
  /** The answer to the restart of an idle compute, which is not documented. @default 412 */
  restartIdleStatus?: 412 | 423;
  /** Milliseconds from the end of the operation that makes a branch until the branch is `ready`. @default 0 */
  branchReadyMs?: number;
  /**
   * The answer to a request for a branch or a compute on a branch that is not `ready`, such as right after `POST
   * /projects`: the service was seen to answer 422; some clients wait only after a 423. @default 422
   */
  branchNotReadyStatus?: 422 | 423;
  /**
   * Whether a PATCH replaces `settings` of a compute and `allowed_ips` of a project, or merges them name by name. @default
   * "replace"
   */
  settingsPatch?: "replace" | "merge";
  /**
   * Fields of a compute that POST and PATCH answer with success and do not take: `"autoscaling_limit_max_cu"`,
   * `"settings.pg_settings.work_mem"`. @default none
   */
  ignoredFields?: string[];
  /** Order of the lists whose order is not documented: computes, projects, roles, databases. @default "newest" */
  listOrder?: "newest" | "random";
  /**
   * What restoring a branch gives: a new branch with the old one's name, to which its computes move (id and host stay,
   * `branch_id` changes), or the same branch. @default "new"
   */
  restoredBranch?: "new" | "same";
  /**
   * Milliseconds between two `check_availability` operations on a compute, which the service starts by itself and which
   * lock like any other. @default 0, never
   */
  availabilityCheckMs?: number;
  /** `"public"` is what the public service documents: 700 a minute, and 40 a second for each route. @default no limit */
  rateLimit?: "public" | RateLimit;
  /**
   * Milliseconds that a connection stays open between two requests, for `startEmulator`. 0: until the client closes it.
   * @default 0: a client whose program was busy for a while finds it open
   */
  keepAliveMs?: number;
  /** Send `Retry-After` with 423 and 429, in seconds or as a date; it is not documented. @default "none" */
  retryAfter?: "none" | "seconds" | "date";
  /** Seconds without activity that a `suspend_timeout_seconds` of 0 stands for. @default 300 */
  suspendDefaultSeconds?: number;
}

const DEFAULT_OPERATION_MS = 500;
const DEFAULT_RETRY_MS = 1000;
const DEFAULT_SUSPEND_SECONDS = 300;
const PUBLIC_RATE_LIMIT: RateLimit = { perMinute: 700, perRouteAndSecond: 40 };
const LARGEST_PORT = 65_535;
/** Node.js fires a longer timer at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** A host as a request names it. Patterns are not accepted: they would let in names that nobody has thought of. */
export const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
const HostName = z.string().regex(HOST_NAME, {
  error: ({ input }) => `${JSON.stringify(input)} is no host: give a name with its port, as in emulator.test:8080`,
});

/** The longest time that can be added to the present and still shown as a date. */
const A_CENTURY_MS = 100 * 366 * 24 * 3_600_000;
const ms = z.number().min(0).max(A_CENTURY_MS);
const count = z.number().int().min(1);

/** The options in words of a schema, so that a typo in a test is an error and not an emulator that behaves otherwise. */
const Options = z
  .strictObject({
    port: z.number().int().min(0).max(LARGEST_PORT),
    hosts: z.array(HostName),
    apiKey: z.string().min(1),
    keys: z.array(z.strictObject({ key: z.string().min(1), projectId: z.string().optional() })),
    operationMs: z.union([ms, z.record(z.string(), ms)]),
    time: z.union([z.enum(["real", "virtual"]), z.looseObject({ now: z.function(), sleep: z.function() })]),
    random: z.function(),
    state: z.string().min(1),
    lock: z.enum(["project", "branch"]),
    failed: z.enum(["final", "retried"]),
    failedRetryMs: ms,
    idleUpdate: z.enum(["operations", "none"]),
    restartIdleStatus: z.literal([412, 423]),
    branchReadyMs: ms,
    branchNotReadyStatus: z.literal([422, 423]),
    settingsPatch: z.enum(["replace", "merge"]),
    ignoredFields: z.array(KnownField),
    listOrder: z.enum(["newest", "random"]),
    restoredBranch: z.enum(["new", "same"]),
    availabilityCheckMs: ms,
    rateLimit: z.union([
      z.literal("public"),
      z.strictObject({ perMinute: count.optional(), perRouteAndSecond: count.optional() }),
    ]),
    keepAliveMs: z.number().int().min(0).max(LONGEST_MS),
    retryAfter: z.enum(["none", "seconds", "date"]),
    suspendDefaultSeconds: z.number().positive(),
  })
  .partial() satisfies z.ZodType<unknown, { [K in keyof EmulatorOptions]?: unknown }>;

/** Throws an error that names the option. */
export function checkOptions(options: EmulatorOptions): void {
  const result = Options.safeParse(options);
  if (result.success) return;
  const reasons = result.error.issues.map((issue) => [issue.path.join("."), issue.message].filter(Boolean).join(": "));
  throw new Error(`not options of an emulator: ${reasons.join("; ")}`);
}

export function rulesOf(options: EmulatorOptions): Rules {
  const { operationMs: given = DEFAULT_OPERATION_MS, rateLimit = {} } = options;
  return {
    operationMs: (action) =>
      typeof given === "number"
        ? given
        : ((Object.hasOwn(given, action) ? given[action] : given.default) ?? DEFAULT_OPERATION_MS),
    lock: options.lock ?? "project",
    failed: options.failed ?? "final",
    failedRetryMs: options.failedRetryMs ?? DEFAULT_RETRY_MS,
    idleUpdate: options.idleUpdate ?? "operations",
    restartIdleStatus: options.restartIdleStatus ?? 412,
    branchReadyMs: options.branchReadyMs ?? 0,
    branchNotReadyStatus: options.branchNotReadyStatus ?? 422,
    settingsPatch: options.settingsPatch ?? "replace",
    ignoredFields: options.ignoredFields ?? [],
    listOrder: options.listOrder ?? "newest",
    restoredBranch: options.restoredBranch ?? "new",
    availabilityCheckMs: options.availabilityCheckMs ?? 0,
    rateLimit: rateLimit === "public" ? PUBLIC_RATE_LIMIT : rateLimit,
    retryAfter: options.retryAfter ?? "none",
    suspendDefaultSeconds: options.suspendDefaultSeconds ?? DEFAULT_SUSPEND_SECONDS,
  };
}
