// In the state, inputs and outputs agree on what the program manages, unless `notTaken` names the difference.

import type { Props, Resource } from "../../support/lab";
import { requestedFields } from "../program";
import { isNotTaken, notTakenIn } from "./announced";
import { coversField, fieldsIn, pathsOf, sameValue } from "./fields";
import { type Judge, type Report, rowOf, Violation } from "./judge";

export function judgeState(judge: Judge, report: Report): void {
  if (report.command !== "up" && report.command !== "refresh") return;
  for (const [name, resource] of report.after) {
    if (resource.pendingReplacement || resource.initErrors.length > 0 || resource.outputs["unfinished"]) continue;
    judgeResource(name, resource);
    judgeRecord(judge, report, name, resource);
    judgeTaken(judge, report, name, resource);
  }
}

function judgeResource(name: string, resource: Resource): void {
  const { id, inputs, outputs } = resource;
  const [asked, has] = [requestedFields(inputs), requestedFields(withSizeAsLimits(outputs))];
  for (const [field, value] of Object.entries(asked)) {
    if (field === "type" || isNotTaken(outputs, field) || sameValue(field, has[field], value)) continue;
    throw new Violation(
      "inputs and outputs disagree",
      `the state of ${name} (${id}) says ${JSON.stringify(value)} of ${field} in its inputs and ${JSON.stringify(has[field])} in its outputs`,
    );
  }
}

/** `notTaken` names only what was sent, and agrees with the compute. */
function judgeRecord(judge: Judge, report: Report, name: string, { id, outputs }: Resource): void {
  const noted = notTakenIn(outputs);
  const known = notTakenIn(report.before.get(name)?.outputs ?? {});
  // A fault may answer in the service's place, so the request never arrives. What the provider sent counts too.
  const bodies = [
    ...report.changeRequests
      .filter((changeRequest) => changeRequest.id === id && !changeRequest.action)
      .map(({ body }) => body),
    ...report.sent
      .filter(({ line, body }) => line.endsWith(`/endpoints/${id}`) && body !== "")
      .map(({ body }) => (JSON.parse(body) as { endpoint: Props }).endpoint),
  ];
  const sent = bodies.flatMap((body) => Object.keys(fieldsIn(body)));
  const row = rowOf(judge, id);
  const isMine = row && !judge.sawIncompleteAnswer && !report.changedByHand.has(id) && !report.both;
  const [has, is] = [requestedFields(withSizeAsLimits(outputs)), isMine ? fieldsIn(row) : {}];
  for (const path of noted) {
    if (known.includes(path)) continue;
    const other = Object.keys({ ...has, ...is }).find(
      (field) => isMine && coversField([path], field) && !sameValue(field, has[field], is[field]),
    );
    if (other) {
      throw new Violation(
        "inputs and outputs disagree",
        `the state of ${name} (${id}) says that the service did not apply ${path}, and that the compute has ${JSON.stringify(has[other])}; it has ${JSON.stringify(is[other])}`,
      );
    }
    if (sent.some((field) => coversField([path], field))) continue;
    throw new Violation(
      "notTaken names what was never sent",
      `the state of ${name} (${id}) says that the service did not apply ${path}, which was never sent`,
    );
  }
}

/** After an update that succeeded the compute has the change, or the state says that the service ignored it. */
function judgeTaken({ emulator, ...judge }: Judge, report: Report, name: string, resource: Resource): void {
  const shown = report.previewed?.shown[name];
  const step = report.steps.find((one) => one.name === name);
  const row = rowOf({ emulator, ...judge }, resource.id);
  if (
    !shown ||
    !step ||
    step.error ||
    step.to === undefined ||
    step.op !== "update" ||
    !row ||
    report.changedByHand.has(resource.id)
  )
    return;
  // The inputs as the engine registers them: they have the old value of an ignored property.
  const [asked, is] = [requestedFields(report.plans[name]?.inputs ?? {}), fieldsIn(row)];
  for (const [field, value] of Object.entries(asked)) {
    if (pathsOf(field).length === 0 || !coversField(shown.differs, field)) continue;
    if (sameValue(field, is[field], value) || isNotTaken(resource.outputs, field)) continue;
    // A warning tells it, and a refresh shows it.
    const isWarned = report.warnings.some(
      (line) =>
        pathsOf(field).some((path) => line.includes(path)) ||
        (line.includes(resource.id) && line.includes("reading it afterwards failed")),
    );
    if (isWarned) continue;
    throw new Violation(
      "success without the change",
      `${field} of ${name} (${resource.id}) is ${JSON.stringify(is[field])} after an update to ${JSON.stringify(value)} that succeeded`,
    );
  }
}

/** The outputs without `size`: a state also has the two limits, and those are compared. */
function withSizeAsLimits({ size, ...outputs }: Props): Props {
  const { autoscalingLimitMinCu = size, autoscalingLimitMaxCu = size } = outputs;
  return { ...outputs, autoscalingLimitMinCu, autoscalingLimitMaxCu };
}
