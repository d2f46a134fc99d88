import type { Clock } from "./clock.js";

/** Milliseconds for which a wait stays silent: most are over by then. */
const SILENT_MS = 10_000;
/** Milliseconds between two lines after the first one. */
const EVERY_MS = 30_000;

/** Reports now and then that a long wait goes on. A run that is silent for minutes looks as if it hangs. */
export class ProgressReporter {
  readonly #start: number;
  #nextMs = SILENT_MS;

  constructor(
    private readonly clock: Clock,
    private readonly log: (line: string) => void,
  ) {
    this.#start = clock.now();
  }

  elapsedMs(): number {
    return this.clock.now() - this.#start;
  }

  /** Logs the line when it is time for one. */
  report(line: (elapsedMs: number) => string): void {
    const elapsedMs = this.elapsedMs();
    if (elapsedMs < this.#nextMs) return;
    this.#nextMs = elapsedMs + EVERY_MS;
    this.log(line(elapsedMs));
  }
}
