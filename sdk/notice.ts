// The warning at the resource, and the outputs that no update changes. Both come from one resource hook, which Pulumi
// calls with the old outputs and the new inputs before anything that depends on the compute is looked at.

import { AsyncResource } from "node:async_hooks";
import * as pulumi from "@pulumi/pulumi";
import { readNotice } from "../provider/rules/notice.js";
import { atLeast } from "../provider/rules/restart.js";
import { differences, type Live, type SettingName, UNKNOWN, type Wish } from "../provider/rules/settings.js";
import { Live as LiveFacts } from "./live.js";
import { type Props, plain } from "./plain.js";
import { changeOf, isUnfinished, surprisesIn, warningOf, warningOfCreation, warningOfRest } from "./warnings.js";

/** One hook for all computes of a run, and what it has seen. */
export interface Notice {
  hook: pulumi.ResourceHook;
  /** Outputs that the change leaves as they are, by URN: filled by the hook before the program knows the URN. */
  staying: Map<string, Props>;
  live: LiveFacts;
}

const HOOK_NAME = "pulumi-compute-endpoint:restart-notice";
const REGISTRY = Symbol.for(HOOK_NAME);

/** By engine connection: the Automation API can run two programs in one process, and two copies of us can be loaded. */
function registry(): WeakMap<object, Notice> {
  const holder = globalThis as { [REGISTRY]?: WeakMap<object, Notice> };
  holder[REGISTRY] ??= new WeakMap();
  return holder[REGISTRY];
}

/** The notice of this run, or undefined where hooks are not to be had: old engines, and users' mocks. */
export function noticeOf(): Notice | undefined {
  const monitor = pulumi.runtime.getMonitor() as { registerResourceHook?: unknown } | undefined;
  if (typeof monitor?.registerResourceHook !== "function" || !engineHasHooks()) return undefined;
  const known = registry().get(monitor);
  if (known) return known;
  const staying = new Map<string, Props>();
  const live = new LiveFacts();
  const tell = (args: pulumi.ResourceHookArgs) => speak(args, staying, live);
  // Inline programs of the Automation API keep their settings in the async context, which callbacks lose.
  const hook = new pulumi.ResourceHook(HOOK_NAME, AsyncResource.bind(tell), { onDryRun: true, ignoreErrors: true });
  const notice = { hook, staying, live };
  registry().set(monitor, notice);
  return notice;
}

/** An engine before 3.182 does not know hooks, and registering one would end the program. */
function engineHasHooks(): boolean {
  try {
    const state = require("@pulumi/pulumi/runtime/state") as { getStore?: () => { supportsResourceHooks?: boolean } };
    return state.getStore?.().supportsResourceHooks !== false;
  } catch {
    return true;
  }
}

/** What no update changes. */
const FIXED = [
  ...["host", "poolerHost", "proxyHost", "regionId", "createdAt"],
  ...["adopted", "poolerMode", "passwordlessAccess", "provisioner"],
];

/** Settings that a program may leave to the service: they stay as well, unless the change is theirs. */
const SETTINGS: readonly SettingName[] = [
  ...(["type", "autoscalingLimitMinCu", "autoscalingLimitMaxCu", "suspendTimeoutSeconds"] as const),
  ...(["name", "disabled", "poolerEnabled"] as const),
];

/**
 * Gives what depends on a compute its old, still true values in the preview of an update: Pulumi calls all unknown. Each
 * is made when it is asked for, since most programs ask for one or two, and sixteen cost more than the compute itself.
 */
export function keepOutputs(resource: pulumi.CustomResource, notice: Notice): void {
  if (!pulumi.runtime.isDryRun()) return;
  const outputs = resource as unknown as Record<string, pulumi.Output<unknown>>;
  for (const name of [...FIXED, ...SETTINGS]) {
    const fromEngine = outputs[name];
    const get = () => resource.urn.apply((urn) => notice.staying.get(urn)?.[name] ?? fromEngine);
    Object.defineProperty(resource, name, { get, enumerable: true, configurable: true });
  }
}

/** The old outputs that are true after the update too; none where the compute may be replaced. */
function stayingOf(outputs: Props, live: Live, wish: Wish, news: Props): Props {
  if (wish.projectId === UNKNOWN || wish.type === UNKNOWN) return {};
  const changing = differences(wish, live);
  const isKept = (name: SettingName) => news[name] === undefined && wish[name] !== UNKNOWN && !changing.includes(name);
  const names = [...FIXED, ...SETTINGS.filter(isKept)];
  return Object.fromEntries(names.map((name) => [name, outputs[name]]));
}

async function speak(args: pulumi.ResourceHookArgs, staying: Map<string, Props>, now: LiveFacts): Promise<void> {
  const secrets = new Set<string>();
  const news = await plain(args.newInputs, secrets);
  const mode = news["onRestart"] ?? new pulumi.Config("compute").get("onRestart") ?? "warn";
  for (const name of secretNames(news["__secret"])) secrets.add(name);
  const olds = args.oldOutputs && (await plain(args.oldOutputs, secrets));
  const notice = readNotice(news);
  // Check is asked before the hook is: what `refuse` would stop has been approved.
  const isApproved = mode === "refuse" && atLeast(notice?.impact ?? "none", "restart");
  const approved = isApproved ? "approved in compute:approve: " : "";
  const at = { urn: pulumi.output(args.urn) } as unknown as pulumi.Resource;
  if (!olds) {
    // A creation, or the second half of a replacement: only check knows.
    if (mode === "allow" || notice === undefined || notice.impact === "none") return;
    void pulumi.log.warn(approved + warningOfCreation(notice, news["restart"]), at);
    return;
  }
  const before = { inputs: await plain(args.oldInputs, secrets), outputs: olds };
  const askAgain = new pulumi.Config("compute").get("askAgain") === "true";
  const change = changeOf(before, news, secrets, notice, askAgain);
  const { live, wish, verdict } = change;
  staying.set(args.urn, stayingOf(args.oldOutputs ?? {}, live, wish, news));
  // Messages are never awaited: they wait for the URN, which waits for this hook.
  if (mode !== "allow" && verdict.impact !== "none") {
    const words = await now.wordsOf(args.urn, String(olds["projectId"]), args.id, verdict.impact);
    void pulumi.log.warn(approved + warningOf(args.id, verdict, words), at);
  } else if (mode !== "allow" && isUnfinished(olds)) void pulumi.log.warn(warningOfRest(args.id), at);
  for (const line of surprisesIn(olds, news, change)) void pulumi.log.warn(line, at);
  for (const note of verdict.notes) void pulumi.log.info(note, at);
}

const secretNames = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
