import type { Client } from "../api/client.js";
import type { Cancellation } from "../cancellation.js";
import type { Clock } from "../clock.js";
import { DurationEstimates } from "./duration-estimates.js";
import { PollBudget } from "./poll-budget.js";
import { OperationPoller, type SharedByPollers } from "./poller.js";
import type { Waiter } from "./waiter.js";

/**
 * The first measured duration of a kind goes to this many waiters, and each waiter that confirms it passes it to as many more. So
 * a common duration reaches all waiters within two seconds, and a wrong one costs few polls.
 */
const SHARED_AT_ONCE = 4;

/** One poller per project in which somebody waits. */
export class OperationPollers {
  readonly #pollers = new Map<string, OperationPoller>();
  readonly #shared: SharedByPollers;

  /** @param requestsPerMinute the account's rate, of which polls use a part */
  constructor(
    client: Client,
    clock: Clock,
    cancellation: Cancellation,
    { pollMs, requestsPerMinute }: { pollMs?: number; requestsPerMinute: number },
  ) {
    this.#shared = {
      client,
      clock,
      cancellation,
      pollMs,
      estimates: new DurationEstimates(),
      budget: new PollBudget(requestsPerMinute),
      projects: () => this.#pollers.size,
      onEstimate: (workKind, expectedMs) => {
        let left = SHARED_AT_ONCE;
        for (const poller of this.#pollers.values())
          left -= left > 0 ? poller.shareEstimate(workKind, expectedMs, left) : 0;
      },
    };
  }

  async waitFor(project: string, waiter: Waiter): Promise<"done" | "late"> {
    const poller = this.#pollers.get(project) ?? new OperationPoller(this.#shared, project);
    this.#pollers.set(project, poller);
    try {
      return await poller.waitFor(waiter);
    } finally {
      if (poller.isIdle && this.#pollers.get(project) === poller) this.#pollers.delete(project);
    }
  }
}
