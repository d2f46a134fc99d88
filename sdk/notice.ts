// The warning at the resource, and the outputs that no update changes. Both come from one resource hook, which Pulumi
// calls with the old outputs and the new inputs before anything that depends on the compute is looked at.

import { AsyncResource } from "node:async_hooks";
import * as pulumi from "@pulumi/pulumi";
import { type ImpactNotice, readNotice, withoutFirstWord } from "../provider/rules/notice.js";
import { atLeast, impactOf, sentence, type Verdict } from "../provider/rules/restart.js";
import {
  differences,
  type Live,
  propertyOf,
  type SettingName,
  UNKNOWN,
  type Wish,
} from "../provider/rules/settings.js";
import { type Asked, wishOf } from "../provider/rules/wish.js";
import { Live as LiveFacts } from "./live.js";

type Props = Record<string, unknown>;

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
    void pulumi.log.warn(approved + warningOfCreation(notice, withoutFirstWord(news["restart"])), at);
    return;
  }
  const [live, wish] = [liveIn(olds), wishIn(news)];
  staying.set(args.urn, stayingOf(args.oldOutputs ?? {}, live, wish, news));
  const verdict = impactOf(live, wish, { secrets, asSize: news["size"] !== undefined });
  // Messages are never awaited: they wait for the URN, which waits for this hook.
  if (mode !== "allow" && verdict.impact !== "none") {
    const words = await now.wordsOf(args.urn, String(olds["projectId"]), args.id, verdict.impact);
    void pulumi.log.warn(approved + warningOf(args.id, verdict, words), at);
  } else if (mode !== "allow" && isUnfinished(olds)) void pulumi.log.warn(warningOfRest(args.id), at);
  for (const line of surprisesIn(olds, news, wish, live)) void pulumi.log.warn(line, at);
  for (const note of verdict.notes) void pulumi.log.info(note, at);
}

const RECONNECT = "Clients should reconnect by themselves.";

function warningOf(id: string, verdict: Verdict, now: string | undefined): string {
  const does = { "may-restart": "may restart", restart: "restarts", stop: "stops" } as Record<string, string>;
  const mayReplace = verdict.reasons.some(({ property }) => property === "projectId" || property === "type");
  const what = mayReplace ? "may replace" : (does[verdict.impact] ?? "affects");
  const live = now ? ` Right now it is ${now}.` : "";
  return `this change ${what} compute ${id}: ${sentence(verdict)}.${live} ${RECONNECT}`;
}

/** What the diff shows without its reason, or not at all. */
function surprisesIn(olds: Props, news: Props, wish: Wish, live: Live): string[] {
  const refused = Object.keys((olds["notTaken"] ?? {}) as Props);
  const again = differences(wish, live).map(propertyOf);
  const lines = refused
    .filter((property) => again.includes(property))
    .map((property) => `${property} is asked for again: the service did not take it the last time`);
  const before = olds["onDelete"];
  // What was taken over is released where nothing else is said, what was made is deleted.
  const anyway = olds["adopted"] === true ? "release" : "delete";
  if (before !== undefined && before !== anyway && news["onDelete"] === undefined) {
    const changes =
      anyway === "release"
        ? "which was taken over, is no longer deleted with the resource: it is released"
        : "which was made for the resource, is no longer released with it: it is deleted";
    lines.push(`without onDelete this compute, ${changes}. To keep it as it was, say onDelete: "${before}"`);
  }
  return lines;
}

const isUnfinished = ({ unfinished }: Props): boolean => Array.isArray(unfinished) && unfinished.length > 0;

/** The state can't tell what became of a change that failed: the update finds out, and finishes it. */
function warningOfRest(id: string): string {
  return `an earlier change of compute ${id} did not end well: this update looks what became of it and sends again what is missing; then the compute may restart, and open connections drop. ${RECONNECT}`;
}

/** An adoption, or a replacement: only one of them may have another project or type. */
function warningOfCreation({ impact, properties }: ImpactNotice, text: string): string {
  const mayReplace = properties.includes("projectId") || properties.includes("type");
  if (impact === "may-restart" && !mayReplace) return `this creation ${text}. ${RECONNECT}`;
  return `this change ${impact === "new-host" ? "replaces" : "may replace"} the compute: ${text}`;
}

const secretNames = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** A value of the hook in plain form: secrets come as Outputs, unknown values as marks. */
async function plain(props: Props | undefined, secrets: Set<string>): Promise<Props> {
  const copy: Props = {};
  for (const [name, value] of Object.entries(props ?? {}))
    copy[name] = await plainValue(value, () => secrets.add(name));
  return copy;
}

async function plainValue(value: unknown, isSecret: () => void): Promise<unknown> {
  if (pulumi.Output.isInstance(value)) {
    isSecret();
    return plainValue(await new Promise((resolve) => value.apply(resolve)), isSecret);
  }
  if (pulumi.isUnknown(value)) return UNKNOWN;
  if (Array.isArray(value)) return Promise.all(value.map((one) => plainValue(one, isSecret)));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(async ([key, inner]) => [key, await plainValue(inner, isSecret)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** The wish in the hook's inputs; a part of `settings` that holds an unknown value is unknown whole. */
function wishIn(news: Props): Wish {
  const unknown = new Set<string>();
  const asked: Props = {};
  for (const [name, value] of Object.entries(news)) {
    if (value === UNKNOWN || (Array.isArray(value) && holdsUnknown(value))) unknown.add(name);
    else if (name !== "settings") asked[name] = value;
    else asked[name] = knownParts(value as Props, unknown);
  }
  return wishOf(asked as Asked, unknown);
}

function knownParts(settings: Props, unknown: Set<string>): Props {
  return Object.fromEntries(
    Object.entries(settings).filter(([part, value]) => {
      const isKnown = !holdsUnknown(value);
      if (!isKnown) unknown.add(`settings.${part}`);
      return isKnown;
    }),
  );
}

const holdsUnknown = (value: unknown): boolean =>
  value === UNKNOWN || (value !== null && typeof value === "object" && Object.values(value).some(holdsUnknown));

function liveIn(olds: Props): Live {
  return wishOf(olds as Asked) as Live;
}
