/**
 * Finds and kills the processes that we started and their descendants. Nothing here looks for a process by its name.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { platform } from "node:os";

/** Kills a process that we started and all its descendants, and nothing else. */
export function killTree(pid: number | undefined): void {
  if (pid === undefined) return;
  for (const each of [...descendantsOf(pid), pid]) kill(each);
}

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // already gone
  }
}

function descendantsOf(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const [pid, parent] of parents()) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const found: number[] = [];
  for (let queue = [root]; queue.length > 0; ) {
    queue = queue.flatMap((pid) => children.get(pid) ?? []);
    found.push(...queue);
  }
  return found;
}

/**
 * Processes whose environment has this variable with this value. A child that was left behind loses its parent, but
 * not its environment, so this finds what `descendantsOf` no longer can. Linux only; elsewhere nothing is found.
 */
export function processesWith(variable: string, value: string): number[] {
  if (platform() !== "linux") return [];
  const entry = `${variable}=${value}`;
  return pids().filter((pid) => pid !== process.pid && read(pid, "environ")?.split("\0").includes(entry));
}

/** The command line of a process, for messages. */
export const commandOf = (pid: number): string =>
  read(pid, "cmdline")?.split("\0").join(" ").trim() ?? `process ${pid}`;

function parents(): [pid: number, parent: number][] {
  if (platform() === "linux") {
    // The name in brackets may hold anything, so the fields are counted from its end: state, parent.
    return pids().flatMap((pid) => {
      const parent = read(pid, "stat")?.split(") ").at(-1)?.split(" ")[1];
      return parent === undefined ? [] : [[pid, Number(parent)]];
    });
  }
  if (platform() === "win32") return [];
  return execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
}

const pids = (): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** Bytes of memory that /proc tells of a process in this field; undefined where it tells nothing. */
export function memoryOf(pid: number, field: "VmRSS" | "VmHWM"): number | undefined {
  const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(read(pid, "status") ?? "") ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** A file in the /proc folder of a process. */
export function read(pid: number | "self", file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined; // it ended meanwhile, or is somebody else's
  }
}
