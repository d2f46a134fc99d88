import type { Io } from "./io.js";

export interface Command {
  summary: string;
  /**
   * Takes the arguments behind its name; the exit code, or nothing while it goes on running. What it throws is shown as one
   * line behind the command's name.
   */
  run(args: string[], io: Io): Promise<number | undefined>;
}
