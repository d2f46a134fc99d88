/** The largest memory of the provider processes of one stack. On Linux only; elsewhere it is not known. */
import { commandOf, memoryOf, processesWith } from "../engine/processes";

const LOOK_MS = 50;
/** Milliseconds between searches for provider processes: the engine starts one for the preview, one for the update. */
const SEARCH_MS = 200;

export interface PeakWatch {
  /** The largest so far. */
  readonly bytes: number | undefined;
  stop(): void;
}

/** @param home `PULUMI_HOME` of the stack: every process of its commands has it */
export function watchPeak(home: string): PeakWatch {
  let bytes: number | undefined;
  let pids: number[] = [];
  let searchedAt = 0;
  const timer = setInterval(() => {
    if (performance.now() - searchedAt > SEARCH_MS) {
      pids = processesWith("PULUMI_HOME", home).filter(isProvider);
      searchedAt = performance.now();
    }
    for (const pid of pids) bytes = Math.max(bytes ?? 0, peakOf(pid) ?? 0) || undefined;
  }, LOOK_MS);
  return {
    get bytes() {
      return bytes;
    },
    stop: () => clearInterval(timer),
  };
}

const isProvider = (pid: number): boolean =>
  /node\S* .*(cmd\/dynamic-provider|pulumi-compute-endpoint\/plugin)/.test(commandOf(pid));

/** The kernel remembers the highest value. So only a peak after the last look is missed. */
export const peakOf = (pid: number): number | undefined => memoryOf(pid, "VmHWM");
