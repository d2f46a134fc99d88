// Promises 1 and 2: no compute is created twice or lost, and no compute is changed unless the program asks for it.

import type { EndpointRow } from "../../../emulator/index";
import type { Props, Resource } from "../../support/lab";
import { LAGGING_LIST, SUCCESS_WITHOUT_WORK } from "../faults/misleading";
import { type ChangeRequest, isCarriedOut } from "../history";
import { requestedFields } from "../program";
import { coversField } from "./fields";
import { adopts, errorsOf, type Judge, onDeleteOf, type Report, rowOf, Violation } from "./judge";

const namesIn = (report: Report, id: string): string[] =>
  [...report.before].filter(([, one]) => one.id === id && !one.pendingReplacement).map(([name]) => name);

export function judgeIdentity(judge: Judge, report: Report): void {
  for (const changeRequest of report.changeRequests) {
    if (!isCarriedOut(changeRequest)) continue;
    if (changeRequest.method === "DELETE") judgeDelete(report, changeRequest);
    else if (changeRequest.method === "PATCH") judgePatch(report, changeRequest);
    else if (changeRequest.action) judgeAction(report, changeRequest);
  }
  judgeCreates(judge, report);
  judgeStateChanges(judge, report);
  judgeOrphans(judge, report);
}

function judgeDelete(report: Report, { id = "" }: ChangeRequest): void {
  const names = namesIn(report, id);
  const wanted = names.find((name) => name in report.program && report.plans[name]?.op !== "replace");
  if (wanted !== undefined && report.command === "up") {
    throw new Violation("deleted unasked", `compute ${id} was deleted, and the program still wants it as ${wanted}`);
  }
  const asked = names.some((name) => {
    if (onDeleteOf(report.before.get(name)!) === "release") return false;
    return report.command === "destroy" || report.plans[name]?.op === "replace" || !(name in report.program);
  });
  if (!asked) throw new Violation("deleted unasked", `compute ${id} was deleted, and no step was to delete it`);
}

/** The resource whose step may change the compute, with its arguments. */
function argsFor(report: Report, id: string, before: EndpointRow | undefined): [string, Props] | undefined {
  const isOwner = ([name, one]: [string, Resource]) => {
    if (one.id !== id) return false;
    const op = report.plans[name]?.op;
    // When a primary's resource is replaced, the compute may stay on the service. The new resource adopts it, also in a later run.
    return (op === "update" && !one.pendingReplacement) || (op === "replace" && report.after.get(name)?.id === id);
  };
  const [owner] = [...report.before].find(isOwner) ?? [];
  if (owner) return [owner, report.program[owner] ?? {}];
  return Object.entries(report.program).find(([name, args]) => {
    const op = report.plans[name]?.op;
    if (op !== "create" && op !== "replace") return false;
    // The provider found it as the branch's primary, and then somebody moved it.
    return adopts(args, id, before) || (args["adopt"] === true && wasPrimary(report, id, before));
  });
}

const wasPrimary = (report: Report, id: string, row: EndpointRow | undefined): boolean =>
  report.changedByHand.has(id) && row?.type === "read_write";

function judgePatch(report: Report, { id = "", body, before }: ChangeRequest): void {
  const [name, args] = argsFor(report, id, before) ?? [];
  if (!args || !name) throw new Violation("changed unasked", `compute ${id} was changed, and no step was to change it`);
  const asked = requestedFields(args);
  for (const [field, value] of Object.entries(body)) {
    const known = Object.keys(asked).some((name) => name.split(".")[0] === field);
    if (!known) throw new Violation("changed unasked", `${field} of ${id} was sent, which the program does not set`);
    // The API takes both limits together, so a request repeats the one that stays.
    if (field !== "settings" && value !== asked[field] && value !== (before as Props | undefined)?.[field]) {
      // An ignored property has the state's value. `judgeUnshownChanges` decides whether that may be sent.
      const { ignoreChanges = [] } = report.options[name] ?? {};
      if (ignoreChanges.some((path) => path === "*" || coversField([path], field))) continue;
      throw new Violation(
        "changed to another value",
        `${field} of ${id}: ${value} was sent, ${asked[field]} was asked for`,
      );
    }
  }
}

