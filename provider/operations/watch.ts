import type { Client } from "../api/client.js";
import type { Cancellation } from "../cancellation.js";
import { type Clock, Deadline } from "../clock.js";
import { Cancelled, isKind } from "../errors.js";
import type { WireOperation } from "../wire/operation.js";
import { Lengths, Pace, SHORTEST_MS } from "./pace.js";

/** Milliseconds one look may take with its repetitions: after that the next tick is a better try. */
export const LOOK_MS = 10_000;
/** Milliseconds behind the deadline to which a `Retry-After` may move the last look. */
const LAST_LOOK_MS = 15_000;
/** Operations of one page: the newest of a project, so most of those that anybody waits for. */
export const PAGE = 100;
/** Operations of the largest page. */
export const MOST_OF_A_PAGE = 1000;
/** Rows of a page for each operation that is waited for: others go on beside it. */
const ROWS_EACH = 4;

/** Operations that are asked for one by one where the list fails. */
const SOME = 10;

/** Then more requests would make it worse. */
const isBusy = (error: unknown): boolean => isKind(error, "service") && [429, 503].includes(error.answer.status);

/** What one look brought. An operation in neither collection: nothing is known this time. */
export interface News {
  operations: Map<string, WireOperation>;
  /** The service answered 404 for these. */
  missing: Set<string>;
  /** Why the look, or a part of it, failed. */
  error?: Error;
}

export interface Follower {
  /** Ids this one still waits for. */
  wanted(): string[];
  /** True: enough is known. What it throws ends the wait. */
  heard(news: News): boolean;
  /** What has just begun, in words that are the same for such work: then its length is used, and learned. */
  kind?: string;
  /** Milliseconds that it took by the service's own account, once it is done. */
  toldMs?(): number | undefined;
  /** Whether to look often for some seconds: others wait for the same end. */
  closely?: boolean;
  /** Whether the first look comes without a pause. */
  atOnce?: boolean;
  /** When to stop; one more look follows. */
  deadline: Deadline;
}

interface Seat {
  follower: Follower;
  pace: Pace;
  since: number;
  /** When the first look is due that is its own: those of others before it change nothing. */
  firstAt: number;
  dueAt: number;
  lookedAt?: number;
  done: boolean;
  /** A look that was sent after its time was up has brought no end. */
  late: boolean;
  error?: unknown;
  /** Ends the sleep when somebody else's look brought the end. */
  wake: () => void;
  woken: Promise<void>;
}

