// biome-ignore-all lint/suspicious/noThenProperty: the word of the control route, "match … then …", is kept in the code
import { validateHeaderName, validateHeaderValue } from "node:http";
import { z } from "zod";
import { BOUNDS } from "./bounds.js";
import { KnownField } from "./ignored.js";
import { isLike, wildcardsIn } from "./match.js";
import { opensUp } from "./protection.js";
import type { OperationEnd } from "./world.js";

/** Spoils the answers to requests. */
export interface RequestFault {
  /** Which requests. */
  match: {
    /** @default any */
    method?: string;
    /**
     * Relative to the base URL, without the query: `/projects/p/endpoints`. Without a `*` it is a prefix; with one it is
     * a pattern for the whole path, where `*` stands for anything within one segment and `**` for anything. @default any
     */
    path?: string;
  };
  /** How many requests are spoilt. @default 1 */
  times?: number;
  /** At least one of these but `work`; `status` and `cut` exclude each other. */
  then: {
    /** The status of the answer. @default the honest one */
    status?: number;
    /** With `status`. A string is sent as it is (an HTML page), anything else as JSON. @default an error body */
    body?: unknown;
    /** More headers, such as `Retry-After`. They do not replace the headers that keep pages of other sites out. */
    headers?: Record<string, string>;
    /** Milliseconds before the answer; work that is done is done before the wait. @default 0 */
    delayMs?: number;
    /** Cut the connection instead of answering. */
    cut?: true;
    /** Is the request carried out before its answer is spoilt? @default false with `status` or `cut`, else true */
    work?: boolean;
  };
}

/** Decides how operations end. */
export interface OperationFault {
  operation: {
    /** `start_compute`, `apply_config`, … */
    action: string;
    /** How many operations of that action, counted from now in the order of their creation. @default 1 */
    times?: number;
    /**
     * The word an operation ends with. `never`: it runs until the faults are cleared. `failed-then-finished`: it fails,
     * is tried again by the service after the option `failedRetryMs`, and works.
     */
    then: "failed" | "failed-then-finished" | "error" | "cancelled" | "skipped" | "never";
    /** With `failed-then-finished`: how many attempts fail. @default 1 */
    failures?: number;
  };
}

/** Has settings silently not taken: the answer is a success. */
export interface IgnoreFault {
  ignore: {
    /** `"autoscaling_limit_max_cu"`, `"settings.pg_settings.work_mem"`. */
    fields: string[];
    /** @default both */
    method?: "POST" | "PATCH";
    /** How many requests that have one of the fields. @default 1 */
    times?: number;
  };
}

/** One thing that goes wrong: in answers, in operations or in what is taken. */
export type FaultRule = RequestFault | OperationFault | IgnoreFault;

const times = z.number().int().min(1).default(1);
const LONGEST_DELAY_MS = 3_600_000;

/** What Node would not send, with its name: a rule must not fail when its request comes. */
function refuseUnsendable(headers: Record<string, string>, context: z.RefinementCtx): void {
  const count = Object.keys(headers).length;
  if (count > BOUNDS.listed) {
    context.addIssue({ code: "custom", message: `${count} headers are more than ${BOUNDS.listed}` });
    return;
  }
  for (const [name, value] of Object.entries(headers)) {
    if (opensUp(name)) {
      const message = "would let pages of other sites read the answer, which the emulator does not do";
      context.addIssue({ code: "custom", path: [name], message });
    }
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      context.addIssue({ code: "custom", path: [name], message: (error as Error).message });
    }
  }
}

const Pattern = z
  .string()
  .min(1)
  .max(BOUNDS.pattern)
  .refine((path) => wildcardsIn(path) <= BOUNDS.wildcards, `more than ${BOUNDS.wildcards} wildcards`);

const RequestRule = z.strictObject({
  match: z.strictObject({ method: z.string().min(1).optional(), path: Pattern.optional() }),
  times,
  then: z
    .strictObject({
      status: z.number().int().min(200).max(599).optional(),
      body: z.unknown().optional(),
      headers: z.record(z.string(), z.string()).superRefine(refuseUnsendable).optional(),
      delayMs: z.number().min(0).max(LONGEST_DELAY_MS).optional(),
      cut: z.literal(true).optional(),
      work: z.boolean().optional(),
    })
    .refine((then) => !(then.cut && then.status !== undefined), "cut and status exclude each other")
    .refine((then) => then.body === undefined || then.status !== undefined, "a body needs a status")
    .refine(
      (then) => then.work !== false || then.cut || then.status !== undefined,
      "without work there is nothing to answer: give status or cut",
    )
    .refine(
      (then) => Object.keys(then).some((key) => key !== "work"),
      "nothing to do: give status, cut, delayMs or headers",
    ),
}) satisfies z.ZodType<unknown, RequestFault>;

const OperationRule = z.strictObject({
  operation: z
    .strictObject({
      action: z.string().min(1),
      times,
      // biome-ignore format: one line
      then: z.enum(["failed", "failed-then-finished", "error", "cancelled", "skipped", "never"]),
      failures: z.number().int().min(1).max(BOUNDS.failures).optional(),
    })
    .refine(
      ({ then, failures }) => failures === undefined || then === "failed-then-finished",
      "failures go with failed-then-finished",
    ),
}) satisfies z.ZodType<unknown, OperationFault>;

