// The rules of the service for sizes and suspend timeouts, as published. The service may change them. They are only here, and
// `compute:sizes: unchecked` turns them into warnings.

/** Every size a compute can have, in compute units (CU): 0.25, 0.5, 1 to 16 in steps of 1, 18 to 56 in steps of 2. */
export const SIZES: readonly number[] = [
  0.25,
  0.5,
  ...Array.from({ length: 16 }, (_, i) => i + 1),
  ...Array.from({ length: 20 }, (_, i) => 18 + 2 * i),
];

/** Above this size a compute has a fixed size and never suspends. */
export const LARGEST_AUTOSCALING_CU = 16;
/** The widest distance between the two limits of an autoscaling compute. */
export const WIDEST_RANGE_CU = 8;

/** What is wrong with one size, or undefined. */
export function sizeProblem(cu: number): string | undefined {
  if (SIZES.includes(cu)) return undefined;
  const lower = SIZES.filter((size) => size < cu).at(-1);
  const upper = SIZES.find((size) => size > cu);
  const nearest =
    lower === undefined
      ? `the smallest is ${upper}`
      : upper === undefined
        ? `the largest is ${lower}`
        : `the nearest are ${lower} and ${upper}`;
  return `${cu} is not a size: ${nearest} (sizes are 0.25, 0.5, 1 to 16 in steps of 1, 18 to 56 in steps of 2)`;
}

/** What is wrong with a pair of limits, each of which is a size by itself, or undefined. */
export function rangeProblem(min: number, max: number): string | undefined {
  if (min > max) return `the lower limit ${min} is above the upper limit ${max}: swap them`;
  if (min === max) return undefined;
  if (max > LARGEST_AUTOSCALING_CU) {
    return `autoscaling ends at ${LARGEST_AUTOSCALING_CU} CU, and ${min} to ${max} goes above: use an upper limit of at most ${LARGEST_AUTOSCALING_CU}, or a fixed size (size: ${max})`;
  }
  if (max - min > WIDEST_RANGE_CU) {
    return `the range ${min} to ${max} is too wide: the limits may be at most ${WIDEST_RANGE_CU} CU apart. Raise the lower limit to ${max - WIDEST_RANGE_CU} or more, or lower the upper one to ${floorSize(min + WIDEST_RANGE_CU)} or less`;
  }
  return undefined;
}

/** What is wrong with suspending a compute of this size, or undefined. */
export function alwaysOnProblem(max: number, suspendTimeoutSeconds: number): string | undefined {
  if (max <= LARGEST_AUTOSCALING_CU || suspendTimeoutSeconds === -1) return undefined;
  return `a compute above ${LARGEST_AUTOSCALING_CU} CU never suspends: use -1 or leave suspendTimeoutSeconds out, or choose a smaller size`;
}

const floorSize = (cu: number): number => SIZES.filter((size) => size <= cu).at(-1) ?? SIZES[0]!;

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
