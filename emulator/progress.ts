import { Agenda, type Entry } from "./agenda.js";
import { checkOf, type Event, readinessOf, suspensionOf, turnOf } from "./due.js";
import { isPending } from "./operations.js";
import { own } from "./own.js";
import type { Site } from "./rules.js";
import { msOf } from "./time.js";
import type { BranchRow, EndpointRow, OperationRow } from "./world.js";

/**
 * What happens in the course of time. Nothing here waits: `progress` is called before each request and carries out, in
 * the order of time, what has become due since the last one.
 */

/** Brings the world up to `site.now`, and tells whether anything has happened. */
export function progress(site: Site): boolean {
  const run = new Run(site);
  let happened = false;
  for (let happen = run.next(); happen; happen = run.next()) {
    run.touch(happen());
    happened = true;
  }
  return happened;
}

interface Due extends Entry {
  event(): Event | undefined;
}

/**
 * Everything that is due at one moment. After an event only the rows that it touched are looked at again, and not the whole
 * world: thousands of computes can become due together.
 */
class Run {
  private readonly agenda: Agenda<Due>;
  private readonly pending = new Map<string, Set<OperationRow>>();
  /**
   * The order of rows that are due at the same time: operations, then branches, then computes, each kind in the order of the
   * world.
   */
  private readonly ranks = new Map<object, number>();

  constructor(private readonly site: Site) {
    const { operations, branches, endpoints } = site.world;
    const entries: Due[] = [];
    const collect = (due: Due | undefined) => {
      if (due) entries.push(due);
    };
    for (const operation of operations) if (isPending(operation)) this.note(operation);
    for (const operation of operations) if (isPending(operation)) collect(this.dueOperation(operation));
    for (const branch of Object.values(branches)) collect(this.dueBranch(branch));
    for (const endpoint of Object.values(endpoints)) for (const due of this.dueEndpoint(endpoint)) collect(due);
    this.agenda = new Agenda(entries);
  }

  /** The next event. An entry whose event has moved or gone is skipped: the event that moved it has added another entry. */
  next(): Event["happen"] | undefined {
    for (let due = this.agenda.next(); due; due = this.agenda.next()) {
      const event = due.event();
      if (event?.at === due.at) return event.happen;
    }
    return undefined;
  }

  touch(touched: OperationRow[]): void {
    const { branches, endpoints } = this.site.world;
    for (const operation of touched) this.note(operation);
    for (const operation of touched) this.add(this.dueOperation(operation));
    for (const id of new Set(touched.map((one) => one.branch_id))) {
      const branch = own(branches, id);
      if (branch) this.add(this.dueBranch(branch));
    }
    for (const id of new Set(touched.map((one) => one.endpoint_id))) {
      const endpoint = own(endpoints, id);
      if (endpoint) for (const due of this.dueEndpoint(endpoint)) this.add(due);
    }
  }

  private add(due: Due | undefined): void {
    if (due) this.agenda.add(due);
  }

  private note(operation: OperationRow): void {
    const { endpoint_id: id } = operation;
    if (id === undefined) return;
    const all = this.pending.get(id) ?? new Set();
    if (isPending(operation)) all.add(operation);
    else all.delete(operation);
    this.pending.set(id, all);
  }

  private due(order: number, row: object, event: () => Event | undefined): Due | undefined {
    const at = event()?.at;
    if (at === undefined || at > this.site.now) return undefined;
    const seen = this.ranks.get(row) ?? this.ranks.size;
    this.ranks.set(row, seen);
    return { at, rank: order * RANKS + seen, event };
  }

  private dueOperation(operation: OperationRow): Due | undefined {
    return this.due(0, operation, () => (isPending(operation) ? turnOf(this.site, operation) : undefined));
  }

  private dueBranch(branch: BranchRow): Due | undefined {
    return this.due(1, branch, () => readinessOf(this.site, branch));
  }

  private dueEndpoint(endpoint: EndpointRow): (Due | undefined)[] {
    const atRest = () => (this.pending.get(endpoint.id)?.size ?? 0) === 0;
    return [suspensionOf, checkOf].map((event) =>
      this.due(2, endpoint, () => (atRest() ? event(this.site, endpoint) : undefined)),
    );
  }
}

/** More than there are rows. */
const RANKS = 2 ** 40;

/** Operations that would never end do so now, and well: the scripted faults are gone. */
export function release(site: Site): void {
  for (const operation of site.world.operations) {
    if (operation.plan.end !== "never") continue;
    operation.plan.end = "finished";
    const started = operation.plan.started_at;
    if (started !== undefined) {
      operation.plan.duration_ms = Math.max(operation.plan.duration_ms, site.now - msOf(started));
    }
  }
  progress(site);
}
