// A preview does not say "no" to a dropped connection, and a step that succeeds has finished its work.

import { INCOMPLETE_ANSWERS } from "../faults/kinds";
import { dropOf, isCarriedOut } from "../history";
import { type Judge, type Report, Violation } from "./judge";

export function judgeSuccess(judge: Judge, report: Report): void {
  if (report.command === "preview" || report.command === "refresh") {
    const [changeRequest] = report.changeRequests;
    if (changeRequest)
      throw new Violation("changed unasked", `${changeRequest.method} ${changeRequest.id} in a ${report.command}`);
    return;
  }
  judgeMarker(report);
  if (report.command === "up" && !report.killed) judgeFinishedWork(judge, report);
}

function judgeMarker({ changeRequests, plans, program, before, changedByHand }: Report): void {
  for (const changeRequest of changeRequests) {
    const drop = dropOf(changeRequest);
    const { id } = changeRequest;
    if (!drop || !id || changedByHand.has(id)) continue;
    const [name] =
      [...before].find(([, one]) => one.id === id) ??
      Object.entries(program).find(
        ([one, { adopt }]) => adopt === id || (adopt === true && plans[one]?.op === "create"),
      ) ??
      [];
    const plan = name === undefined ? undefined : plans[name];
    if (!plan || name === undefined) continue;
    const quiet = plan.marker === "no" && plan.notice === "none";
    if (quiet)
      throw new Violation("the preview is wrong", `${name} (${id}) was ${drop}, and the preview said "no" to it`);
    if (plan.op === "replace" && !plan.marker.startsWith("yes")) {
      throw new Violation("the preview is wrong", `${name} was replaced, and the preview said ${plan.marker}`);
    }
  }
}

const ENDED_WELL = new Set(["finished", "skipped"]);

function judgeFinishedWork(judge: Judge, { steps, program, plans, changeRequests, hits, after }: Report): void {
  if ([...INCOMPLETE_ANSWERS].some((kind) => hits.has(kind))) return;
  for (const { name, op, error, from } of steps) {
    const args = program[name];
    const resource = after.get(name);
    // The inputs as the engine registers them: an ignored property keeps its old value.
    const isWaitedFor = (plans[name]?.inputs ?? args)?.["waitForReady"] !== false;
    if (error || !args || !resource || !isWaitedFor || op === "same" || op === "delete") continue;
    const mine = changeRequests.filter(
      (changeRequest) => changeRequest.id === resource.id && changeRequest.at >= from && isCarriedOut(changeRequest),
    );
    // If a request was sent again after a lost answer, the last one counts.
    const last = new Map(
      mine.map((changeRequest) => [`${changeRequest.method} ${changeRequest.action}`, changeRequest]),
    );
    for (const changeRequest of last.values()) {
      const left = changeRequest.operations.find(({ status }) => !ENDED_WELL.has(status));
      // A compute that was deleted meanwhile has no operations.
      const row = judge.emulator.world.endpoints[resource.id];
      // If the service hides the operation, the provider can only see that the compute is at rest.
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
