// A preview without an error is no promise that the service plays along, but `up` does not fail by what program and state
// can tell.

import { isKind } from "../../provider/errors";
import type { Resource } from "../../test/support/lab";
import { type Court, type Report, Violation } from "./court";

export function judgeGreen(court: Court, report: Report): void {
  const { command, previewed, steps } = report;
  if (command !== "up" || !previewed || previewed.failed || court.spoilt || report.killed || report.both) return;
  for (const { name, error, op } of steps) {
    if (!error || op === "refused" || !isKind(error, "stopped")) continue;
    if (/pulumi up --refresh|pulumi refresh/.test(error.message) && !/somebody deleted it/.test(error.message))
      continue;
    if (previewed.shown[name]?.foretold || isStrange(report, name, error.message)) continue;
    // What an account can see, only a request tells.
    if (/this key can't see it/.test(error.message)) continue;
    throw new Violation("green and must fail", `${op} of ${name}: ${error.message}`);
  }
}

/**
 * Whether the error names a compute that only a look can find, one that leaves the program in this run, or one that this run
 * has made on another `Provider` instance: each instance has a process of its own, and checks its own resources.
 */
function isStrange(report: Report, name: string, text: string): boolean {
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
  const made = report.deeds.filter(({ method, action }) => method === "POST" && !action).map(({ id }) => id);
  return ids.some((id) => {
    const owner = [...report.before].find(([, one]) => one.id === id);
    if (owner) {
      // It should have left the branch, but its step failed.
      if (report.steps.some((step) => step.name === owner[0] && step.error)) return true;
      const providers = [owner[1].provider, report.plans[owner[0]]?.options.provider];
      return !(owner[0] in report.program) || providers.some((one) => one !== provider);
    }
    const maker = [...report.after.values()].find((one) => one.id === id);
    return !made.includes(id) || maker?.provider !== provider;
  });
}
