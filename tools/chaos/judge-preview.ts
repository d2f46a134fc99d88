// A preview tells the truth, by each of its readers: the marker, the warning, the report and its exit code, the policies.

import { atLeast, type Impact } from "../../provider/rules/restart";
import { type Court, isRunning, type Report, rowOf, Violation } from "./court";
import { fieldsIn, sameValue } from "./fields";
import { type Deed, drops, isDone } from "./ledger";
import { askedOf } from "./program";
import type { Shown } from "./readers";
import { announcedEarlier, notedIn, subjectOf } from "./shown";

/** What each way to drop connections is called by those who tell of it. */
const NEEDED: Record<string, Impact> = {
  deleted: "delete",
  disabled: "stop",
  suspend: "stop",
  restart: "restart",
  resized: "restart",
  "moved to another branch": "restart",
  "given other pg_settings": "may-restart",
};

export function judgePreview(court: Court, report: Report): void {
  if (report.command !== "up" || !report.previewed) return;
  for (const deed of report.deeds) {
    const drop = drops(deed);
    if (drop && isDone(deed) && !report.touched.has(deed.id!)) judgeDrop(court, report, deed, drop);
  }
  for (const [name, shown] of Object.entries(report.previewed.shown)) judgeAnnounced(court, report, name, shown);
}

function judgeDrop(court: Court, report: Report, deed: Deed, drop: string): void {
  const name = subjectOf(report, deed);
  const shown = name === undefined ? undefined : report.previewed!.shown[name];
  if (name === undefined || !shown) return;
  const args = report.program[name];
  const need = NEEDED[drop]!;
  if (announcedEarlier(court, report, name, deed)) return;
  const lied = (reader: string, said: string) =>
    new Violation(
      `the ${reader} lied`,
      `${name} (${deed.id}) was ${drop}, and the ${reader} of the preview said ${said}; its step was ${shown.op}, its marker "${shown.text}"`,
    );
  const told = (impact: Impact | undefined) => impact !== undefined && atLeast(impact, "may-restart");
  if (!told(shown.finding?.impact)) throw lied("report", shown.finding?.impact ?? "nothing");
  const perhaps = shown.finding!.impact === "may-restart";
  if (atLeast(need, "restart") && !perhaps && report.previewed!.exitCode !== 3) {
    throw lied("report's exit code", String(report.previewed!.exitCode));
  }
  // A deletion has no marker, no hook and no policy.
  if (shown.op === "delete") return;
  if (!told(shown.marker)) throw lied("marker", shown.marker);
  if (!told(shown.policy)) throw lied("policy", shown.policy);
  if (shown.op === "update" && args?.["onRestart"] !== "allow" && !told(shown.warning))
    throw lied("warning", shown.warning);
  if (atLeast(need, "restart") && args?.["onRestart"] === "refuse") {
    throw new Violation("refused and done", `${name} (${deed.id}) was ${drop} under onRestart "refuse"`);
  }
}

/** A restart or a stop that is announced for certain happens, but for an idle or drifted compute and a resumed step. */
function judgeAnnounced(court: Court, report: Report, name: string, shown: Shown): void {
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
  if (!atLeast(shown.marker, "restart") || old.initErrors.length > 0 || old.outputs["unfinished"]) return;
  if (hits.size > 0 || report.touched.has(old.id) || court.ignoredFields.length > 0) return;
  const first = report.deeds.find(({ id }) => id === old.id);
  const was = first?.before ?? rowOf(court, old.id);
  if (!was || !isRunning(was) || (!first && !report.running.has(old.id))) return;
  if (court.pending.has(old.id) || driftedFrom(old.inputs, was)) return;
  // The service accepted the change and did not take it: a warning says so.
  if (notedIn(after.get(name)!.outputs).length > 0) return;
  const dropped = report.deeds.some((deed) => deed.id === old.id && isDone(deed) && drops(deed));
  if (dropped) return;
  const sent = report.deeds
    .filter(({ id }) => id === old.id)
    .map(({ method, body }) => `${method} ${JSON.stringify(body)}`);
  throw new Violation(
    "announced and not done",
    `"${shown.text}" was said of ${name} (${old.id}), and nothing of that happened: ${sent.join(", ") || "nothing was sent"} for ${JSON.stringify(program[name])}`,
  );
}

/** Whether a compute has something else than the program asked before. */
function driftedFrom(inputs: Record<string, unknown>, row: Parameters<typeof fieldsIn>[0]): boolean {
  const has = fieldsIn(row);
  return Object.entries(askedOf(inputs)).some(([field, value]) => field in has && !sameValue(field, has[field], value));
}
