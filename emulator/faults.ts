// biome-ignore-all lint/suspicious/noThenProperty: the word of the control route, "match … then …", is kept in the code
import { z } from "zod";
import type { OperationEnd } from "./world.js";

const RequestFault = z.strictObject({
  /**
   * Which requests: `method` absent is any. `path` is relative to the base URL, without the query (`/projects/p/endpoints`).
   * Without a `*` it is a prefix; with one it is a pattern for the whole path, where `*` stands for anything within one
   * segment and `**` for anything. Absent is any.
   */
  match: z.strictObject({ method: z.string().min(1).optional(), path: z.string().min(1).optional() }),
  /** How many requests are spoilt. @default 1 */
  times: z.number().int().min(1).default(1),
  then: z
    .strictObject({
      status: z.number().int().min(200).max(599).optional(),
      /** A string is sent as it is (an HTML page), anything else as JSON. */
      body: z.unknown().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      /** Waits before the answer; work that is done is done before the wait. */
      delayMs: z.number().min(0).max(3_600_000).optional(),
      /** Cut the connection instead of answering. */
      cut: z.literal(true).optional(),
      /** Is the request carried out before its answer is spoilt? @default false with `status` or `cut`, else true */
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
});

const OperationFault = z.strictObject({
  operation: z.strictObject({
    action: z.string().min(1),
    /** How many operations of that action, counted from now in the order of their creation. @default 1 */
    times: z.number().int().min(1).default(1),
    then: z.enum(["failed", "error", "cancelled", "never"]),
  }),
});

/** A rule as a test writes it: it spoils answers (`match`), or the ends of operations (`operation`). */
export type FaultRule = z.input<typeof RequestFault> | z.input<typeof OperationFault>;

/** What a rule does to one request. */
export type Spoiling = z.output<typeof RequestFault>["then"] & { work: boolean };

/** The rules that wait for their requests and operations. */
export class Faults {
  private requests: z.output<typeof RequestFault>[] = [];
  private operations: z.output<typeof OperationFault>["operation"][] = [];

  /** Throws an error whose message says what is wrong with the rule. */
  add(rule: unknown): void {
    // One schema is chosen by the rule's key rather than by a union: a union's message names neither property nor reason.
    if (typeof rule === "object" && rule !== null && "operation" in rule) {
      this.operations.push(parsed(OperationFault, rule).operation);
    } else {
      this.requests.push(parsed(RequestFault, rule));
    }
  }

  clear(): void {
    this.requests = [];
    this.operations = [];
  }

  /** The first rule that fits takes the request, and has one time less. */
  forRequest(method: string, path: string): Spoiling | undefined {
    const rule = this.requests.find((one) => fits(one.match, method, path));
    if (!rule) return undefined;
    rule.times -= 1;
    if (rule.times === 0) this.requests = this.requests.filter((one) => one !== rule);
    return { ...rule.then, work: rule.then.work ?? !(rule.then.cut || rule.then.status !== undefined) };
  }

  forOperation(action: string): OperationEnd {
    const rule = this.operations.find((one) => one.action === action);
    if (!rule) return "finished";
    rule.times -= 1;
    if (rule.times === 0) this.operations = this.operations.filter((one) => one !== rule);
    return rule.then;
  }
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
  return match.path.includes("*") ? pattern(match.path).test(path) : path.startsWith(match.path);
}

function pattern(glob: string): RegExp {
  const source = glob
    .split(/(\*\*|\*)/)
    .map((part) => (part === "**" ? ".*" : part === "*" ? "[^/]*" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")))
    .join("");
  return new RegExp(`^${source}$`);
}
