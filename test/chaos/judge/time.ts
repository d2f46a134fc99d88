// Promise 3: no step waits past its deadline, requests keep their pauses, and a busy service is retried until the deadline.

import type { Props, Step } from "../../support/lab";
import { leastLimitOf, limitOf, type Report, Violation } from "./judge";

/** Milliseconds that a step may take beyond its deadline, for a last poll and a read. */
const GRACE_MS = 45_000;
/** The least milliseconds between two polls of an operation: the shortest pause minus its jitter. */
const SHORTEST_POLL_MS = 275;
/** The least milliseconds before a change is sent again. */
const SHORTEST_RETRY_MS = 390;
/** Milliseconds by which a `Retry-After` may move the last poll beyond the deadline. */
const APPLIED_CHECK_MS = 15_000;
/** Milliseconds for a read: `customTimeouts` has none. */
const READ_MS = 600_000;
/** Polls of a project's operations within one second, at most. Beside those that wait, a refused change looks for what runs. */
const MOST_POLLS = 6;
/** Requests so many milliseconds after each other belong to one poll: a list, and operations that it does not show. */
const ONE_POLL_MS = 100;
/** Milliseconds of the longest pause between two attempts. */
const LONGEST_PAUSE_MS = 12_000;

export function judgeTime(report: Report): void {
  for (const step of report.steps) {
    if (step.to !== undefined) judgeStep(report, step, step.to);
  }
  const ids = [...report.before.values()].map(({ id }) => id);
  const shared = ids.filter((id, index) => ids.indexOf(id) !== index);
  for (const process of new Set(report.sent.map((one) => one.process))) {
    const sent = report.sent.filter((one) => one.process === process);
    judgePace(sent, shared);
  }
}

function judgeStep(report: Report, step: Step, to: number): void {
  const limits = limitsFor(report, step.name);
  const limit = step.op === "refresh" ? READ_MS : limitOf(...limits);
  for (const turn of step.turns) {
    const took = (turn.to ?? to) - turn.from;
    if (took > limit + GRACE_MS) {
      throw new Violation("past the deadline", `${step.op} of ${step.name} took ${took} of ${limit} ms`);
    }
  }
  const from = step.turns.at(-1)?.from ?? step.from;
  const took = to - from;
  if (took > limit + GRACE_MS && step.turns.length > 0) {
    throw new Violation("past the deadline", `${step.op} of ${step.name} ended after ${took} of ${limit} ms`);
  }
  if (step.op === "refresh" && took > limit + 2 * GRACE_MS) {
    throw new Violation("past the deadline", `refresh of ${step.name} took ${took} ms`);
  }
  const text = step.error?.message ?? "";
  // After a Ctrl-C a step does not wait for a busy service.
  const busy = !text.startsWith("interrupted") && /answered (423|429|503)\b/.test(text);
  // In a replacement, the delete has the old program's limit.
  const least = step.op === "refresh" ? READ_MS : leastLimitOf(...limits);
  // A second DELETE shares the deadline of the first one.
  const since = step.op === "delete" ? (step.turns[0]?.from ?? from) : from;
  const gaveUpEarly = to - since < least - LONGEST_PAUSE_MS;
  const isAskedToWaitLonger = report.sent.some(
    ({ retryAfterMs = 0, answeredAt = 0 }) => answeredAt + retryAfterMs > since + least - 1000,
  );
  if (busy && gaveUpEarly && !isAskedToWaitLonger) {
    throw new Violation(
      "gave up on a busy service",
      `${step.op} of ${step.name} gave up after ${took} of ${limit} ms: ${step.error!.message}`,
    );
  }
}

/**
 * The arguments that limit a step's time, of the program and of the state. A rule of the program comes before an argument.
 */
const limitsFor = ({ program, options, before }: Report, name: string): (Props | undefined)[] => {
  const old = before.get(name);
  const [now, was] = [options[name]?.byRule, old && { customTimeouts: old.customTimeouts }];
  return [now?.customTimeouts ? now : program[name], was?.customTimeouts ? was : old?.outputs];
};

/** @param shared computes that two resources have: each of them may delete it */
function judgePace(sent: Report["sent"], shared: readonly string[]): void {
  const last = new Map<string, (typeof sent)[number]>();
  const pollsOf = new Map<string, number[]>();
  for (const one of sent) {
    const before = last.get(one.line + one.body);
    const isLook = one.line.startsWith("GET ") && one.line.includes("/operations");
    const project = /\/projects\/[^/]+/.exec(one.line)?.[0] ?? "";
    const polls = pollsOf.get(project) ?? [];
    if (isLook && one.at - (polls.at(-1) ?? Number.NEGATIVE_INFINITY) > ONE_POLL_MS) polls.push(one.at);
    pollsOf.set(project, polls);
    if (before && (one.line.includes("/operations/") || !one.line.startsWith("GET "))) {
      if (shared.some((id) => one.line.endsWith(id))) continue;
      const gap = one.at - before.at;
      if (gap < (isLook ? SHORTEST_POLL_MS : SHORTEST_RETRY_MS))
        throw new Violation("too fast", `${one.line} after ${gap} ms`);
      const { retryAfterMs = 0, answeredAt = before.at } = before;
      // The last poll before the deadline does not wait for a long Retry-After.
      const floor = answeredAt + (isLook && retryAfterMs > APPLIED_CHECK_MS ? 0 : retryAfterMs);
      if (one.at < floor - 1) {
        throw new Violation("Retry-After cut short", `${one.line} came ${Math.round(floor - one.at)} ms too early`);
      }
    }
    last.set(one.line + one.body, one);
  }
  for (const polls of pollsOf.values()) {
    for (let index = MOST_POLLS; index < polls.length; index++) {
      if (polls[index]! - polls[index - MOST_POLLS]! < 1000) {
        throw new Violation("too fast", `${MOST_POLLS + 1} polls of operations within a second`);
      }
    }
  }
}
