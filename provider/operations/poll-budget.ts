const MINUTE_MS = 60_000;
/** Part of the account's rate that polls may use. The other half is for changes and reads. */
const POLLS_PART = 0.5;
/** If the last minute used more than 85 % of the budget, all pauses grow… */
const ROOM = 0.85;
/** …with the square of the excess: polling slows down until it is back within the budget, and never stops. */
const POWER = 2;

/** How many polls all projects that wait in this process may send in a minute. */
export class PollBudget {
  /** The moments of the last minute's polls. */
  readonly #polledAt: number[] = [];
  readonly #most: number;

  constructor(requestsPerMinute: number) {
    this.#most = Math.max(1, POLLS_PART * requestsPerMinute);
  }

  polled(now: number): void {
    this.#forget(now);
    this.#polledAt.push(now);
  }

  /** The pause at which `projects` projects together use exactly the budget. */
  evenPauseMs(projects: number, now: number): number {
    this.#forget(now);
    const excess = Math.max(1, this.#polledAt.length / (ROOM * this.#most));
    return ((projects * MINUTE_MS) / this.#most) * excess ** POWER;
  }

  #forget(now: number): void {
    while (this.#polledAt[0] !== undefined && this.#polledAt[0] <= now - MINUTE_MS) this.#polledAt.shift();
  }
}
