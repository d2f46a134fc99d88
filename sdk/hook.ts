// The warning at the resource, and the outputs that no update changes. Both come from one resource hook, which Pulumi calls with
// the old outputs and new inputs, before it processes dependent resources.

import { AsyncResource } from "node:async_hooks";
import * as pulumi from "@pulumi/pulumi";
import { logChange, newRun, type Run } from "./preview-warnings.js";
import { fromRuntimeState } from "./pulumi-run.js";

/** One hook for all computes of a run, and what it has seen. */
export interface RunHook extends Run {
  hook: pulumi.ResourceHook;
}

const HOOK_NAME = "pulumi-compute-endpoint:restart-notice";
const REGISTRY = Symbol.for(HOOK_NAME);

/**
 * One hook per engine connection: the Automation API can run two programs in one process. The registry is global because two
 * copies of this package can be loaded.
 */
function registry(): WeakMap<object, RunHook> {
  const holder = globalThis as { [REGISTRY]?: WeakMap<object, RunHook> };
  holder[REGISTRY] ??= new WeakMap();
  return holder[REGISTRY];
}

/** The hook of this run; undefined if there are no hooks: old engines, and users' mocks. */
export function hookOfRun(): RunHook | undefined {
  const monitor = pulumi.runtime.getMonitor() as { registerResourceHook?: unknown } | undefined;
  if (typeof monitor?.registerResourceHook !== "function" || !engineHasHooks()) return undefined;
  const known = registry().get(monitor);
  if (known) return known;
  const run = newRun();
  const report = (args: pulumi.ResourceHookArgs) => logChange(args, run);
  // Inline programs of the Automation API keep their settings in the async context, which callbacks lose.
  const hook = new pulumi.ResourceHook(HOOK_NAME, AsyncResource.bind(report), { onDryRun: true, ignoreErrors: true });
  const made: RunHook = { ...run, hook };
  registry().set(monitor, made);
  return made;
}

/** An engine before 3.182 does not know hooks, and registering one would end the program. */
const engineHasHooks = (): boolean =>
  fromRuntimeState((state) => state.getStore?.().supportsResourceHooks !== false, true);
