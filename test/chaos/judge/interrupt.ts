// After one Ctrl-C no change is sent. A step that only waits ends within one second. A step whose change has no clear answer
// yet ends within five seconds.

import { type Report, Violation } from "./judge";

/** How long a step that only waits may go on after the Ctrl-C, and a step whose change has no answer yet. */
const WAIT_MS = 1_000;
const IN_FLIGHT_MS = 5_000;

export function judgeInterrupt(report: Report): void {
  const { interruptedAt: at } = report;
  if (at === undefined || report.killed) return;
  const isChange = ({ line }: { line: string }) => !line.startsWith("GET ");
  const late = report.sent.find((one) => isChange(one) && one.at > at);
  if (late) throw new Violation("changed after a Ctrl-C", `${late.line}, ${late.at - at} ms after it`);
  const isInFlight = report.sent.some(
    (one) => isChange(one) && one.at <= at && (one.isInDoubt || one.answeredAt === undefined || one.answeredAt >= at),
  );
  for (const { name, op, from, to } of report.steps) {
    if (to === undefined) throw new Violation("a step goes on after a Ctrl-C", `${op} of ${name} never ended`);
    const took = to - Math.max(from, at);
    const limit = isInFlight ? IN_FLIGHT_MS : WAIT_MS;
    if (took > limit) throw new Violation("a step goes on after a Ctrl-C", `${op} of ${name} went on for ${took} ms`);
  }
}