const BROKEN = new Set(["cancelled", "error", "failed"]);

function judgeAction(report: Report, { id = "", action, before }: ChangeRequest): void {
  const [, args] = argsFor(report, id, before) ?? [];
  if (!args) throw new Violation("changed unasked", `${action} of ${id}, and no step was to touch it`);
  // A restart whose operation failed or was cancelled has restarted nothing.
  const restarts = (one: ChangeRequest): boolean =>
    one.id === id &&
    one.action === "restart" &&
    isCarriedOut(one) &&
    !one.operations.some(({ status }) => BROKEN.has(status));
  const count = report.changeRequests.filter(restarts).length;
  if (count > 1) throw new Violation("restarted twice", `compute ${id} was restarted ${count} times in one command`);
  if (action === "restart" && args["restartTriggers"] === undefined) {
    throw new Violation("changed unasked", `compute ${id} was restarted, and the program has no restartTriggers`);
  }
}

/** A run creates at most as many computes of each kind as it has steps that create one. */
function judgeCreates(judge: Judge, report: Report): void {
  const kind = (...parts: unknown[]) => parts.map(String).join(" ");
  const wanted = new Map<string, number>();
  for (const [name, args] of Object.entries(report.program)) {
    const op = report.plans[name]?.op;
    if (op !== "create" && op !== "replace") continue;
    const called = args["name"] ?? report.plans[name]!.inputs["__autoName"];
    const key = kind(args["projectId"], args["branchId"], args["type"], called);
    wanted.set(key, (wanted.get(key) ?? 0) + 1);
  }
  for (const { id, project, body, after, method, action } of report.changeRequests) {
    if (method !== "POST" || action || !after) continue;
    // The provider can't recognize a compute that somebody deleted or renamed meanwhile.
    if (report.changedByHand.has(id!)) continue;
    // After a lost answer, a list that lags does not show the new compute.
    if (report.hits.has(LAGGING_LIST)) continue;
    const key = kind(project, body["branch_id"], body["type"], body["name"]);
    const left = (wanted.get(key) ?? 0) - 1;
    wanted.set(key, left);
    if (left < 0) throw new Violation("created twice", `compute ${id} (${key}) is one more than the program asked for`);
    judgeLeftover(judge, report, id!, body);
  }
}

/** After a killed create, the next create must stop at the compute that was left. */
function judgeLeftover(judge: Judge, report: Report, id: string, body: Props): void {
  // A list that lags or lacks fields does not tell what exists.
  if (["null fields", "missing fields", LAGGING_LIST].some((kind) => report.hits.has(kind))) return;
  for (const [old, why] of judge.excusedOrphans) {
    const row = rowOf(judge, old);
    const maker = judge.history.makers.get(old);
    if (
      (why !== "killed" && why !== "in doubt") ||
      !row ||
      !maker ||
      maker.stack !== report.stack ||
      judge.everChangedByHand.has(old) ||
      // A restore of its branch moved the compute.
      row.branch_id !== body["branch_id"]
    )
      continue;
    const { body: was } = maker;
    const same = was["name"] === body["name"] && was["type"] === body["type"] && was["branch_id"] === body["branch_id"];
    if (same) throw new Violation("created twice", `${id} was made although a killed run had left ${old}, its like`);
  }
}

