// Pulumi writes a stack trace onto each of its promises, four for every property of a resource, and source-map-support formats
// each one at once. In a preview of 500 computes that was 41 % of the program's CPU. Only a debug mode for promises that never
// settle reads them (PULUMI_DEBUG_PROMISE_LEAKS). So our own resources are constructed without them.
//
// This replaces a function of Pulumi's for the time of one constructor. A limit of 0 around all of `super()` would be simpler.
// But Pulumi creates the error of a failed registration in advance there, and calls the program's transformations: their errors
// would lose the lines that lead to the program.

interface PromiseModule {
  debuggablePromise: (...args: unknown[]) => unknown;
  debugPromiseLeaks?: boolean;
}

/**
 * Pulumi's promises get no stack traces from here on. Does nothing if this version of Pulumi has no such function, if its debug
 * mode is on, or if the program has fixed `Error.stackTraceLimit`.
 * @returns a function that restores the original. Call it in the same turn of the event loop
 */
export function quietPromises(): () => void {
  const module = promiseModule();
  if (module === undefined || module.debugPromiseLeaks || !isSettable(module, "debuggablePromise")) return () => {};
  if (!isSettable(Error, "stackTraceLimit")) return () => {};
  const original = module.debuggablePromise;
  module.debuggablePromise = (...args) => {
    const limit = Error.stackTraceLimit;
    // Without a number, no stack trace is captured anyway.
    if (typeof limit !== "number") return original(...args);
    Error.stackTraceLimit = 0;
    try {
      return original(...args);
    } finally {
      Error.stackTraceLimit = limit;
    }
  };
  return () => {
    module.debuggablePromise = original;
  };
}

/** It is internal: another version of Pulumi may keep it elsewhere, or not at all. */
function promiseModule(): PromiseModule | undefined {
  try {
    const module = require("@pulumi/pulumi/runtime/debuggable") as Partial<PromiseModule>;
    return typeof module.debuggablePromise === "function" ? (module as PromiseModule) : undefined;
  } catch {
    return undefined;
  }
}

/** A frozen object, and one with a getter, stays as it is. */
const isSettable = (object: object, name: string): boolean =>
  Object.getOwnPropertyDescriptor(object, name)?.writable === true;
