import { expect } from "vitest";

/** The most milliseconds that a step may take. It needs only a few, but the machine may be busy. */
const QUICK_MS = 20_000;

/** Fails where the work takes long. */
export async function quickly<T>(work: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  expect(performance.now() - start).toBeLessThan(QUICK_MS);
  return result;
}
