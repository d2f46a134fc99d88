// After a preview without an error, `up` may fail for what only the service knows. It must not fail for what program and
// state already tell.

import { isKind } from "../../../provider/errors";
import type { Resource } from "../../support/lab";
import { type Judge, type Report, Violation } from "./judge";

export function judgeCleanPreview(judge: Judge, report: Report): void {
  const { command, previewed, steps } = report;
  if (command !== "up" || !previewed || previewed.failed || judge.disturbed || report.killed || report.both) return;
  for (const { name, error, op } of steps) {
    if (!error || op === "refused" || !isKind(error, "stopped")) continue;
    if (/pulumi up --refresh|pulumi refresh/.test(error.message) && !/somebody deleted it/.test(error.message))
      continue;
    if (previewed.shown[name]?.isPredictedToFail || couldNotKnow(report, name, error.message)) continue;
    // Only a request tells what an account can see.
    if (/this key can't see it/.test(error.message)) continue;
    throw new Violation("up fails after a clean preview", `${op} of ${name}: ${error.message}`);
  }
}

/**
 * Whether the preview could not know of the compute that the error names: only a request finds it, it leaves the program in
 * this run, or this run made it on another `Provider` instance. Each instance has its own process, which checks its own
 * resources.
 */
function couldNotKnow(report: Report, name: string, text: string): boolean {
  const provider = report.plans[name]?.options.provider;
  const branch = /^compute ep-\S+ can't move to branch (br-[a-z0-9-]+)/.exec(text)?.[1];
  if (branch !== undefined) {
    const isOurs = ([other, one]: [string, Resource]) =>
      other !== name &&
      other in report.program &&
      one.outputs["type"] === "read_write" &&
      one.outputs["branchId"] === branch &&
      one.provider === provider;
    return ![...report.before].some(isOurs);
  }
  const ids = text.match(/ep-[a-z0-9-]+/g) ?? [];
  const made = report.changeRequests.filter(({ method, action }) => method === "POST" && !action).map(({ id }) => id);
  return ids.some((id) => {
    const owner = [...report.before].find(([, one]) => one.id === id);
    if (owner) {
      // The compute should have left the branch, but its step failed.
      if (report.steps.some((step) => step.name === owner[0] && step.error)) return true;
      const providers = [owner[1].provider, report.plans[owner[0]]?.options.provider];
      return !(owner[0] in report.program) || providers.some((one) => one !== provider);
    }
    const maker = [...report.after.values()].find((one) => one.id === id);
    return !made.includes(id) || maker?.provider !== provider;
  });
}
