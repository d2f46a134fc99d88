import type { Clock } from "../clock.js";

/** Milliseconds a wait stays silent: most are over by then. */
const SILENT_MS = 10_000;
/** Milliseconds between two lines after the first one. */
const EVERY_MS = 30_000;

/** Says now and then that a long wait goes on: a run that is silent for minutes looks like one that hangs. */
export class Patience {
  readonly #start: number;
  #next = SILENT_MS;

  constructor(
    private readonly clock: Clock,
    private readonly say: (line: string) => void,
  ) {
    this.#start = clock.now();
  }

  passedMs(): number {
    return this.clock.now() - this.#start;
  }

  /** Says the line when it is time for one. */
  tell(line: (passedMs: number) => string): void {
    const passed = this.passedMs();
    if (passed < this.#next) return;
    this.#next = passed + EVERY_MS;
    this.say(line(passed));
  }
}
