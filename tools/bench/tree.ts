/** CPU and memory of a command and of all processes that it starts. On Linux only; elsewhere both are NaN. */
import { memoryOf, processesWith, read } from "../engine/processes";

const LOOK_MS = 200;
/** Ticks of the kernel's clock in a second, on every Linux that runs Node.js. */
const TICKS = 100;

/** Milliseconds of CPU of our children that have ended, with what their own children took. */
export const childrenCpuMs = (): number => cpuIn("self", 13);

/** Milliseconds of CPU that a process has taken so far. */
export const cpuMsOf = (pid: number): number => cpuIn(pid, 11);

/** @param first the place of the user time behind the name; the system time follows it */
function cpuIn(process: number | "self", first: 11 | 13): number {
  // The name in brackets may hold anything, so the fields are counted from its end.
  const fields = read(process, "stat")?.split(") ").at(-1)?.split(" ") ?? [];
  return ((Number(fields[first]) + Number(fields[first + 1])) / TICKS) * 1000;
}

/** The largest sum of the resident memory of all processes that have this variable in their environment. */
export function watchMemory(variable: string, value: string): { readonly bytes: number; stop(): void } {
  let bytes = Number.NaN;
  const timer = setInterval(() => {
    const sum = processesWith(variable, value).reduce((all, pid) => all + (memoryOf(pid, "VmRSS") ?? 0), 0);
    if (sum > 0) bytes = Math.max(sum, bytes || 0);
  }, LOOK_MS);
  return {
    get bytes() {
      return bytes;
    },
    stop: () => clearInterval(timer),
  };
}