function judgeStateChanges(judge: Judge, report: Report): void {
  for (const [name, old] of report.before) {
    const now = report.after.get(name);
    const op = report.plans[name]?.op;
    const deleted = report.command === "destroy" || (report.command === "up" && !(name in report.program));
    if (now?.pendingReplacement && rowOf(judge, old.id)) judge.excusedOrphans.set(old.id, "released");
    if (now?.id === old.id || old.pendingReplacement) continue;
    if (now && op !== "replace")
      throw new Violation("another compute", `${name} was ${old.id} and is ${now.id}, and was not replaced`);
    if (rowOf(judge, old.id) && !deleted && op !== "replace") {
      throw new Violation("lost from the state", `${name} (${old.id}) left the state, and its compute exists`);
    }
    const another = [...report.after.values()].some((one) => one.id === old.id && !one.pendingReplacement);
    if (rowOf(judge, old.id) && onDeleteOf(old) === "delete" && !another) {
      throw new Violation("lost from the state", `${name} left the state, and its compute ${old.id} was not deleted`);
    }
    if (report.command === "up" && !deleted && !now)
      throw new Violation("lost from the state", `${name} left in an up`);
    judge.excusedOrphans.set(old.id, "released");
  }
  for (const [name, now] of report.after) {
    if (report.before.get(name)?.id === now.id) continue;
    const made = report.changeRequests.some(({ method, action, id }) => method === "POST" && !action && id === now.id);
    const args = report.program[name] ?? {};
    const row = rowOf(judge, now.id);
    // The service answered a create with success and made no compute. The provider keeps the id, with an error that
    // names it or with a warning that the read failed. After a Ctrl-C with `waitForReady: false` it reads nothing, so
    // it says nothing.
    const isMissed =
      (args["waitForReady"] === false && report.interruptedAt !== undefined) ||
      report.steps.some((step) => step.name === name && step.error?.message.includes(now.id)) ||
      report.warnings.some((line) => line.includes(now.id) && line.includes("reading it afterwards failed"));
    if (isMissed && !row && report.hits.has(SUCCESS_WITHOUT_WORK)) continue;
    if (!made && !adopts(args, now.id, row) && !(args["adopt"] === true && report.changedByHand.has(now.id))) {
      throw new Violation("adopted unasked", `${name} is ${now.id}, which this run has not made`);
    }
    const twice = [...report.after].find(([other, { id }]) => other !== name && id === now.id);
    if (twice && args["adopt"] === undefined) throw new Violation("one compute, two resources", `${name}, ${twice[0]}`);
  }
}

/** Each compute that a stack created is in its state, or in the error of the step. */
function judgeOrphans(judge: Judge, report: Report): void {
  const held = new Set(
    judge.labs.flatMap((lab) => [...lab.state.values()].flatMap((one) => (one.pendingReplacement ? [] : [one.id]))),
  );
  const errors = errorsOf(report);
  for (const [id, { stack }] of judge.history.makers) {
    if (held.has(id)) judge.excusedOrphans.delete(id);
    if (stack !== report.stack || held.has(id) || !rowOf(judge, id) || judge.excusedOrphans.has(id)) continue;
    const named = errors.some((text) => text.includes(id));
    // Neither the answer nor a list arrived: the next create must find the compute.
    const doubt = errors.some((text) => text.includes("It is not known whether a compute was created"));
    if (report.killed) judge.excusedOrphans.set(id, "killed");
    // The answer was lost, and the list did not show the compute yet.
    else if (report.hits.has(LAGGING_LIST) && !judge.knownToProvider.has(id)) judge.excusedOrphans.set(id, "in doubt");
    else if (report.changedByHand.has(id) && !judge.knownToProvider.has(id))
      judge.excusedOrphans.set(id, "changed by hand");
    else if (named && !judge.knownToProvider.has(id)) judge.excusedOrphans.set(id, "named");
    else if (doubt && !judge.knownToProvider.has(id)) judge.excusedOrphans.set(id, "in doubt");
    else if (named)
      throw new Violation("not in the state", `${id} is named by an error, but the state should have kept it`);
    else throw new Violation("silent orphan", `${id} is in no state, and no error names it`);
  }
}
