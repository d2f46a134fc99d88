import type { Clock, Deadline } from "../clock.js";

/** Milliseconds that a delete waits for others of its project, so that one list tells of all of them. */
const GATHER_MS = 10_000;

/** Lets the deletes of one project look together, though each has had its own turn. */
export class Removals {
  /** Deletes of a project that have not come to their first look, and how to tell that there is none. */
  readonly #under = new Map<string, { count: number; over: Promise<void>; end: () => void }>();
  readonly #ticks = new Map<string, Promise<void>>();

  constructor(private readonly clock: Clock) {}

  /** Runs the work of one delete up to its first look. */
  async during<T>(project: string, work: () => Promise<T>): Promise<T> {
    const under = this.#under.get(project) ?? nobodyYet();
    this.#under.set(project, under);
    under.count++;
    try {
      return await work();
    } finally {
      if (--under.count === 0) {
        this.#under.delete(project);
        under.end();
      }
    }
  }

  /** Until no delete of the project is under way, or some seconds have passed. */
  async gathered(project: string, deadline: Deadline): Promise<void> {
    const under = this.#under.get(project);
    const ms = Math.min(GATHER_MS, deadline.leftMs());
    if (under && ms > 0) await Promise.race([under.over, this.clock.sleep(ms, "idly")]);
  }

  /** Until the next look of all who wait for computes of the project to go. */
  tick(project: string, ms: number): Promise<void> {
    const known = this.#ticks.get(project);
    if (known) return known;
    const next = this.clock.sleep(ms).finally(() => this.#ticks.delete(project));
    this.#ticks.set(project, next);
    return next;
  }
}

function nobodyYet() {
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { count: 0, over, end };
}
