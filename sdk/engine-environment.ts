// Finds the environment variables of Pulumi's engine, which changes computes with the account in them.

import * as pulumi from "@pulumi/pulumi";
import type { EngineEnvironment, Variables } from "../provider/lookup/account.js";
import { childrenOfThisProcess, commandLineOf, environmentOf } from "../provider/proc.js";
import { ACCOUNT_VARIABLES } from "../provider/rules/config-names.js";
import { fromRuntimeState } from "./pulumi-run.js";

const NAMES: readonly string[] = ACCOUNT_VARIABLES;

const AT_LOAD = Symbol.for("pulumi-compute-endpoint:environment-at-load");

/** Fallback for systems without /proc. The program may have changed its environment before this ran. */
const atLoad = (): Variables => {
  const holder = globalThis as { [AT_LOAD]?: Variables };
  holder[AT_LOAD] ??= Object.fromEntries(NAMES.map((name) => [name, process.env[name]]));
  return holder[AT_LOAD];
};
atLoad();

/** Call this in the program's own flow: in a callback, Pulumi may have lost the Automation API's inline run. */
export function engineEnvironment(): EngineEnvironment {
  if (isInlineProgram()) return { kind: "inline", seen: variablesOfChildEngine(pulumi.getStack()) };
  if (pulumi.runtime.getMonitor() === undefined) return { kind: "none" };
  return { kind: "inherited", variables: accountVariablesOf("self") ?? atLoad() };
}

/**
 * Whether this program runs inside the process that started its engine. Only the Automation API and component plugins run a
 * program in an async-local store of its own. The engine starts component plugins itself.
 */
export const isInlineProgram = (): boolean => isInStore() && !isPlugin();

const isInStore = (): boolean => fromRuntimeState((state) => state.getLocalStore?.() !== undefined, false);

const isPlugin = (): boolean =>
  /[\\/]cmd[\\/]run-plugin([\\/]|$)/.test(require.main?.filename ?? process.argv[1] ?? "");

/** The environment that the Automation API gave to its `pulumi` process for this stack. Only Linux shows it. */
function variablesOfChildEngine(stack: string): Variables | undefined {
  const pid = childrenOfThisProcess().find((child) => {
    const args = commandLineOf(child) ?? [];
    const name = args[args.indexOf("--stack") + 1]?.split("/").at(-1);
    return args.some((one) => one.startsWith("--client=")) && name === stack;
  });
  return pid === undefined ? undefined : accountVariablesOf(pid);
}

/** Of a process's variables, those that name an account. */
function accountVariablesOf(pid: string): Variables | undefined {
  const lines = environmentOf(pid);
  if (!lines) return undefined;
  const entries = lines.map((line): [string, string] => {
    const end = line.indexOf("=");
    return [line.slice(0, end), line.slice(end + 1)];
  });
  return Object.fromEntries(entries.filter(([name]) => NAMES.includes(name)));
}
