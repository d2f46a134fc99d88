// A step that stops for what one look at the project tells: the preview has looked, and said it.

import { isKind } from "../../../provider/errors";
import { type Report, Violation } from "./judge";

export function judgeForeseen(report: Report): void {
  const { command, previewed, steps, hits, changedByHand } = report;
  if (command !== "up" || !previewed || previewed.failed || report.killed || report.both) return;
  // Something happened between the preview and the step.
  if (hits.size > 0 || changedByHand.size > 0) return;
  for (const { name, error, op } of steps) {
    if ((op !== "create" && op !== "replace") || !error || !isKind(error, "stopped") || !error.foreseen) continue;
    // The look of a test sees every project, whatever the key.
    if (/this key can't see it/.test(error.message)) continue;
    if (previewed.shown[name]?.isPredictedToFail || isOfThisRun(report, error.foreseen.id)) continue;
    throw new Violation("silent preview of a creation that stops", `${op} of ${name}: ${error.message}`);
  }
}

/** Whether this run made or changed the compute in the way, or a resource of the program has it. */
function isOfThisRun(report: Report, id: string | undefined): boolean {
  if (id === undefined) return false;
  if (report.changeRequests.some((one) => one.id === id)) return true;
  return [...report.before, ...report.after].some(([name, one]) => one.id === id && name in report.program);
}
