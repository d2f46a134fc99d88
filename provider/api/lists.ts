import type { Cancellation } from "../cancellation.js";
import type { Clock, Deadline } from "../clock.js";
import { Cancelled, DeadlineExceeded, isKind } from "../errors.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { LAST_REQUEST_MS } from "./caller.js";
import type { Client } from "./client.js";

/** Milliseconds in which callers gather for one list: the engine starts its steps together. */
const GATHER_MS = 20;
/** Milliseconds a list is used again: long enough for all reads of one refresh. */
const REUSE_MS = 5_000;
/** Milliseconds a caller may be kept past its deadline by others; more is worth a timer of its own. */
const TOLERATED_MS = 1_000;

/** Two deadlines without an end are equal. */
const isLonger = (one: Deadline, other: Deadline): boolean => one.leftMs() - other.leftMs() >= TOLERATED_MS;

/** One list request, from the first caller on. */
interface Shared {
  /** Resolves when nobody can join any more. */
  sent: Promise<void>;
  answer: Promise<WireEndpoint[]>;
  /** The longest of those who wait, and the longest grace: a list must not fail for one because another had less time. */
  deadline: Deadline;
}

/** The computes of a project, in few requests. The lists are shared, so nobody may change them. */
export class EndpointLists {
  readonly #client: Client;
  readonly #clock: Clock;
  /** Not sent yet: anybody may join. */
  readonly #gathering = new Map<string, Shared>();
  /** Sent, and nothing was written since: good enough for `read`. */
  readonly #flying = new Map<string, Shared>();
  readonly #finished = new Map<string, { rows: WireEndpoint[]; at: number }>();

  readonly #cancellation: Cancellation;
  /** Ids are never used again, so a list that still has one of these is behind. */
  readonly #deleted = new Set<string>();

  constructor(client: Client, clock: Clock, cancellation: Cancellation) {
    this.#client = client;
    this.#clock = clock;
    this.#cancellation = cancellation;
  }

  /** May be up to 5 s old, unless this process wrote to the project since. */
  read(project: string, deadline: Deadline): Promise<WireEndpoint[]> {
    return this.#unlessCancelled(project, deadline, () => this.#read(project, deadline));
  }

  async #read(project: string, deadline: Deadline): Promise<WireEndpoint[]> {
    const known = this.#finished.get(project);
    if (known && this.#clock.now() - known.at < REUSE_MS) return known.rows;
    const flying = this.#flying.get(project);
    const lasts = flying && !isLonger(deadline, flying.deadline);
    // Nobody need be gathered: who comes later may have what is on its way.
    return this.#wait(lasts ? flying : this.#join(project, deadline, 0), project, deadline);
  }

  /** Never from the cache: shared only with callers whose request was not sent yet. */
  look(project: string, deadline: Deadline): Promise<WireEndpoint[]> {
    return this.#unlessCancelled(project, deadline, () =>
      this.#wait(this.#join(project, deadline, GATHER_MS), project, deadline),
    );
  }

  /** Forgets what is known of a project, and what a list that is on its way will say. */
  wrote(project: string): void {
    this.#finished.delete(project);
    this.#flying.delete(project);
  }

  /** This process has deleted the compute, and it is gone: no list shows it any more. */
  deleted(id: string): void {
    this.#deleted.add(id);
  }

  #unlessCancelled<T>(project: string, { graceMs }: Deadline, work: () => Promise<T>): Promise<T> {
    return this.#cancellation.limit(graceMs, work).catch((error: unknown) => {
      throw isKind(error, "cancelled")
        ? new Cancelled(`interrupted before the computes of project ${project} were listed`)
        : error;
    });
  }

  #join(project: string, deadline: Deadline, gatherMs: number): Shared {
    let shared = this.#gathering.get(project);
    if (!shared) {
      shared = { deadline, sent: this.#clock.sleep(gatherMs), answer: Promise.resolve([]) };
      this.#gathering.set(project, shared);
      shared.answer = this.#list(project, shared);
    } else {
      const { deadline: other } = shared;
      const [longer, shorter] = deadline.leftMs() > other.leftMs() ? [deadline, other] : [other, deadline];
      shared.deadline = longer.withGrace(shorter.graceMs);
    }
    return shared;
  }

  async #list(project: string, shared: Shared): Promise<WireEndpoint[]> {
    await shared.sent;
    this.#gathering.delete(project);
    this.#flying.set(project, shared);
    try {
      const all = await this.#client.listEndpoints(project, shared.deadline);
      const rows = this.#deleted.size === 0 ? all : all.filter(({ id }) => !this.#deleted.has(id));
      // No longer there: somebody wrote, or asked anew, while it was on its way.
      if (this.#flying.get(project) === shared) this.#finished.set(project, { rows, at: this.#clock.now() });
      return rows;
    } finally {
      if (this.#flying.get(project) === shared) this.#flying.delete(project);
    }
  }

  async #wait(shared: Shared, project: string, deadline: Deadline): Promise<WireEndpoint[]> {
    // How long the others wait is known only then.
    await shared.sent;
    if (!isLonger(shared.deadline, deadline)) return shared.answer;
    const leftMs = deadline.leftMs();
    // A look at the last moment may take as long as if it were nobody else's.
    const late = this.#clock.sleep(leftMs > 0 ? leftMs + TOLERATED_MS : LAST_REQUEST_MS, "idly").then(() => {
      throw new DeadlineExceeded(`the computes of project ${project} could not be listed in time`);
    });
    return Promise.race([shared.answer, late]);
  }
}
