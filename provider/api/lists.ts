import type { Cancellation } from "../cancellation.js";
import type { Clock, Deadline } from "../clock.js";
import { Cancelled, DeadlineExceeded, isKind } from "../errors.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { LAST_REQUEST_MS } from "./caller.js";
import type { Client } from "./client.js";

/** Callers within this time share one request: the engine starts its steps together. */
const GATHER_MS = 20;
/** Milliseconds for which a list is used again: long enough for all reads of one refresh. */
const REUSE_MS = 5_000;
/**
 * Milliseconds. A shared request uses the longest deadline of its callers. A caller waits for it even if its own deadline is up
 * to this much earlier. If it is earlier by more than this, a timer ends the caller's wait.
 */
const TOLERATED_MS = 1_000;

const isMuchLonger = (one: Deadline, other: Deadline): boolean => one.leftMs() - other.leftMs() >= TOLERATED_MS;

/** One request that several callers share. */
interface SharedRequest {
  /** Resolves when the request is sent. From then on nobody can join. */
  sent: Promise<void>;
  answer: Promise<WireEndpoint[]>;
  /** The longest deadline and grace of all callers: the request must not fail because one of them had less time. */
  deadline: Deadline;
}

/** The computes of a project, in few requests. Callers share the lists, so none may change them. */
export class EndpointLists {
  readonly #client: Client;
  readonly #clock: Clock;
  /** Requests that are not sent yet. Anybody may join. */
  readonly #gathering = new Map<string, SharedRequest>();
  /** Requests that are sent, with no write since. `recent` may use their answers. */
  readonly #inFlight = new Map<string, SharedRequest>();
  readonly #finished = new Map<string, { rows: WireEndpoint[]; at: number }>();

  readonly #cancellation: Cancellation;
  /** Computes that this process has deleted. Ids are never reused, so a list that still contains one is stale. */
  readonly #deleted = new Set<string>();

  constructor(client: Client, clock: Clock, cancellation: Cancellation) {
    this.#client = client;
    this.#clock = clock;
    this.#cancellation = cancellation;
  }

  /** The list may be up to 5 s old, unless this process has written to the project since. */
  recent(project: string, deadline: Deadline): Promise<WireEndpoint[]> {
    return this.#unlessCancelled(project, deadline, () => this.#recent(project, deadline));
  }

  async #recent(project: string, deadline: Deadline): Promise<WireEndpoint[]> {
    const known = this.#finished.get(project);
    if (known && this.#clock.now() - known.at < REUSE_MS) return known.rows;
    const inFlight = this.#inFlight.get(project);
    const isLongEnough = inFlight && !isMuchLonger(deadline, inFlight.deadline);
    // The request need not wait for others: a later caller may use its answer.
    return this.#wait(isLongEnough ? inFlight : this.#join(project, deadline, 0), project, deadline);
  }

  /** The list as of now. Only callers that come before the request is sent share it. */
  fresh(project: string, deadline: Deadline): Promise<WireEndpoint[]> {
    return this.#unlessCancelled(project, deadline, () =>
      this.#wait(this.#join(project, deadline, GATHER_MS), project, deadline),
    );
  }

  /** Forgets the known list of a project, and the one that is on its way. */
  invalidate(project: string): void {
    this.#finished.delete(project);
    this.#inFlight.delete(project);
  }

  /** The compute is gone. From now on no list has it. */
  markDeleted(id: string): void {
    this.#deleted.add(id);
  }

  #unlessCancelled<T>(project: string, { graceMs }: Deadline, work: () => Promise<T>): Promise<T> {
    return this.#cancellation.runUntilCancelled(graceMs, work).catch((error: unknown) => {
      throw isKind(error, "cancelled")
        ? new Cancelled(`interrupted before the computes of project ${project} were listed`)
        : error;
    });
  }

  #join(project: string, deadline: Deadline, gatherMs: number): SharedRequest {
    let request = this.#gathering.get(project);
    if (!request) {
      request = { deadline, sent: this.#clock.sleep(gatherMs), answer: Promise.resolve([]) };
      this.#gathering.set(project, request);
      request.answer = this.#list(project, request);
    } else {
      const { deadline: other } = request;
      const [longer, shorter] = deadline.leftMs() > other.leftMs() ? [deadline, other] : [other, deadline];
      request.deadline = longer.withGrace(shorter.graceMs);
    }
    return request;
  }

  async #list(project: string, request: SharedRequest): Promise<WireEndpoint[]> {
    await request.sent;
    this.#gathering.delete(project);
    this.#inFlight.set(project, request);
    try {
      const all = await this.#client.listEndpoints(project, request.deadline);
      const rows = this.#deleted.size === 0 ? all : all.filter(({ id }) => !this.#deleted.has(id));
      // If this request is no longer in flight, a write or a newer request came in between. Then the rows are not cached.
      if (this.#inFlight.get(project) === request) this.#finished.set(project, { rows, at: this.#clock.now() });
      return rows;
    } finally {
      if (this.#inFlight.get(project) === request) this.#inFlight.delete(project);
    }
  }

  async #wait(request: SharedRequest, project: string, deadline: Deadline): Promise<WireEndpoint[]> {
    // The longest deadline is known only once the request is sent.
    await request.sent;
    if (!isMuchLonger(request.deadline, deadline)) return request.answer;
    const leftMs = deadline.leftMs();
    // A caller past its deadline still waits for one answer, as with its own request.
    const late = this.#clock.sleep(leftMs > 0 ? leftMs + TOLERATED_MS : LAST_REQUEST_MS, "idly").then(() => {
      throw new DeadlineExceeded(`the computes of project ${project} could not be listed in time`);
    });
    return Promise.race([request.answer, late]);
  }
}
