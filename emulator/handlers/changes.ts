import type { EmulatorAnswer } from "../http/messages.js";
import type { BranchView, Changes, EndpointView, OperationView, RequestView } from "../model/change-types.js";
import type { EmulatorClock } from "../model/clock.js";
import { cutText } from "../model/cut-text.js";
import { ServiceError } from "../model/errors.js";
import { uuid } from "../model/ids.js";
import { LIMITS } from "../model/limits.js";
import type { BranchRow, OperationRow } from "../model/rows.js";
import type { Simulation } from "../model/simulation.js";
import { toMs } from "../model/time.js";
import { endpointResponse, operationResponse } from "./responses.js";

/** Numbers all changes, so that a reader can ask for those after a cursor. The reader asks: the emulator has no timers. */
export class ChangeLog {
  /** The number of the newest change. */
  private newest = 0;
  /** The first part of each cursor. It changes when a reader has to start again. */
  private series = newSeries();
  private requests: { change: number; view: RequestView }[] = [];
  private lastRequest = 0;
  private readonly operations = new WeakMap<OperationRow, { state: string; change: number }>();
  private readonly tables: LastSent = { text: "", change: 0 };
  private readonly faults: LastSent = { text: "", change: 0 };

  /** Adds a request that has arrived. */
  add(request: Omit<RequestView, "id">): RequestView {
    this.lastRequest += 1;
    const view: RequestView = { id: this.lastRequest, ...request };
    view.path = shown(view.path);
    if (view.body !== undefined) view.body = shown(view.body);
    this.requests.push({ change: this.next(), view });
    if (this.requests.length > LIMITS.shownRequests) this.requests.shift();
    return view;
  }

  /** Notes the response to a request that is in the log already. */
  answer(view: RequestView, answer: EmulatorAnswer | { cut: true }): void {
    if ("cut" in answer) view.status = "cut";
    else {
      view.status = answer.status;
      const message = answer.status >= FIRST_REFUSAL ? messageIn(answer.body) : undefined;
      if (message !== undefined) view.message = message;
      const created = view.method === "POST" && answer.status === CREATED ? endpointIdIn(answer.body) : undefined;
      if (created !== undefined) view.endpoint_id = created;
    }
    this.touch(view);
  }

  /** Adds the error with which a request was refused. */
  refuse(view: RequestView, error: unknown): void {
    view.status = error instanceof ServiceError ? error.status : INTERNAL_ERROR;
    view.message = shown((error as Error).message);
    this.touch(view);
  }

  /** Makes all readers start again: the world was replaced, or the record of requests emptied. */
  restart(): void {
    this.series = newSeries();
    this.requests = [];
  }

  /** @param cursor of an earlier response; any other text counts as no cursor */
  since(cursor: string | null, sim: Simulation, clock: EmulatorClock): Changes {
    const [series, number = ""] = cursor?.split(".") ?? [];
    const whole = series !== this.series || !/^\d{1,15}$/.test(number);
    const after = whole ? -1 : Number(number);
    const operations = this.operationsSince(after, sim.world.operations);
    const tables = this.ifNew(after, this.tables, tablesOf(sim));
    const faults = this.ifNew(after, this.faults, sim.faults.waitingWithoutBodies());
    return {
      cursor: `${this.series}.${this.newest}`,
      whole,
      time: { mode: clock.mode, nowMs: clock.now() },
      ...(faults ? { faults } : {}),
      ...(tables ? { tables } : {}),
      requests: this.requests.filter(({ change }) => change > after).map(({ view }) => view),
      operations: operations.slice(-LIMITS.shownOperations).map(operationView),
    };
  }

  private next(): number {
    this.newest += 1;
    return this.newest;
  }

  private touch(view: RequestView): void {
    const entry = this.requests.find((one) => one.view === view);
    if (entry) entry.change = this.next();
  }

  /** Operations change in many places, and a test may change them too, so this compares them with what it saw last. */
  private operationsSince(after: number, rows: OperationRow[]): OperationRow[] {
    return rows.filter((row) => {
      const state = [row.status, row.updated_at, row.failures_count].join(" ");
      let seen = this.operations.get(row);
      if (seen?.state !== state) {
        seen = { state, change: this.next() };
        this.operations.set(row, seen);
      }
      return seen.change > after;
    });
  }

  /**
   * The value, if it is newer than the change `after`. Many places may change it, so it is compared with the value at the last
   * answer.
   */
  private ifNew<T>(after: number, last: LastSent, value: T): T | undefined {
    const text = JSON.stringify(value);
    if (text !== last.text) Object.assign(last, { text, change: this.next() });
    return last.change > after ? value : undefined;
  }
}

/** What readers have seen of a value as JSON, and the number of its newest change. */
interface LastSent {
  text: string;
  change: number;
}

const tablesOf = ({ world }: Simulation): Changes["tables"] => ({
  projects: Object.values(world.projects).map(({ id, name }) => ({ id, name })),
  branches: Object.values(world.branches).map(branchView),
  endpoints: Object.values(world.endpoints).map((row) => endpointResponse(row) as unknown as EndpointView),
});

const FIRST_REFUSAL = 400;
const CREATED = 201;
const INTERNAL_ERROR = 500;

const shown = (text: string): string => cutText(text, LIMITS.shownCharacters);

const newSeries = (): string => uuid(Math.random).slice(0, 8);

const branchView = ({ id, name, project_id, current_state }: BranchRow): BranchView => ({
  id,
  name,
  project_id,
  current_state,
});

const operationView = (row: OperationRow): OperationView => ({
  ...(operationResponse(row) as unknown as OperationView),
  created_ms: toMs(row.created_at),
  ...(row.plan.restarts ? { restarts: true } : {}),
});

/** A fault may answer with a page, so a body may be no JSON. */
function parsed(body: string): { message?: unknown; endpoint?: { id?: unknown } } | undefined {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function messageIn(body: string): string | undefined {
  const text = parsed(body)?.message ?? body;
  return typeof text === "string" && text !== "" ? shown(text) : undefined;
}

function endpointIdIn(body: string): string | undefined {
  const id = parsed(body)?.endpoint?.id;
  return typeof id === "string" ? shown(id) : undefined;
}
