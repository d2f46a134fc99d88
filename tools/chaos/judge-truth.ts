// A preview tells the truth, and a success means that the work is done.

import { type Court, type Report, Violation } from "./court";
import { LIES } from "./faults";
import { drops, isDone } from "./ledger";

export function judgeTruth(court: Court, report: Report): void {
  if (report.command === "preview" || report.command === "refresh") {
    const [deed] = report.deeds;
    if (deed) throw new Violation("changed unasked", `${deed.method} ${deed.id} in a ${report.command}`);
    return;
  }
  judgePreview(report);
  if (report.command === "up" && !report.killed) judgeSuccess(court, report);
}

function judgePreview({ deeds, plans, program, before, touched }: Report): void {
  for (const deed of deeds) {
    const drop = drops(deed);
    const { id } = deed;
    if (!drop || !id || touched.has(id)) continue;
    const [name] =
      [...before].find(([, one]) => one.id === id) ??
      Object.entries(program).find(
        ([one, { adopt }]) => adopt === id || (adopt === true && plans[one]?.op === "create"),
      ) ??
      [];
    const plan = name === undefined ? undefined : plans[name];
    if (!plan || name === undefined) continue;
    const quiet = plan.marker === "no" && plan.notice === "none";
    if (quiet) throw new Violation("the preview lied", `${name} (${id}) was ${drop}, and the preview said "no" to it`);
    if (plan.op === "replace" && !plan.marker.startsWith("yes")) {
      throw new Violation("the preview lied", `${name} was replaced, and the preview said ${plan.marker}`);
    }
  }
}

const ENDED_WELL = new Set(["finished", "skipped"]);

function judgeSuccess(court: Court, { steps, program, plans, deeds, hits, after }: Report): void {
  if ([...LIES].some((kind) => hits.has(kind))) return;
  for (const { name, op, error, from } of steps) {
    const args = program[name];
    const resource = after.get(name);
    // The inputs as registered: a property in `ignoreChanges` keeps its old value.
    const isWaitedFor = (plans[name]?.inputs ?? args)?.["waitForReady"] !== false;
    if (error || !args || !resource || !isWaitedFor || op === "same" || op === "delete") continue;
    const mine = deeds.filter((deed) => deed.id === resource.id && deed.at >= from && isDone(deed));
    // Of what was sent again after a lost answer the last one counts.
    const last = new Map(mine.map((deed) => [`${deed.method} ${deed.action}`, deed]));
    for (const deed of last.values()) {
      const left = deed.operations.find(({ status }) => !ENDED_WELL.has(status));
      // A compute that went meanwhile takes its operations with it.
      const row = court.emulator.world.endpoints[resource.id];
      // Of an operation that the service denies only the compute tells: that it is at rest is all that can be known.
      const atRest = row?.disabled || (row?.pending_state === undefined && row?.current_state !== "init");
      if (left && row && !(atRest && hits.has("404 of the project"))) {
        throw new Violation(
          "success too early",
          `${op} of ${name} succeeded, and its ${left.action} is ${left.status}`,
        );
      }
    }
  }
}
