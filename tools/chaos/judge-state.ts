// The state is one truth: inputs and outputs say the same of what the program manages, unless a record says why not.

import type { Props, Resource } from "../../test/support/lab";
import { type Court, type Report, rowOf, Violation } from "./court";
import { fieldsIn, pathsOf, sameValue, speaksOf } from "./fields";
import { askedOf } from "./program";
import { isNoted, notedIn } from "./shown";

export function judgeState(court: Court, report: Report): void {
  if (report.command !== "up" && report.command !== "refresh") return;
  for (const [name, resource] of report.after) {
    if (resource.pendingReplacement || resource.initErrors.length > 0 || resource.outputs["unfinished"]) continue;
    judgeResource(name, resource);
    judgeRecord(court, report, name, resource);
    judgeTaken(court, report, name, resource);
  }
}

function judgeResource(name: string, resource: Resource): void {
  const { id, inputs, outputs } = resource;
  const [asked, has] = [askedOf(inputs), askedOf(withoutForm(outputs))];
  for (const [field, value] of Object.entries(asked)) {
    if (field === "type" || isNoted(outputs, field) || sameValue(field, has[field], value)) continue;
    throw new Violation(
      "two truths",
      `the state of ${name} (${id}) says ${JSON.stringify(value)} of ${field} in its inputs and ${JSON.stringify(has[field])} in its outputs`,
    );
  }
}

/** The record of what the service did not take names only what it was asked, and agrees with the compute. */
function judgeRecord(court: Court, report: Report, name: string, { id, outputs }: Resource): void {
  const noted = notedIn(outputs);
  const known = notedIn(report.before.get(name)?.outputs ?? {});
  // A request that was answered without the work never reached the service: what the provider sent counts as well as what
  // arrived.
  const bodies = [
    ...report.deeds.filter((deed) => deed.id === id && !deed.action).map(({ body }) => body),
    ...report.sent
      .filter(({ line, body }) => line.endsWith(`/endpoints/${id}`) && body !== "")
      .map(({ body }) => (JSON.parse(body) as { endpoint: Props }).endpoint),
  ];
  const sent = bodies.flatMap((body) => Object.keys(fieldsIn(body)));
  const row = rowOf(court, id);
  const isMine = row && !court.lied && !report.touched.has(id) && !report.both;
  const [has, is] = [askedOf(withoutForm(outputs)), isMine ? fieldsIn(row) : {}];
  for (const path of noted) {
    if (known.includes(path)) continue;
    const other = Object.keys({ ...has, ...is }).find(
      (field) => isMine && speaksOf([path], field) && !sameValue(field, has[field], is[field]),
    );
    if (other) {
      throw new Violation(
        "two truths",
        `the state of ${name} (${id}) says that the service did not take ${path}, and that the compute has ${JSON.stringify(has[other])}; it has ${JSON.stringify(is[other])}`,
      );
    }
    if (sent.some((field) => speaksOf([path], field))) continue;
    throw new Violation(
      "a record of what was never asked",
      `the state of ${name} (${id}) says that the service did not take ${path}, which was never sent`,
    );
  }
}

/** A change that succeeded is there, or the state says that the service did not take it. */
function judgeTaken({ emulator, ...court }: Court, report: Report, name: string, resource: Resource): void {
  const shown = report.previewed?.shown[name];
  const step = report.steps.find((one) => one.name === name);
  const row = rowOf({ emulator, ...court }, resource.id);
  if (
    !shown ||
    !step ||
    step.error ||
    step.to === undefined ||
    step.op !== "update" ||
    !row ||
    report.touched.has(resource.id)
  )
    return;
  // As the engine registers it: what is ignored is not asked for.
  const [asked, is] = [askedOf(report.plans[name]?.inputs ?? {}), fieldsIn(row)];
  for (const [field, value] of Object.entries(asked)) {
    if (pathsOf(field).length === 0 || !speaksOf(shown.differs, field)) continue;
    if (sameValue(field, is[field], value) || isNoted(resource.outputs, field)) continue;
    // An answer that lied, or somebody else: a warning says so, and a refresh shows it.
    const isWarned = report.warnings.some(
      (line) =>
        pathsOf(field).some((path) => line.includes(path)) ||
        (line.includes(resource.id) && line.includes("reading it afterwards failed")),
    );
    if (isWarned) continue;
    throw new Violation(
      "success without the work",
      `${field} of ${name} (${resource.id}) is ${JSON.stringify(is[field])} after an update to ${JSON.stringify(value)} that succeeded`,
    );
  }
}

/** The outputs have both forms of a size. */
function withoutForm({ size, ...outputs }: Props): Props {
  const { autoscalingLimitMinCu = size, autoscalingLimitMaxCu = size } = outputs;
  return { ...outputs, autoscalingLimitMinCu, autoscalingLimitMaxCu };
}
