import type { Transport } from "../../../provider/api/transport.js";
import { Cancellation } from "../../../provider/cancellation.js";
import type { Clock } from "../../../provider/clock.js";

/** The error of a command that was killed. */
export class Killed extends Error {
  constructor() {
    super("the process was killed");
    this.name = "Killed";
  }
}

/** A promise for a dead process. It never settles, so the process does nothing more. */
const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** The life of a command's process: `kill -9` ends it at any moment, one Ctrl-C ends what it waits for. */
export class ProcessLife {
  #dead = false;
  #die = (_error: Error): void => {};
  /** Rejects when the process is killed. */
  readonly death: Promise<never>;
  /** When the Ctrl-C came; after it the engine begins nothing new. */
  interruptedAt: number | undefined;
  /** What the provider hears of a Ctrl-C. */
  readonly cancellation: Cancellation;

  constructor(private readonly ticks: Clock) {
    this.cancellation = new Cancellation(ticks);
    this.death = new Promise<never>((_, reject) => {
      this.#die = reject;
    });
    this.death.catch(() => {});
  }

  get stopping(): boolean {
    return this.interruptedAt !== undefined;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** One Ctrl-C: the engine begins nothing new, and asks the provider to cancel. */
  cancel(): void {
    this.interruptedAt ??= this.ticks.now();
    this.cancellation.request();
  }

  /** The command rejects, and the state is what was saved so far. */
  kill(): void {
    this.#dead = true;
    this.#die(new Killed());
  }

  /** The clock as the process sees it. */
  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      wall: () => clock.wall(),
      random: () => clock.random(),
      sleep: async (ms) => {
        await (this.#dead ? never<void>() : clock.sleep(ms));
        return this.#dead ? never<void>() : undefined;
      },
    };
  }

  /** The network as the process sees it: what was sent before its death arrives, and no answer comes back. */
  transport(transport: Transport): Transport {
    return async (request) => {
      if (this.#dead) return never();
      try {
        const answer = await transport(request);
        return this.#dead ? never() : answer;
      } catch (error) {
        if (this.#dead) return never();
        throw error;
      }
    };
  }
}
