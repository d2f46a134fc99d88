// Whom a request was about, and what earlier previews of an unfinished change have shown of it.

import type { Props } from "../../test/support/lab";
import { adopts, type Court, type Report } from "./court";
import { changedBetween, fieldsIn, speaksOf } from "./fields";
import type { Deed } from "./ledger";
import { askedOf } from "./program";

/** The resource for which a compute was changed or deleted, by its name. */
export function subjectOf(report: Report, { id = "", before, method }: Deed): string | undefined {
  const owners = [...report.before].filter(([, one]) => one.id === id && !one.pendingReplacement).map(([name]) => name);
  const opOf = (name: string) => report.previewed?.shown[name]?.op;
  const goes = (name: string) => opOf(name) === "delete" || opOf(name) === "replace";
  if (method === "DELETE") return owners.find(goes) ?? owners[0];
  const adopter = Object.entries(report.program).find(
    ([name, args]) => (opOf(name) === "create" || opOf(name) === "replace") && adopts(args, id, before),
  );
  return owners.find((name) => opOf(name) === "update") ?? adopter?.[0] ?? owners.find((name) => !goes(name));
}

/** What a preview announced for a compute, and what no step has brought to its end yet. */
export interface Pending {
  fields: Map<string, Set<string>>;
  restart: boolean;
}

/** Whether a request finishes what an earlier preview has announced. */
export function announcedEarlier(court: Court, report: Report, name: string, deed: Deed): boolean {
  const pending = court.pending.get(deed.id ?? "");
  if (!pending) return false;
  const old = report.before.get(name);
  const isResumed = (old?.initErrors.length ?? 0) > 0 || old?.outputs["unfinished"] !== undefined;
  if (!isResumed) return false;
  if (deed.action) return deed.action !== "restart" || pending.restart;
  if (deed.method !== "PATCH" || !deed.before) return false;
  const is = fieldsIn(deed.after ?? deed.body);
  return changedBetween(deed.before, deed.after ?? deed.before).every((field) =>
    wasAnnounced(pending, field, is[field]),
  );
}

export const wasAnnounced = (pending: Pending | undefined, field: string, value: unknown): boolean =>
  pending?.fields.get(field)?.has(JSON.stringify(value)) ?? false;

/** Remembers what this run's preview announced where the step did not come to its end, and forgets the rest. */
export function remember(court: Court, report: Report): void {
  if (report.command !== "up" || !report.previewed || report.previewed.failed) return;
  for (const [name, shown] of Object.entries(report.previewed.shown)) {
    const now = report.after.get(name);
    const id = now?.id ?? report.before.get(name)?.id;
    if (id === undefined) continue;
    const step = report.steps.find((one) => one.name === name && one.op !== "refused");
    const ended = !report.killed && !step?.error && !now?.initErrors.length;
    if (ended) {
      court.pending.delete(id);
      continue;
    }
    const pending = court.pending.get(id) ?? { fields: new Map<string, Set<string>>(), restart: false };
    for (const [field, value] of Object.entries(askedOf(report.program[name] ?? {}))) {
      if (shown.op === "update" && !speaksOf(shown.differs, field)) continue;
      const values = pending.fields.get(field) ?? new Set();
      pending.fields.set(field, values.add(JSON.stringify(value)));
    }
    if (shown.differs.some((path) => path.startsWith("restartTriggers"))) pending.restart = true;
    court.pending.set(id, pending);
  }
}

/** The paths that the state says the service did not take. */
export const notedIn = ({ notTaken }: Props): string[] =>
  Array.isArray(notTaken) ? notTaken.map(String) : Object.keys((notTaken as Props | undefined) ?? {});

/** Whether the record of what the service did not take speaks of the field. */
export const isNoted = (outputs: Props, field: string): boolean => speaksOf(notedIn(outputs), field);
