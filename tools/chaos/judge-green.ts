// A preview without an error is no promise that the service plays along, but `up` does not fail by what program and state
// can tell.

import { isKind } from "../../provider/errors";
import { type Court, type Report, Violation } from "./court";

export function judgeGreen(court: Court, report: Report): void {
  const { command, previewed, steps } = report;
  if (command !== "up" || !previewed || previewed.failed || court.spoilt || report.killed || report.both) return;
  for (const { name, error, op } of steps) {
    if (!error || op === "refused" || !isKind(error, "stopped")) continue;
    if (/pulumi up --refresh|pulumi refresh/.test(error.message) && !/somebody deleted it/.test(error.message))
      continue;
    if (previewed.shown[name]?.foretold || isStrange(report, error.message)) continue;
    // What an account can see, only a request tells.
    if (/this key can't see it/.test(error.message)) continue;
    throw new Violation("green and must fail", `${op} of ${name}: ${error.message}`);
  }
}

/** Whether the error names a compute that only a look can find, or one that leaves the program in this run. */
function isStrange(report: Report, text: string): boolean {
  const ids = text.match(/ep-[a-z0-9-]+/g) ?? [];
  const made = report.deeds.filter(({ method, action }) => method === "POST" && !action).map(({ id }) => id);
  return ids.some((id) => {
    const owner = [...report.before].find(([, one]) => one.id === id);
    if (owner) return !(owner[0] in report.program);
    return !made.includes(id);
  });
}
