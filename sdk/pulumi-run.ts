// Reads Pulumi's SDK state of the current run. The Automation API can have several runs in one process.

import * as pulumi from "@pulumi/pulumi";

interface RuntimeState {
  getStackResource?: () => { __transformations?: unknown[] } | undefined;
  getStore?: () => { callbacks?: { _callbacks?: { size?: number } }; supportsResourceHooks?: boolean };
  getLocalStore?: () => unknown;
}

/** Reads Pulumi's internal state. @returns `otherwise` where this version of Pulumi keeps it elsewhere */
export function fromRuntimeState<T>(read: (state: RuntimeState) => T, otherwise: T): T {
  try {
    return read(require("@pulumi/pulumi/runtime/state") as RuntimeState);
  } catch {
    return otherwise;
  }
}

/** Whether the program runs in a unit test with mocks. Then no request may be sent. */
export const isMocked = (monitor = pulumi.runtime.getMonitor() as object | undefined): boolean =>
  (monitor as { mocks?: unknown } | undefined)?.mocks !== undefined;

/** Whether a value of the stack's config is encrypted. Undefined for a version of Pulumi that does not tell. */
export const isConfigSecret = (name: string): boolean | undefined =>
  (pulumi.runtime as { isConfigSecret?: (name: string) => boolean }).isConfigSecret?.(name);

/** The stack's `compute:` settings, keyed without the prefix. */
export function computeSettings(): Record<string, string> {
  const { allConfig } = pulumi.runtime as { allConfig?: () => Record<string, string> };
  return Object.fromEntries(
    Object.entries(allConfig?.() ?? {}).flatMap(([name, value]) =>
      name.startsWith("compute:") ? [[name.slice("compute:".length), value]] : [],
    ),
  );
}

/**
 * Runs a check until it has passed once in this run, since a program may have a thousand computes. Without an engine it
 * always runs.
 */
export function oncePerRun(check: (monitor: object | undefined) => void): () => void {
  const passed = new WeakSet<object>();
  return () => {
    const monitor = pulumi.runtime.getMonitor() as object | undefined;
    if (monitor && passed.has(monitor)) return;
    check(monitor);
    if (monitor) passed.add(monitor);
  };
}
