// Promise 3: nothing waits past its deadline, nothing asks faster than the rules, and a busy service is waited out.

import type { Props, Step } from "../../test/support/lab";
import { leastLimitOf, limitOf, type Report, Violation } from "./court";

/** Milliseconds a step may take longer than its deadline: a last look, and a read after it, are worth their answers. */
const GRACE_MS = 45_000;
/** Milliseconds of the shortest step between two looks, with its spread, and of the shortest pause before a repetition. */
const SHORTEST_MS = 390;
/** Milliseconds behind the deadline to which a `Retry-After` moves the last look. */
const LAST_LOOK_MS = 15_000;
/** Milliseconds for a read: `customTimeouts` speaks of changes. */
const READ_MS = 600_000;
/** Looks at the operations of a project within a second. */
const MOST_LOOKS = 10;
/** Milliseconds of the longest pause between two tries. */
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
  // One Ctrl-C ends the patience.
  const busy = !text.startsWith("interrupted") && /answered (423|429|503)\b/.test(text);
  // The delete before a create has the limit of the old program.
  const least = step.op === "refresh" ? READ_MS : leastLimitOf(...limits);
  // A second DELETE has the deadline of the first one.
  const since = step.op === "delete" ? (step.turns[0]?.from ?? from) : from;
  const soon = to - since < least - LONGEST_PAUSE_MS;
  const far = report.sent.some(
    ({ retryAfterMs = 0, answeredAt = 0 }) => answeredAt + retryAfterMs > since + least - 1000,
  );
  if (busy && soon && !far) {
    throw new Violation(
      "busy is no error",
      `${step.op} of ${step.name} gave up after ${took} of ${limit} ms: ${step.error!.message}`,
    );
  }
}

/**
 * The time that a step may take, according to the program and to the state: by their arguments, or by a rule of the program.
 */
const limitsFor = ({ program, options, before }: Report, name: string): (Props | undefined)[] => {
  const old = before.get(name);
  const [now, was] = [options[name]?.byRule, old && { customTimeouts: old.customTimeouts }];
  return [now?.customTimeouts ? now : program[name], was?.customTimeouts ? was : old?.outputs];
};

/** @param shared ids of computes that two resources hold: each deletes its own */
function judgePace(sent: Report["sent"], shared: readonly string[]): void {
  const last = new Map<string, (typeof sent)[number]>();
  const looks: number[] = [];
  for (const one of sent) {
    const before = last.get(one.line + one.body);
    const isLook = one.line.startsWith("GET ") && one.line.includes("/operations");
    if (isLook) looks.push(one.at);
    if (before && (one.line.includes("/operations/") || !one.line.startsWith("GET "))) {
      if (shared.some((id) => one.line.endsWith(id))) continue;
      const gap = one.at - before.at;
      if (gap < SHORTEST_MS) throw new Violation("too fast", `${one.line} after ${gap} ms`);
      const { retryAfterMs = 0, answeredAt = before.at } = before;
      // The deadline's last look does not wait for hours.
      const floor = answeredAt + (isLook && retryAfterMs > LAST_LOOK_MS ? 0 : retryAfterMs);
      if (one.at < floor - 1) {
        throw new Violation("Retry-After cut short", `${one.line} came ${Math.round(floor - one.at)} ms too early`);
      }
    }
    last.set(one.line + one.body, one);
  }
  for (let index = MOST_LOOKS; index < looks.length; index++) {
    if (looks[index]! - looks[index - MOST_LOOKS]! < 1000) {
      throw new Violation("too fast", `${MOST_LOOKS + 1} looks at operations within a second`);
    }
  }
}
