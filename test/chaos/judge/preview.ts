// Every reader of a preview was told about each dropped connection: marker, warning, report and exit code, policies.

import { type Impact, isAtLeast } from "../../../provider/rules/impact";
import { type ChangeRequest, dropOf, isCarriedOut } from "../history";
import type { ResourcePreview } from "../preview-readers";
import { requestedFields } from "../program";
import { announcedEarlier, notTakenIn, resourceBehind } from "./announced";
import { fieldsIn, sameValue } from "./fields";
import { isRunning, type Judge, type Report, rowOf, Violation } from "./judge";

/** The impact that each way to drop connections must have in the preview. */
const IMPACT_OF_DROP: Record<string, Impact> = {
  deleted: "delete",
  disabled: "stop",
  suspend: "stop",
  restart: "restart",
  resized: "restart",
  "moved to another branch": "restart",
  "given other pg_settings": "may-restart",
};

export function judgePreview(judge: Judge, report: Report): void {
  if (report.command !== "up" || !report.previewed) return;
  for (const changeRequest of report.changeRequests) {
    const drop = dropOf(changeRequest);
    if (drop && isCarriedOut(changeRequest) && !report.changedByHand.has(changeRequest.id!))
      judgeDrop(judge, report, changeRequest, drop);
  }
  for (const [name, shown] of Object.entries(report.previewed.shown)) judgeAnnounced(judge, report, name, shown);
}

function judgeDrop(judge: Judge, report: Report, changeRequest: ChangeRequest, drop: string): void {
  const name = resourceBehind(report, changeRequest);
  const shown = name === undefined ? undefined : report.previewed!.shown[name];
  if (name === undefined || !shown) return;
  const args = report.program[name];
  const need = IMPACT_OF_DROP[drop]!;
  if (announcedEarlier(judge, report, name, changeRequest)) return;
  const wrongReader = (reader: string, said: string) =>
    new Violation(
      `the ${reader} is wrong`,
      `${name} (${changeRequest.id}) was ${drop}, and the ${reader} of the preview said ${said}; its step was ${shown.op}, its marker "${shown.text}"`,
    );
  const told = (impact: Impact | undefined) => impact !== undefined && isAtLeast(impact, "may-restart");
  if (!told(shown.finding?.impact)) throw wrongReader("report", shown.finding?.impact ?? "nothing");
  const perhaps = shown.finding!.impact === "may-restart";
  if (isAtLeast(need, "restart") && !perhaps && ![2, 3].includes(report.previewed!.exitCode)) {
    throw wrongReader("report's exit code", String(report.previewed!.exitCode));
  }
  // A delete has no marker, hook or policy.
  if (shown.op === "delete") return;
  if (!told(shown.marker)) throw wrongReader("marker", shown.marker);
  if (!told(shown.policy)) throw wrongReader("policy", shown.policy);
  if (shown.op === "update" && args?.["onRestart"] !== "allow" && !told(shown.warning))
    throw wrongReader("warning", shown.warning);
  if (isAtLeast(need, "restart") && args?.["onRestart"] === "refuse") {
    throw new Violation("done although refused", `${name} (${changeRequest.id}) was ${drop} under onRestart "refuse"`);
  }
}

/** A restart or stop that was announced as certain happens, unless the compute is idle, has drifted, or the step was resumed. */
function judgeAnnounced(judge: Judge, report: Report, name: string, shown: ResourcePreview): void {
  const { before, after, steps, program, hits } = report;
  const old = before.get(name);
  const step = steps.find((one) => one.name === name && one.op === "update");
  if (
    shown.op !== "update" ||
    !old ||
    !step ||
    step.error ||
    step.to === undefined ||
    report.killed ||
    after.get(name)?.id !== old.id
  )
    return;
  if (!isAtLeast(shown.marker, "restart") || old.initErrors.length > 0 || old.outputs["unfinished"]) return;
  if (hits.size > 0 || report.changedByHand.has(old.id) || judge.ignoredFields.length > 0) return;
  const first = report.changeRequests.find(({ id }) => id === old.id);
  const was = first?.before ?? rowOf(judge, old.id);
  if (!was || !isRunning(was) || (!first && !report.running.has(old.id))) return;
  if (judge.announced.has(old.id) || driftedFrom(old.inputs, was)) return;
  // The service ignored the change, and a warning says so.
  if (notTakenIn(after.get(name)!.outputs).length > 0) return;
  const dropped = report.changeRequests.some(
    (changeRequest) => changeRequest.id === old.id && isCarriedOut(changeRequest) && dropOf(changeRequest),
  );
  if (dropped) return;
  const sent = report.changeRequests
    .filter(({ id }) => id === old.id)
    .map(({ method, body }) => `${method} ${JSON.stringify(body)}`);
  throw new Violation(
    "announced and not done",
    `"${shown.text}" was said of ${name} (${old.id}), and nothing of that happened: ${sent.join(", ") || "nothing was sent"} for ${JSON.stringify(program[name])}`,
  );
}

/** Whether the compute differs from the inputs in the state. */
function driftedFrom(inputs: Record<string, unknown>, row: Parameters<typeof fieldsIn>[0]): boolean {
  const has = fieldsIn(row);
  return Object.entries(requestedFields(inputs)).some(
    ([field, value]) => field in has && !sameValue(field, has[field], value),
  );
}
