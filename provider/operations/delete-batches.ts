import type { Clock, Deadline } from "../clock.js";

/** The longest time that a delete waits for the other deletes of its project. One list then confirms all of them. */
const GATHER_MS = 10_000;

/** Lets the deletes of one project share their confirming lists. The DELETE requests themselves run one after the other. */
export class DeleteBatches {
  /** Per project: the deletes that have not reached their confirmation check. */
  readonly #running = new Map<string, { count: number; over: Promise<void>; end: () => void }>();
  readonly #nextPolls = new Map<string, Promise<void>>();

  constructor(private readonly clock: Clock) {}

  /** Runs one delete up to its first check. */
  async run<T>(project: string, work: () => Promise<T>): Promise<T> {
    const batch = this.#running.get(project) ?? newBatch();
    this.#running.set(project, batch);
    batch.count++;
    try {
      return await work();
    } finally {
      if (--batch.count === 0) {
        this.#running.delete(project);
        batch.end();
      }
    }
  }

  /** Resolves when all deletes of the project are ready for their check, or after some seconds. */
  async untilOthersAreReady(project: string, deadline: Deadline): Promise<void> {
    const batch = this.#running.get(project);
    const ms = Math.min(GATHER_MS, deadline.leftMs());
    if (batch && ms > 0) await Promise.race([batch.over, this.clock.sleep(ms, "idly")]);
  }

  /** Resolves at the next poll. All who wait for computes of the project to disappear share it. */
  nextPoll(project: string, ms: number): Promise<void> {
    const known = this.#nextPolls.get(project);
    if (known) return known;
    const next = this.clock.sleep(ms).finally(() => this.#nextPolls.delete(project));
    this.#nextPolls.set(project, next);
    return next;
  }
}

function newBatch() {
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { count: 0, over, end };
}
