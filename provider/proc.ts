// Reads other processes of this user in /proc. Only Linux has it. Elsewhere, and for a process that has ended, nothing is known.

import { readdirSync, readFileSync } from "node:fs";

type Pid = number | string;

/** The program and its arguments. */
export const commandLineOf = (pid: Pid): string[] | undefined => read(`/proc/${pid}/cmdline`)?.split("\0");

/** The variables with which the process was started, each as `NAME=value`. */
export const environmentOf = (pid: Pid): string[] | undefined => read(`/proc/${pid}/environ`)?.split("\0");

export const parentOf = (pid: Pid): number | undefined =>
  Number(/^PPid:\s*(\d+)$/m.exec(read(`/proc/${pid}/status`) ?? "")?.[1] ?? Number.NaN) || undefined;

export function childrenOfThisProcess(): string[] {
  try {
    const threads = readdirSync("/proc/self/task");
    return threads.flatMap((thread) => (read(`/proc/self/task/${thread}/children`) ?? "").split(" ").filter(Boolean));
  } catch {
    return [];
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
