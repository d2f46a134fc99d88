/** CPU and memory of a command and of all processes that it starts. On Linux only; elsewhere both are NaN. */
import { readFileSync } from "node:fs";
import { processesWith } from "../engine/processes";

const LOOK_MS = 200;
/** Ticks of the kernel's clock in a second, on every Linux that runs Node.js. */
const TICKS = 100;

/** Milliseconds of CPU of our children that have ended, with what their own children took. */
export function childrenCpuMs(): number {
  // The name in brackets may hold anything, so the fields are counted from its end: the children's user and system time are the 14th and 15th.
  const fields = read("/proc/self/stat")?.split(") ").at(-1)?.split(" ") ?? [];
  return ((Number(fields[13]) + Number(fields[14])) / TICKS) * 1000;
}

/** The largest sum of the resident memory of all processes that have this variable in their environment. */
export function watchMemory(variable: string, value: string): { readonly bytes: number; stop(): void } {
  let bytes = Number.NaN;
  const timer = setInterval(() => {
    const sum = processesWith(variable, value).reduce((all, pid) => all + residentBytes(pid), 0);
    if (sum > 0) bytes = Math.max(sum, bytes || 0);
  }, LOOK_MS);
  return {
    get bytes() {
      return bytes;
    },
    stop: () => clearInterval(timer),
  };
}

function residentBytes(pid: number): number {
  const [, kilobytes = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? "") ?? [];
  return Number(kilobytes) * 1024;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // it ended meanwhile, or this is no Linux
  }
}
