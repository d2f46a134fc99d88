import { type IgnoreRule, type OperationRule, parseRule, type RequestRule } from "./fault-rules.js";
import type { FaultRule, RequestFault } from "./fault-types.js";
import { LIMITS } from "./limits.js";
import { matchesPattern } from "./path-pattern.js";
import type { OperationEnd } from "./rows.js";

/** The effect of a rule on one request. */
export type RequestEffect = RequestFault["then"] & { work: boolean };

/** How an operation ends: after `failures` failed attempts, with status `end`. */
export interface OperationOutcome {
  end: OperationEnd;
  failures: number;
}

const ANY_ACTION = "*";

/**
 * The rules that are not used up. A request or an operation uses the first rule that matches it, and lowers its
 * `times`.
 */
export class Faults {
  private requests: RequestRule[] = [];
  private operations: OperationRule[] = [];
  private ignored: IgnoreRule[] = [];
  private sizes = new WeakMap<object, number>();

  /** Throws an error whose message says what is wrong with the rule. */
  add(rule: unknown): void {
    this.assertRoom(rule);
    const parsed = parseRule(rule);
    if ("operation" in parsed) this.keep(this.operations, parsed.operation, rule);
    else if ("ignore" in parsed) this.keep(this.ignored, parsed.ignore, rule);
    else this.keep(this.requests, parsed.request, rule);
  }

  clear(): void {
    this.requests = [];
    this.operations = [];
    this.ignored = [];
  }

  private keep<T extends object>(rules: T[], parsed: T, rule: unknown): void {
    rules.push(parsed);
    this.sizes.set(parsed, sizeOf(rule));
  }

  private assertRoom(rule: unknown): void {
    const kept = [...this.requests, ...this.operations, ...this.ignored];
    const count = kept.length;
    const size = kept.reduce((sum, one) => sum + (this.sizes.get(one) ?? 0), sizeOf(rule));
    if (count < LIMITS.faultRules && size <= LIMITS.faultCharacters) return;
    const full = count < LIMITS.faultRules ? `they would have ${size} characters` : `${count} of them wait`;
    throw new Error(`no more faults: ${full}; remove them first (DELETE /_emulator/faults, faults.clear())`);
  }

  /** The rules that are not used up, each with the times that are left. */
  waiting(): FaultRule[] {
    return [
      ...this.requests.map((one) => structuredClone(one)),
      ...this.operations.map((operation) => ({ operation: { ...operation } })),
      ...this.ignored.map((ignore) => ({ ignore: { ...ignore } })),
    ];
  }

  /** The rules that are not used up, without the bodies and headers of their responses, which can be large. */
  waitingWithoutBodies(): FaultRule[] {
    return [
      ...this.requests.map(({ then: { body: _body, headers: _headers, ...then }, ...one }) => ({ ...one, then })),
      ...this.operations.map((operation) => ({ operation })),
      ...this.ignored.map((ignore) => ({ ignore })),
    ];
  }

  takeForRequest(method: string, path: string): RequestEffect | undefined {
    const rule = take(this.requests, (one) => matches(one.match, method, path));
    return rule && { ...rule.then, work: rule.then.work ?? !(rule.then.cut || rule.then.status !== undefined) };
  }

  takeForOperation(action: string): OperationOutcome {
    const rule = take(this.operations, (one) => one.action === action || one.action === ANY_ACTION);
    if (!rule) return { end: "finished", failures: 0 };
    if (rule.then === "failed-then-finished") return { end: "finished", failures: rule.failures ?? 1 };
    return { end: rule.then, failures: 0 };
  }

  /** The fields to ignore in a request. A rule waits for a request that has at least one of its fields. */
  takeIgnoredFields(method: "POST" | "PATCH", hasField: (field: string) => boolean): string[] {
    const isFor = (one: IgnoreRule) => one.method === undefined || one.method === method;
    return take(this.ignored, (one) => isFor(one) && one.fields.some(hasField))?.fields ?? [];
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

/** Uses the first matching rule once, and removes it when its times are used up. */
function take<T extends { times: number }>(rules: T[], isMatch: (rule: T) => boolean): T | undefined {
  const rule = rules.find(isMatch);
  if (!rule) return undefined;
  rule.times -= 1;
  if (rule.times === 0) rules.splice(rules.indexOf(rule), 1);
  return rule;
}

function matches(match: RequestRule["match"], method: string, path: string): boolean {
  if (match.method !== undefined && match.method !== "*" && match.method.toUpperCase() !== method) return false;
  if (match.path === undefined) return true;
  return match.path.includes("*") ? matchesPattern(match.path, path) : path.startsWith(match.path);
}
