export const SHORTEST_SUSPEND_SECONDS = 60;
export const LONGEST_SUSPEND_SECONDS = 604_800;

/** What is wrong with a suspend timeout, or undefined. -1 never suspends, 0 is the service's default of 5 minutes. */
export function suspendProblem(seconds: number): string | undefined {
  if (seconds === -1 || seconds === 0) return undefined;
  if (Number.isInteger(seconds) && seconds >= SHORTEST_SUSPEND_SECONDS && seconds <= LONGEST_SUSPEND_SECONDS) {
    return undefined;
  }
  return `${seconds} is not a suspend timeout: use -1 (never), 0 (the service's default, 5 minutes), or whole seconds from ${SHORTEST_SUSPEND_SECONDS} to ${LONGEST_SUSPEND_SECONDS} (7 days)`;
}
