// Promises 1 and 2: nothing exists twice, nothing is lost, and nothing happens to a compute that nobody asked for.

import type { EndpointRow } from "../../emulator/index";
import type { Props, Resource } from "../../test/support/lab";
import { adopts, type Court, errorsOf, policyOf, type Report, rowOf, Violation } from "./court";
import { EMPTY, LAG } from "./empty";
import { speaksOf } from "./fields";
import { type Deed, isDone } from "./ledger";
import { askedOf } from "./program";

const namesIn = (report: Report, id: string): string[] =>
  [...report.before].filter(([, one]) => one.id === id && !one.pendingReplacement).map(([name]) => name);

export function judgeIdentity(court: Court, report: Report): void {
  for (const deed of report.deeds) {
    if (!isDone(deed)) continue;
    if (deed.method === "DELETE") judgeDelete(report, deed);
    else if (deed.method === "PATCH") judgePatch(report, deed);
    else if (deed.action) judgeAction(report, deed);
  }
  judgeCreates(court, report);
  judgeState(court, report);
  judgeOrphans(court, report);
}

function judgeDelete(report: Report, { id = "" }: Deed): void {
  const names = namesIn(report, id);
  const wanted = names.find((name) => name in report.program && report.plans[name]?.op !== "replace");
  if (wanted !== undefined && report.command === "up") {
    throw new Violation("deleted unasked", `compute ${id} was deleted, and the program still wants it as ${wanted}`);
  }
  const asked = names.some((name) => {
    if (policyOf(report.before.get(name)!) === "release") return false;
    return report.command === "destroy" || report.plans[name]?.op === "replace" || !(name in report.program);
  });
  if (!asked) throw new Violation("deleted unasked", `compute ${id} was deleted, and no step was to delete it`);
}

/** The arguments under which a compute may be changed. */
function argsFor(report: Report, id: string, before: EndpointRow | undefined): [string, Props] | undefined {
  const isOwner = ([name, one]: [string, Resource]) => {
    if (one.id !== id) return false;
    const op = report.plans[name]?.op;
    // A primary that stays on the service when its resource is replaced is taken over again, also by a later run.
    return (op === "update" && !one.pendingReplacement) || (op === "replace" && report.after.get(name)?.id === id);
  };
  const [owner] = [...report.before].find(isOwner) ?? [];
  if (owner) return [owner, report.program[owner] ?? {}];
  return Object.entries(report.program).find(([name, args]) => {
    const op = report.plans[name]?.op;
    if (op !== "create" && op !== "replace") return false;
    // It was the branch's primary when it was looked for, and somebody has moved it since.
    return adopts(args, id, before) || (args["adopt"] === true && wasPrimary(report, id, before));
  });
}

const wasPrimary = (report: Report, id: string, row: EndpointRow | undefined): boolean =>
  report.touched.has(id) && row?.type === "read_write";

function judgePatch(report: Report, { id = "", body, before }: Deed): void {
  const [name, args] = argsFor(report, id, before) ?? [];
  if (!args || !name) throw new Violation("changed unasked", `compute ${id} was changed, and no step was to change it`);
  const asked = askedOf(args);
  for (const [field, value] of Object.entries(body)) {
    const known = Object.keys(asked).some((name) => name.split(".")[0] === field);
    if (!known) throw new Violation("changed unasked", `${field} of ${id} was sent, which the program does not set`);
    // A request that carries both limits repeats the one that stays.
    if (field !== "settings" && value !== asked[field] && value !== (before as Props | undefined)?.[field]) {
      // What is ignored has the value of the state: whether that may be sent is for the judge of what was shown.
      const { ignoreChanges = [] } = report.options[name] ?? {};
      if (ignoreChanges.some((path) => path === "*" || speaksOf([path], field))) continue;
      throw new Violation("changed otherwise", `${field} of ${id}: ${value} was sent, ${asked[field]} was asked for`);
    }
  }
}

const BROKEN = new Set(["cancelled", "error", "failed"]);

function judgeAction(report: Report, { id = "", action, before }: Deed): void {
  const [, args] = argsFor(report, id, before) ?? [];
  if (!args) throw new Violation("changed unasked", `${action} of ${id}, and no step was to touch it`);
  // One whose own work was cancelled or failed has restarted nothing.
  const restarts = (one: Deed): boolean =>
    one.id === id &&
    one.action === "restart" &&
    isDone(one) &&
    !one.operations.some(({ status }) => BROKEN.has(status));
  const count = report.deeds.filter(restarts).length;
  if (count > 1) throw new Violation("restarted twice", `compute ${id} was restarted ${count} times in one command`);
  if (action === "restart" && args["restartTriggers"] === undefined) {
    throw new Violation("changed unasked", `compute ${id} was restarted, and the program has no restartTriggers`);
  }
}

