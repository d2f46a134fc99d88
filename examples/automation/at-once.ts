import { availableParallelism, freemem } from "node:os";

/** Bytes that one stack takes while it works: Pulumi's engine, and the provider's process. */
const BYTES_EACH = 200 * 1024 ** 2;
/** A stack with a compute or two works for a few seconds of CPU. More stacks on one core only make each other slow. */
const PER_CORE = 3;

/**
 * How many stacks to run at once on this machine: three for each core, but no more than fit into half of the memory that is free
 * (in a container, free of its limit). At least one.
 */
export function stacksAtOnce({
  cores = availableParallelism(),
  freeBytes = process.availableMemory?.() ?? freemem(),
}: {
  cores?: number;
  freeBytes?: number;
} = {}): number {
  return Math.max(1, Math.min(PER_CORE * cores, Math.floor(freeBytes / 2 / BYTES_EACH)));
}
