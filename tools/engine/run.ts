/**
 * Runs one command, without a shell. The time limit, and the end of this process, end the command and everything that
 * it started.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { killTree } from "./processes";

export interface RunOptions {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  input?: string;
  /** Milliseconds after which the command is ended and `TimeLimit` thrown. */
  limitMs: number;
  /** How the command is asked to end before it is killed, and how long it gets for it. @default none, it is killed */
  askFirst?: { signal: NodeJS.Signals; graceMs: number };
  /** Sees the output as it comes. */
  onOutput?: (chunk: string, stream: "stdout" | "stderr") => void;
  /** Is given the process once it runs, for tests that want to signal or kill it themselves. */
  onStart?: (child: ChildProcess) => void;
}

export interface Run {
  /** Exit code; 128 + signal number where a signal ended it, as a shell would say. */
  code: number;
  stdout: string;
  stderr: string;
  ms: number;
}

export class TimeLimit extends Error {
  override readonly name = "TimeLimit";
  constructor(
    command: string,
    readonly partial: Run,
  ) {
    super(
      `${command} did not end within ${Math.round(partial.ms / 1000)} s and was ended.\n` +
        `stdout:\n${partial.stdout}\nstderr:\n${partial.stderr}`,
    );
  }
}

const SIGNAL_NUMBER: Partial<Record<NodeJS.Signals, number>> = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

export async function run(command: string, args: readonly string[], options: RunOptions): Promise<Run> {
  const started = performance.now();
  // Not detached: a Ctrl-C on the terminal reaches the command too, as if it had been typed there.
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  const result: Run = { code: -1, stdout: "", stderr: "", ms: 0 };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]!.setEncoding("utf8").on("data", (chunk: string) => {
      result[stream] += chunk;
      options.onOutput?.(chunk, stream);
    });
  }
  if (options.input !== undefined) {
    child.stdin!.on("error", () => {}); // it may end before it has read everything
    child.stdin!.end(options.input);
  }

  const endWithUs = () => killTree(child.pid);
  process.once("exit", endWithUs);
  let late = false;
  let killer: NodeJS.Timeout | undefined;
  const timer = setTimeout(() => {
    late = true;
    if (options.askFirst) {
      child.kill(options.askFirst.signal);
      killer = setTimeout(() => killTree(child.pid), options.askFirst.graceMs);
    } else {
      killTree(child.pid);
    }
  }, options.limitMs);

  try {
    await new Promise<void>((resolve, reject) => {
      child.once("error", reject);
      child.once("spawn", () => options.onStart?.(child));
      // "exit", not "close": a process that is left behind may hold our pipe open, and must not make us wait for ever.
      // The output of the command itself is still in the pipe, so read on until it closes, for two seconds at most.
      child.once("exit", (code, signal) => {
        result.code = code ?? 128 + (SIGNAL_NUMBER[signal!] ?? 0);
        const closed = new Promise<void>((done) => child.once("close", () => done()));
        const enough = new Promise<void>((done) => setTimeout(done, 2_000).unref());
        Promise.race([closed, enough]).then(resolve);
      });
    });
  } finally {
    clearTimeout(timer);
    clearTimeout(killer);
    process.removeListener("exit", endWithUs);
    child.stdout?.destroy();
    child.stderr?.destroy();
    result.ms = Math.round(performance.now() - started);
  }
  if (late) throw new TimeLimit([command, ...args].join(" "), result);
  return result;
}