/** As many computes of each kind as there are steps that make one. */
function judgeCreates(court: Court, report: Report): void {
  const kind = (...parts: unknown[]) => parts.map(String).join(" ");
  const wanted = new Map<string, number>();
  for (const [name, args] of Object.entries(report.program)) {
    const op = report.plans[name]?.op;
    if (op !== "create" && op !== "replace") continue;
    const called = args["name"] ?? report.plans[name]!.inputs["__autoName"];
    const key = kind(args["projectId"], args["branchId"], args["type"], called);
    wanted.set(key, (wanted.get(key) ?? 0) + 1);
  }
  for (const { id, project, body, after, method, action } of report.deeds) {
    if (method !== "POST" || action || !after) continue;
    // One that somebody has meanwhile deleted, or given another name, can't be known again.
    if (report.touched.has(id!)) continue;
    // After a lost answer, a list that lags shows nothing of what was made.
    if (report.hits.has(LAG)) continue;
    const key = kind(project, body["branch_id"], body["type"], body["name"]);
    const left = (wanted.get(key) ?? 0) - 1;
    wanted.set(key, left);
    if (left < 0) throw new Violation("made twice", `compute ${id} (${key}) is one more than the program asked for`);
    judgeLeftover(court, report, id!, body);
  }
}

/** A create that comes after a killed one must stop at what that left. */
function judgeLeftover(court: Court, report: Report, id: string, body: Props): void {
  // Of a list that shows too little, or is behind, nobody can tell what stands there.
  if (["null fields", "missing fields", LAG].some((kind) => report.hits.has(kind))) return;
  for (const [old, why] of court.excused) {
    const row = rowOf(court, old);
    const maker = court.ledger.makers.get(old);
    if (
      (why !== "killed" && why !== "in doubt") ||
      !row ||
      !maker ||
      maker.stack !== report.stack ||
      court.everTouched.has(old) ||
      // A restore of its branch has moved it to another one.
      row.branch_id !== body["branch_id"]
    )
      continue;
    const { body: was } = maker;
    const same = was["name"] === body["name"] && was["type"] === body["type"] && was["branch_id"] === body["branch_id"];
    if (same) throw new Violation("made twice", `${id} was made although a killed run had left ${old}, its like`);
  }
}

function judgeState(court: Court, report: Report): void {
  for (const [name, old] of report.before) {
    const now = report.after.get(name);
    const op = report.plans[name]?.op;
    const deleted = report.command === "destroy" || (report.command === "up" && !(name in report.program));
    if (now?.pendingReplacement && rowOf(court, old.id)) court.excused.set(old.id, "released");
    if (now?.id === old.id || old.pendingReplacement) continue;
    if (now && op !== "replace")
      throw new Violation("taken for another", `${name} was ${old.id} and is ${now.id}, and was not replaced`);
    if (rowOf(court, old.id) && !deleted && op !== "replace") {
      throw new Violation("lost from the state", `${name} (${old.id}) left the state, and its compute exists`);
    }
    const another = [...report.after.values()].some((one) => one.id === old.id && !one.pendingReplacement);
    if (rowOf(court, old.id) && policyOf(old) === "delete" && !another) {
      throw new Violation("lost from the state", `${name} left the state, and its compute ${old.id} was not deleted`);
    }
    if (report.command === "up" && !deleted && !now)
      throw new Violation("lost from the state", `${name} left in an up`);
    court.excused.set(old.id, "released");
  }
  for (const [name, now] of report.after) {
    if (report.before.get(name)?.id === now.id) continue;
    const made = report.deeds.some(({ method, action, id }) => method === "POST" && !action && id === now.id);
    const args = report.program[name] ?? {};
    const row = rowOf(court, now.id);
    // Promised by the service and not there: kept with an error that says so, or a warning that nobody could look. After a
    // Ctrl-C a program that does not wait does not look.
    const isMissed =
      (args["waitForReady"] === false && report.interruptedAt !== undefined) ||
      report.steps.some((step) => step.name === name && step.error?.message.includes(now.id)) ||
      report.warnings.some((line) => line.includes(now.id) && line.includes("reading it afterwards failed"));
    if (isMissed && !row && report.hits.has(EMPTY)) continue;
    if (!made && !adopts(args, now.id, row) && !(args["adopt"] === true && report.touched.has(now.id))) {
      throw new Violation("taken over unasked", `${name} is ${now.id}, which this run has not made`);
    }
    const twice = [...report.after].find(([other, { id }]) => other !== name && id === now.id);
    if (twice && args["adopt"] === undefined) throw new Violation("one compute, two resources", `${name}, ${twice[0]}`);
  }
}

/** Whatever a stack has made is in its state, or in the error that stopped it. */
function judgeOrphans(court: Court, report: Report): void {
  const held = new Set(
    court.labs.flatMap((lab) => [...lab.state.values()].flatMap((one) => (one.pendingReplacement ? [] : [one.id]))),
  );
  const errors = errorsOf(report);
  for (const [id, { stack }] of court.ledger.makers) {
    if (held.has(id)) court.excused.delete(id);
    if (stack !== report.stack || held.has(id) || !rowOf(court, id) || court.excused.has(id)) continue;
    const named = errors.some((text) => text.includes(id));
    // Neither its answer nor a list came through: the next create has to find it.
    const doubt = errors.some((text) => text.includes("Whether a compute was made is not known"));
    if (report.killed) court.excused.set(id, "killed");
    // Its answer was lost, and the list did not have it yet.
    else if (report.hits.has(LAG) && !court.delivered.has(id)) court.excused.set(id, "in doubt");
    else if (report.touched.has(id) && !court.delivered.has(id)) court.excused.set(id, "changed by hand");
    else if (named && !court.delivered.has(id)) court.excused.set(id, "named");
    else if (doubt && !court.delivered.has(id)) court.excused.set(id, "in doubt");
    else if (named) throw new Violation("not kept", `${id} is named by an error, but the state should have kept it`);
    else throw new Violation("silent orphan", `${id} is in no state, and no error names it`);
  }
}
