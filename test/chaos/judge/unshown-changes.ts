// A property that the preview shows as unchanged keeps its value: each changed value was shown.

import type { Props } from "../../support/lab";
import { type ChangeRequest, isCarriedOut } from "../history";
import { requestedFields } from "../program";
import { isNotTaken, resourceBehind, wasAnnounced } from "./announced";
import { changedBetween, coversField, fieldsIn, sameValue } from "./fields";
import { type Judge, type Report, Violation } from "./judge";

export function judgeUnshownChanges(judge: Judge, report: Report): void {
  if (report.command !== "up" || !report.previewed) return;
  for (const changeRequest of report.changeRequests) {
    if (changeRequest.method === "PATCH" && changeRequest.before && !report.changedByHand.has(changeRequest.id!))
      judgeUnshownPatch(judge, report, changeRequest);
  }
}

function judgeUnshownPatch(judge: Judge, report: Report, changeRequest: ChangeRequest): void {
  const name = resourceBehind(report, changeRequest);
  const shown = name === undefined ? undefined : report.previewed!.shown[name];
  if (name === undefined || !shown) return;
  const { before, after, body, id } = changeRequest;
  const [was, sent, is] = [fieldsIn(before!), fieldsIn(body), fieldsIn(after ?? before!)];
  const other = Object.keys(sent).filter((field) => !sameValue(field, sent[field], was[field]));
  const changed = isCarriedOut(changeRequest) && after ? changedBetween(before!, after) : [];
  const asked = requestedFields(report.program[name] ?? {});
  for (const field of new Set([...other, ...changed])) {
    // For an adoption or a replacement, the preview shows all arguments.
    const isShown = shown.op === "update" ? coversField(shown.differs, field) : field in asked;
    const value = field in sent ? sent[field] : is[field];
    // `compute:askAgain` asks for it, and the provider logs that.
    const isAskedAgain =
      judge.labs[report.stack]!.options.config?.askAgain && isNotTaken(report.before.get(name)?.outputs ?? {}, field);
    if (isShown || isAskedAgain || wasAnnounced(judge.announced.get(id!), field, value)) continue;
    const how = field in sent ? `${JSON.stringify(value)} was sent` : `it went with what was sent`;
    throw new Violation(
      kindOf(field, shown.differs, report.before.get(name)?.outputs),
      `${field} of ${name} (${id}) was ${JSON.stringify(was[field])}, ${how}, and the preview showed only ${shown.differs.join(", ") || "nothing"} (${shown.op}, "${shown.text}")`,
    );
  }
}

/** One kind for each part of the code that could be wrong. */
function kindOf(field: string, differs: readonly string[], outputs: Props = {}): string {
  if (isNotTaken(outputs, field)) return "asked again and not shown";
  if (field.includes("_limit_") && differs.some((path) => /^size|^autoscaling/.test(path))) {
    return "the other limit was not kept";
  }
  if (field.startsWith("settings.") && differs.some((path) => path.startsWith("settings"))) {
    return "the rest of settings was not kept";
  }
  return "sent and not shown";
}
