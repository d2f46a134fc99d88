// What the preview calls unchanged keeps its value: each value that is sent and differs from the live one was shown.

import type { Props } from "../../test/support/lab";
import { type Court, type Report, Violation } from "./court";
import { changedBetween, fieldsIn, sameValue, speaksOf } from "./fields";
import { type Deed, isDone } from "./ledger";
import { askedOf } from "./program";
import { isNoted, subjectOf, wasAnnounced } from "./shown";

export function judgeKept(court: Court, report: Report): void {
  if (report.command !== "up" || !report.previewed) return;
  for (const deed of report.deeds) {
    if (deed.method === "PATCH" && deed.before && !report.touched.has(deed.id!)) judgePatch(court, report, deed);
  }
}

function judgePatch(court: Court, report: Report, deed: Deed): void {
  const name = subjectOf(report, deed);
  const shown = name === undefined ? undefined : report.previewed!.shown[name];
  if (name === undefined || !shown) return;
  const { before, after, body, id } = deed;
  const [was, sent, is] = [fieldsIn(before!), fieldsIn(body), fieldsIn(after ?? before!)];
  const other = Object.keys(sent).filter((field) => !sameValue(field, sent[field], was[field]));
  const changed = isDone(deed) && after ? changedBetween(before!, after) : [];
  const asked = askedOf(report.program[name] ?? {});
  for (const field of new Set([...other, ...changed])) {
    // A compute that is adopted or made anew is shown with all that the program says.
    const isShown = shown.op === "update" ? speaksOf(shown.differs, field) : field in asked;
    const value = field in sent ? sent[field] : is[field];
    // The config asks for it, and a line at the resource says so.
    const isAskedAgain =
      court.labs[report.stack]!.options.config?.askAgain && isNoted(report.before.get(name)?.outputs ?? {}, field);
    if (isShown || isAskedAgain || wasAnnounced(court.pending.get(id!), field, value)) continue;
    const how = field in sent ? `${JSON.stringify(value)} was sent` : `it went with what was sent`;
    throw new Violation(
      kindOf(field, shown.differs, report.before.get(name)?.outputs),
      `${field} of ${name} (${id}) was ${JSON.stringify(was[field])}, ${how}, and the preview showed only ${shown.differs.join(", ") || "nothing"} (${shown.op}, "${shown.text}")`,
    );
  }
}

/** Kinds that are mended in different places. */
function kindOf(field: string, differs: readonly string[], outputs: Props = {}): string {
  if (isNoted(outputs, field)) return "asked again and not shown";
  if (field.includes("_limit_") && differs.some((path) => /^size|^autoscaling/.test(path))) {
    return "the other limit was not kept";
  }
  if (field.startsWith("settings.") && differs.some((path) => path.startsWith("settings"))) {
    return "the rest of settings was not kept";
  }
  return "sent and not shown";
}
