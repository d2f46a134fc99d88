import {
  autosuspendEvent,
  availabilityCheckEvent,
  branchReadyEvent,
  operationEvent,
  type ScheduledEvent,
} from "./events.js";
import { isPending } from "./operations.js";
import type { BranchRow, EndpointRow, OperationRow } from "./rows.js";
import type { Simulation } from "./simulation.js";
import { toMs } from "./time.js";
import { findRow } from "./world.js";

/**
 * Brings the world up to `sim.now`: runs the events that became due since the last request, in the order of time. The emulator
 * calls it before each request and needs no timers.
 * @returns whether any event ran
 */
export function runDueEvents(sim: Simulation): boolean {
  const runner = new EventRunner(sim);
  let happened = false;
  for (let run = runner.next(); run; run = runner.next()) {
    runner.requeue(run());
    happened = true;
  }
  return happened;
}

/** Events with the same time run in the order of their ranks. */
interface QueuedEvent {
  at: number;
  rank: number;
  /** Finds the event again, by the present values of its row. Undefined if the row has no such event any more. */
  find(): ScheduledEvent | undefined;
}

/**
 * The events that are due at `sim.now`. After an event only the rows that it changed are examined again, not the whole world:
 * thousands of computes can become due together.
 */
class EventRunner {
  private readonly queue: EventQueue;
  /** The pending operations of each compute. */
  private readonly pending = new Map<string, Set<OperationRow>>();
  /** Numbers for the rows, in the order of the world. */
  private readonly numbers = new Map<object, number>();

  constructor(private readonly sim: Simulation) {
    const { operations, branches, endpoints } = sim.world;
    for (const operation of operations) if (isPending(operation)) this.trackPending(operation);
    const events = [
      ...operations.filter(isPending).map((operation) => this.eventOfOperation(operation)),
      ...Object.values(branches).map((branch) => this.eventOfBranch(branch)),
      ...Object.values(endpoints).flatMap((endpoint) => this.eventsOfEndpoint(endpoint)),
    ];
    this.queue = new EventQueue(events.filter((event) => event !== undefined));
  }

  /** Takes the next event. Skips outdated entries: if a row changes, `requeue` adds its event again with the new time. */
  next(): ScheduledEvent["run"] | undefined {
    for (let queued = this.queue.next(); queued; queued = this.queue.next()) {
      const event = queued.find();
      if (event?.at === queued.at) return event.run;
    }
    return undefined;
  }

  /** Queues the events of rows that an event has changed. */
  requeue(changed: OperationRow[]): void {
    const { branches, endpoints } = this.sim.world;
    for (const operation of changed) this.trackPending(operation);
    for (const operation of changed) this.add(this.eventOfOperation(operation));
    for (const id of new Set(changed.map((one) => one.branch_id))) {
      const branch = findRow(branches, id);
      if (branch) this.add(this.eventOfBranch(branch));
    }
    for (const id of new Set(changed.map((one) => one.endpoint_id))) {
      const endpoint = findRow(endpoints, id);
      if (endpoint) for (const event of this.eventsOfEndpoint(endpoint)) this.add(event);
    }
  }

  private add(event: QueuedEvent | undefined): void {
    if (event) this.queue.add(event);
  }

  private trackPending(operation: OperationRow): void {
    const { endpoint_id: id } = operation;
    if (id === undefined) return;
    const all = this.pending.get(id) ?? new Set();
    if (isPending(operation)) all.add(operation);
    else all.delete(operation);
    this.pending.set(id, all);
  }

  /** At the same time, events of operations run first, then of branches, then of computes. */
  private queuedEvent(kind: 0 | 1 | 2, row: object, find: QueuedEvent["find"]): QueuedEvent | undefined {
    const at = find()?.at;
    if (at === undefined || at > this.sim.now) return undefined;
    const number = this.numbers.get(row) ?? this.numbers.size;
    this.numbers.set(row, number);
    return { at, rank: kind * RANKS_PER_KIND + number, find };
  }

  private eventOfOperation(operation: OperationRow): QueuedEvent | undefined {
    return this.queuedEvent(0, operation, () =>
      isPending(operation) ? operationEvent(this.sim, operation) : undefined,
    );
  }

  private eventOfBranch(branch: BranchRow): QueuedEvent | undefined {
    return this.queuedEvent(1, branch, () => branchReadyEvent(this.sim, branch));
  }

  private eventsOfEndpoint(endpoint: EndpointRow): (QueuedEvent | undefined)[] {
    const isAtRest = () => (this.pending.get(endpoint.id)?.size ?? 0) === 0;
    return [autosuspendEvent, availabilityCheckEvent].map((event) =>
      this.queuedEvent(2, endpoint, () => (isAtRest() ? event(this.sim, endpoint) : undefined)),
    );
  }
}

const RANKS_PER_KIND = 2 ** 40;

/** Sorted from the last event to the first, so that the first is removed from the end. */
class EventQueue {
  constructor(private readonly events: QueuedEvent[]) {
    events.sort((a, b) => (isBefore(a, b) ? 1 : -1));
  }

  add(event: QueuedEvent): void {
    let low = 0;
    let high = this.events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(event, this.events[middle] as QueuedEvent)) low = middle + 1;
      else high = middle;
    }
    this.events.splice(low, 0, event);
  }

  next(): QueuedEvent | undefined {
    return this.events.pop();
  }
}

const isBefore = (a: QueuedEvent, b: QueuedEvent): boolean => (a.at === b.at ? a.rank < b.rank : a.at < b.at);

/** Lets operations with the fault `never` succeed after the faults were cleared. */
export function finishStuckOperations(sim: Simulation): void {
  for (const operation of sim.world.operations) {
    if (operation.plan.end !== "never") continue;
    operation.plan.end = "finished";
    const started = operation.plan.started_at;
    if (started !== undefined) {
      operation.plan.duration_ms = Math.max(operation.plan.duration_ms, sim.now - toMs(started));
    }
  }
  runDueEvents(sim);
}