/** Looks at a project's operations for all who wait for some: one request per tick, however many they are. */
export class Watch {
  readonly #seats = new Set<Seat>();
  #flying: Promise<void> | undefined;
  /** No look before, whoever wants it. */
  #restsUntil = 0;
  /** When the service last asked for a pause, and until when. */
  #asked = { at: 0, until: 0 };

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
    private readonly cancellation: Cancellation,
    private readonly lengths: Lengths,
    private readonly project: string,
    private readonly pollMs?: number,
  ) {}

  get idle(): boolean {
    return this.#seats.size === 0;
  }

  /**
   * Looks, growing slower, until the follower has heard enough ("done") or after a last look its time is up ("late").
   * @throws Cancelled at a cancel, without a last look
   */
  async follow(follower: Follower): Promise<"done" | "late"> {
    const { clock } = this;
    const { kind } = follower;
    const expectedMs = kind === undefined ? undefined : this.lengths.expected(kind);
    const pace = new Pace(() => clock.random(), { expectedMs, fixedMs: this.pollMs, closely: follower.closely });
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const since = clock.now();
    const dueAt = since + (follower.atOnce ? 0 : pace.next());
    const begun = { since, dueAt, firstAt: dueAt, done: false, late: false };
    const seat: Seat = { follower, pace, ...begun, wake, woken };
    this.#seats.add(seat);
    const cancelled = () => {
      seat.error = new Cancelled();
      seat.done = true;
      wake();
    };
    const forget = this.cancellation.onRequest(cancelled);
    if (this.cancellation.requested) cancelled();
    try {
      for (;;) {
        await this.#sleep(seat);
        if (!seat.done && !seat.late) await this.#look();
        if (seat.error !== undefined) throw seat.error;
        if (seat.done) return "done";
        if (seat.late) return "late";
      }
    } finally {
      this.#seats.delete(seat);
      forget();
    }
  }

  /** Until the seat's next look, which moves when somebody else's look serves it too. */
  async #sleep(seat: Seat): Promise<void> {
    while (!seat.done && !seat.late) {
      const now = this.clock.now();
      const leftMs = seat.follower.deadline.leftMs();
      // The last look waits a little for what the service asked for, and not for hours.
      const { at, until } = this.#asked;
      const askedUntil = until - Math.max(at, now + leftMs) > LAST_LOOK_MS ? 0 : until;
      const ms = Math.max(this.#restsUntil - now, askedUntil - now, Math.min(seat.dueAt - now, leftMs));
      if (ms <= 0) return;
      await Promise.race([this.clock.sleep(ms), seat.woken]);
    }
  }

  /** One look for all who sit here now. Who came after it was sent gets nothing from it, and looks again. */
  async #look(): Promise<void> {
    this.#flying ??= this.#tell([...this.#seats]).finally(() => {
      this.#flying = undefined;
    });
    await this.#flying;
  }

  async #tell(seats: Seat[]): Promise<void> {
    const ids = new Set(seats.flatMap((seat) => seat.follower.wanted()));
    const last = seats.filter(({ follower }) => follower.deadline.leftMs() <= 0);
    let news: News = { operations: new Map(), missing: new Set() };
    let fatal: unknown;
    try {
      news = await this.#ask(ids);
    } catch (error) {
      fatal = error;
    }
    const floorMs = isKind(news.error, "service") ? (news.error.answer.retryAfterMs ?? 0) : 0;
    const now = this.clock.now();
    this.#restsUntil = now + Math.min(SHORTEST_MS, this.pollMs ?? SHORTEST_MS);
    this.#asked = { at: now, until: now + floorMs };
    for (const seat of seats) {
      if (isKind(seat.error, "cancelled")) continue;
      if (now >= seat.firstAt) seat.dueAt = now + Math.max(seat.pace.next(), floorMs);
      try {
        if (fatal !== undefined) throw fatal;
        seat.done = seat.follower.heard(news);
      } catch (error) {
        seat.error = error;
        seat.done = true;
      }
      if (seat.done) this.#learn(seat, now);
      else seat.late = last.includes(seat);
      if (seat.done || seat.late) seat.wake();
      seat.lookedAt = now;
    }
  }

  /** Where work has failed, its length is none. */
  #learn({ follower, since, lookedAt, error }: Seat, now: number): void {
    const { kind } = follower;
    if (kind === undefined || error !== undefined) return;
    this.lengths.learn(kind, lookedAt === undefined ? undefined : lookedAt - since, now - since, follower.toldMs?.());
  }

  /** The operation itself when it is the only one, else the newest page and what is missing on it. */
  async #ask(ids: Set<string>): Promise<News> {
    const news: News = { operations: new Map(), missing: new Set() };
    if (ids.size > 1) {
      await this.#attempt(news, [...ids], async (deadline) => {
        const limit = Math.min(MOST_OF_A_PAGE, Math.max(PAGE, ROWS_EACH * ids.size));
        const page = await this.client.listOperations(this.project, { limit }, deadline);
        // Newest first: of two rows with one id the first counts.
        for (const operation of page.operations.toReversed()) news.operations.set(operation.id, operation);
      });
      if (news.missing.size > 0 || isBusy(news.error)) return news;
    }
    const left = [...ids].filter((id) => !news.operations.has(id)).slice(0, news.error ? SOME : ids.size);
    await Promise.all(
      left.map((id) =>
        this.#attempt(news, [id], async (deadline) => {
          const operation = await this.client.getOperation(this.project, id, deadline);
          // Taken for the one that was asked for, another one's end would come too early or never.
          if (operation.id !== id) throw new Error(`asked about operation ${id}, the service told of ${operation.id}`);
          news.operations.set(id, operation);
        }),
      ),
    );
    return news;
  }

  /** A look that fails says nothing about the work, except that a key which is refused won't be accepted later. */
  async #attempt(news: News, ids: string[], look: (deadline: Deadline) => Promise<void>): Promise<void> {
    try {
      await look(new Deadline(this.clock, LOOK_MS));
    } catch (error) {
      const status = isKind(error, "service") ? error.answer.status : undefined;
      if (status === 401 || status === 403) throw error;
      if (status === 404) for (const id of ids) news.missing.add(id);
      else news.error = error as Error;
    }
  }
}

/** One watch per project in which somebody waits. */
export class Watches {
  readonly #watches = new Map<string, Watch>();
  readonly #lengths = new Lengths();

  constructor(
    private readonly client: Client,
    private readonly clock: Clock,
    private readonly cancellation: Cancellation,
    private readonly pollMs?: number,
  ) {}

  async follow(project: string, follower: Follower): Promise<"done" | "late"> {
    const { client, clock, cancellation, pollMs } = this;
    const watch = this.#watches.get(project) ?? new Watch(client, clock, cancellation, this.#lengths, project, pollMs);
    this.#watches.set(project, watch);
    try {
      return await watch.follow(follower);
    } finally {
      if (watch.idle && this.#watches.get(project) === watch) this.#watches.delete(project);
    }
  }
}
