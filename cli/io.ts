import { createInterface } from "node:readline";
import type { ContextOptions } from "../provider/operations/create-context.js";
import { escapeCommands, escapeInvisibleLines } from "./escape.js";

/** Where a command writes. */
export interface Sink {
  write(text: string): void;
  isTTY: boolean;
}

/** What a command gets from its process. Tests pass their own. */
export interface Io {
  env: NodeJS.ProcessEnv;
  /** Results. */
  out: Sink;
  /** Progress, advice, errors. */
  err: Sink;
  /**
   * Lets Ctrl-C end the process at once, with the text of `describe`.
   * @returns a function that ends this
   */
  onInterrupt(describe: () => string): () => void;
  /** Asks the person at the terminal. Absent if nobody can answer. @returns the line, or an empty one at its end (Ctrl-D) */
  ask?: (question: string) => Promise<string>;
  /** A clock and a network other than the real ones. */
  network?: Pick<ContextOptions, "clock" | "transport">;
}

const EXIT_OF = { SIGINT: 130, SIGTERM: 143 } as const;

/** What this process gives to a command. */
export function processIo(): Io {
  const errors = sinkOf(process.stderr);
  // Our own messages repeat errors of the service.
  const err = { ...errors, write: (text: string) => errors.write(escapeCommands(escapeInvisibleLines(text))) };
  return {
    env: process.env,
    out: sinkOf(process.stdout),
    err,
    ...(process.stdin.isTTY && errors.isTTY ? { ask: (question: string) => answerTo(question, err) } : {}),
    onInterrupt(describe) {
      const end = (signal: keyof typeof EXIT_OF) => {
        err.write(`${describe()}\n`);
        process.exit(EXIT_OF[signal]);
      };
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, end);
      return () => {
        for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, end);
      };
    },
  };
}

/** One line of the terminal. Ctrl-C stays the terminal's: it ends the process as everywhere else. */
async function answerTo(question: string, err: Sink): Promise<string> {
  err.write(question);
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    lines.close();
  }
}

const sinkOf = (stream: NodeJS.WriteStream): Sink => ({
  write: (text) => void stream.write(text),
  isTTY: stream.isTTY === true,
});