const IgnoreRule = z.strictObject({
  ignore: z.strictObject({
    fields: z.array(KnownField).min(1).max(BOUNDS.listed),
    method: z.enum(["POST", "PATCH"]).optional(),
    times,
  }),
}) satisfies z.ZodType<unknown, IgnoreFault>;

/** What a rule does to one request. */
export type Spoiling = z.output<typeof RequestRule>["then"] & { work: boolean };

/** How an operation goes: so many attempts fail, then it ends. */
export interface Fate {
  end: OperationEnd;
  failures: number;
}

/** The rules that wait for their requests and operations. */
export class Faults {
  private requests: z.output<typeof RequestRule>[] = [];
  private operations: z.output<typeof OperationRule>["operation"][] = [];
  private sizes = new WeakMap<object, number>();
  private ignored: z.output<typeof IgnoreRule>["ignore"][] = [];

  /** Throws an error whose message says what is wrong with the rule. */
  add(rule: unknown): void {
    this.checkRoom(rule);
    // One schema is chosen by the rule's key rather than by a union: a union's message names neither property nor reason.
    if (has(rule, "operation")) this.operations.push(parsed(OperationRule, rule).operation);
    else if (has(rule, "ignore")) this.ignored.push(parsed(IgnoreRule, rule).ignore);
    else {
      const request = parsed(RequestRule, rule);
      this.requests.push(request);
      this.sizes.set(request, sizeOf(rule));
    }
  }

  clear(): void {
    this.requests = [];
    this.operations = [];
    this.ignored = [];
  }

  /** Only its body can make a rule large: the schema bounds everything else in it. */
  private checkRoom(rule: unknown): void {
    const count = this.requests.length + this.operations.length + this.ignored.length;
    const size = this.requests.reduce((sum, one) => sum + (this.sizes.get(one) ?? 0), sizeOf(rule));
    if (count < BOUNDS.faults && size <= BOUNDS.faultCharacters) return;
    const full = count < BOUNDS.faults ? `they would have ${size} characters` : `${count} of them wait`;
    throw new Error(`no more faults: ${full}; remove them first (DELETE /_emulator/faults, faults.clear())`);
  }

  /** What still waits, with the times that are left. */
  waiting(): FaultRule[] {
    return [
      ...this.requests.map((one) => structuredClone(one)),
      ...this.operations.map((operation) => ({ operation: { ...operation } })),
      ...this.ignored.map((ignore) => ({ ignore: { ...ignore } })),
    ];
  }

  /** The first rule that fits takes the request, and has one time less. */
  forRequest(method: string, path: string): Spoiling | undefined {
    const rule = use(this.requests, (one) => fits(one.match, method, path));
    return rule && { ...rule.then, work: rule.then.work ?? !(rule.then.cut || rule.then.status !== undefined) };
  }

  forOperation(action: string): Fate {
    const rule = use(this.operations, (one) => one.action === action);
    if (!rule) return { end: "finished", failures: 0 };
    if (rule.then === "failed-then-finished") return { end: "finished", failures: rule.failures ?? 1 };
    return { end: rule.then, failures: 0 };
  }

  /** The fields that this request will find ignored: a rule waits for one that has a field of its. */
  ignoredIn(method: "POST" | "PATCH", has: (field: string) => boolean): string[] {
    const isFor = (one: IgnoreFault["ignore"]) => one.method === undefined || one.method === method;
    return use(this.ignored, (one) => isFor(one) && one.fields.some(has))?.fields ?? [];
  }
}

/** Characters of a rule as JSON. A value that can't be written as JSON can't be kept either. */
function sizeOf(rule: unknown): number {
  try {
    return JSON.stringify(rule)?.length ?? 0;
  } catch (error) {
    throw new Error(`not a fault rule: ${(error as Error).message}`);
  }
}

const has = (rule: unknown, key: string): boolean => typeof rule === "object" && rule !== null && key in rule;

/** The first that fits, which goes when its times are used up. */
function use<T extends { times: number }>(rules: T[], fitting: (rule: T) => boolean): T | undefined {
  const rule = rules.find(fitting);
  if (!rule) return undefined;
  rule.times -= 1;
  if (rule.times === 0) rules.splice(rules.indexOf(rule), 1);
  return rule;
}

function parsed<T extends z.ZodType>(schema: T, rule: unknown): z.output<T> {
  const result = schema.safeParse(rule);
  if (result.success) return result.data;
  const reasons = result.error.issues.map((issue) => [issue.path.join("."), issue.message].filter(Boolean).join(": "));
  throw new Error(`not a fault rule: ${reasons.join("; ")}`);
}

function fits(match: { method?: string; path?: string }, method: string, path: string): boolean {
  if (match.method !== undefined && match.method !== "*" && match.method.toUpperCase() !== method) return false;
  if (match.path === undefined) return true;
  return match.path.includes("*") ? isLike(match.path, path) : path.startsWith(match.path);
}
