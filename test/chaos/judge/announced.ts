// Finds the resource for which a request was sent, and remembers what previews announced for changes that are not
// finished.

import type { Props } from "../../support/lab";
import type { ChangeRequest } from "../history";
import { requestedFields } from "../program";
import { changedBetween, coversField, fieldsIn } from "./fields";
import { adopts, type Judge, type Report } from "./judge";

/** The name of the resource for which the request changed or deleted a compute. */
export function resourceBehind(report: Report, { id = "", before, method }: ChangeRequest): string | undefined {
  const owners = [...report.before].filter(([, one]) => one.id === id && !one.pendingReplacement).map(([name]) => name);
  const opOf = (name: string) => report.previewed?.shown[name]?.op;
  const leaves = (name: string) => opOf(name) === "delete" || opOf(name) === "replace";
  if (method === "DELETE") return owners.find(leaves) ?? owners[0];
  const adopter = Object.entries(report.program).find(
    ([name, args]) => (opOf(name) === "create" || opOf(name) === "replace") && adopts(args, id, before),
  );
  return owners.find((name) => opOf(name) === "update") ?? adopter?.[0] ?? owners.find((name) => !leaves(name));
}

/** The announced changes of a compute that no step has finished yet: the values for each field. */
export interface Announced {
  fields: Map<string, Set<string>>;
  restart: boolean;
}

/** Whether the request finishes a change that an earlier preview announced. */
export function announcedEarlier(judge: Judge, report: Report, name: string, changeRequest: ChangeRequest): boolean {
  const announced = judge.announced.get(changeRequest.id ?? "");
  if (!announced) return false;
  const old = report.before.get(name);
  const isResumed = (old?.initErrors.length ?? 0) > 0 || old?.outputs["unfinished"] !== undefined;
  if (!isResumed) return false;
  if (changeRequest.action) return changeRequest.action !== "restart" || announced.restart;
  if (changeRequest.method !== "PATCH" || !changeRequest.before) return false;
  const is = fieldsIn(changeRequest.after ?? changeRequest.body);
  return changedBetween(changeRequest.before, changeRequest.after ?? changeRequest.before).every((field) =>
    wasAnnounced(announced, field, is[field]),
  );
}

export const wasAnnounced = (announced: Announced | undefined, field: string, value: unknown): boolean =>
  announced?.fields.get(field)?.has(JSON.stringify(value)) ?? false;

/** Remembers what this preview announced if the step did not finish; forgets what a finished step announced. */
export function rememberAnnounced(judge: Judge, report: Report): void {
  if (report.command !== "up" || !report.previewed || report.previewed.failed) return;
  for (const [name, shown] of Object.entries(report.previewed.shown)) {
    const now = report.after.get(name);
    const id = now?.id ?? report.before.get(name)?.id;
    if (id === undefined) continue;
    const step = report.steps.find((one) => one.name === name && one.op !== "refused");
    const ended = !report.killed && !step?.error && !now?.initErrors.length;
    if (ended) {
      judge.announced.delete(id);
      continue;
    }
    const announced = judge.announced.get(id) ?? { fields: new Map<string, Set<string>>(), restart: false };
    for (const [field, value] of Object.entries(requestedFields(report.program[name] ?? {}))) {
      if (shown.op === "update" && !coversField(shown.differs, field)) continue;
      const values = announced.fields.get(field) ?? new Set();
      announced.fields.set(field, values.add(JSON.stringify(value)));
    }
    if (shown.differs.some((path) => path.startsWith("restartTriggers"))) announced.restart = true;
    judge.announced.set(id, announced);
  }
}

/** The paths that the service ignored, according to the state. */
export const notTakenIn = ({ notTaken }: Props): string[] =>
  Array.isArray(notTaken) ? notTaken.map(String) : Object.keys((notTaken as Props | undefined) ?? {});

/** Whether the state says that the service ignored the field. */
export const isNotTaken = (outputs: Props, field: string): boolean => coversField(notTakenIn(outputs), field);
