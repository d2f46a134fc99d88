import type { Io } from "./io.js";

/** What some commands need beside the terminal. Tests pass their own. */
export interface CommandEnvironment {
  cwd(): string;
  /** Approvals end on a day. */
  nowMs(): number;
}

export interface Command {
  summary: string;
  /**
   * Runs the command with the arguments after its name. An error is shown in one line after the command's name.
   * @returns the exit code, or undefined if the process goes on running
   */
  run(args: string[], io: Io): Promise<number | undefined>;
}
