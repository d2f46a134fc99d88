import type { ContextOptions } from "../provider/operations/context.js";
import { inert, visibleLines } from "./visible.js";

/** Where a command writes. */
export interface Sink {
  write(text: string): void;
  isTTY: boolean;
}

/** What a command has of the world; tests hand in their own. */
export interface Io {
  env: NodeJS.ProcessEnv;
  /** Results. */
  out: Sink;
  /** Progress, advice, errors. */
  err: Sink;
  /** Until it is called off: an interruption ends the process at once, with what `tell` says. */
  onInterrupt(tell: () => string): () => void;
  /** The clock and the network, where they are not the real ones. */
  network?: Pick<ContextOptions, "clock" | "transport">;
}

const EXIT_OF = { SIGINT: 130, SIGTERM: 143 } as const;

/** The process's own. */
export function processIo(): Io {
  const errors = sinkOf(process.stderr);
  return {
    env: process.env,
    out: sinkOf(process.stdout),
    // Our own lines repeat what the service says in an error.
    err: { ...errors, write: (text) => errors.write(inert(visibleLines(text))) },
    onInterrupt(tell) {
      const end = (signal: keyof typeof EXIT_OF) => {
        process.stderr.write(`${tell()}\n`);
        process.exit(EXIT_OF[signal]);
      };
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, end);
      return () => {
        for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, end);
      };
    },
  };
}

const sinkOf = (stream: NodeJS.WriteStream): Sink => ({
  write: (text) => void stream.write(text),
  isTTY: stream.isTTY === true,
});
