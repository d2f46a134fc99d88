// What the state keeps of a compute. Nothing volatile stands here: it would show as drift on each refresh.

import { isAsWanted, pick, type SettingValues, settingsByName, valuesByPath, without } from "../rules/paths.js";
import { pruned } from "../rules/pruned.js";
import type { EndpointType, Live, PreloadLibraries } from "../rules/settings.js";
import { wishOf } from "../rules/wish.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { Mark } from "./action.js";
import type { Inputs, Program } from "./inputs.js";
import { toldBy } from "./mapping.js";

export interface Outputs {
  projectId: string;
  branchId: string;
  type: EndpointType;
  regionId?: string;
  /** Only where the program says `size` and the limits are equal. */
  size?: number;
  autoscalingLimitMinCu?: number;
  autoscalingLimitMaxCu?: number;
  suspendTimeoutSeconds?: number;
  name?: string;
  disabled?: boolean;
  poolerEnabled?: boolean;
  settings?: { pgSettings?: Record<string, string>; preloadLibraries?: PreloadLibraries };
  host?: string;
  poolerHost?: string;
  proxyHost?: string;
  createdAt?: string;
  poolerMode?: string;
  passwordlessAccess?: boolean;
  provisioner?: string;
  /** Whether the compute existed before and was taken over. */
  adopted: boolean;
  restart: "no";
  /** Paths of the properties that the program sets: read and delete see outputs only. */
  managed: string[];
  /** Ids of operations that a step left unfinished. */
  unfinished?: string[];
  /** The values for which the compute was last restarted, or with which it was made. */
  restartTriggers?: readonly unknown[];
  /** Only after a step that could not restart the compute: for which values, and how it was then. */
  restartOwed?: { wanted: string; since?: Mark };
  /** Paths of what the service accepted and did not take: the outputs hold what it has instead. */
  notTaken?: string[];
  /** The values that were asked for at these paths. Pulumi encrypts them: some may be secret without our knowing. */
  __asked?: SettingValues;
  onDelete?: "delete" | "release";
  waitForReady?: boolean;
  customTimeouts?: Inputs["customTimeouts"];
  /** Only echoed for read, whose inputs replace the old ones where something drifted. */
  adopt?: boolean | string;
  onRestart?: "allow" | "warn" | "refuse";
  __autoName?: string;
  __secret?: string[];
  __retain?: boolean;
}

/** What a step knows beside the compute itself. */
export interface StepRecord {
  adopted: boolean;
  unfinished?: string[];
  /** What the service did not take: the values asked for, by path. */
  notTaken?: SettingValues;
  owed?: Owed;
}

/** The step that makes a state, which decides whose word counts for a setting. */
export type Origin =
  /** The compute as it is: this is how drift comes into a state. */
  | "read"
  /** The compute as it is, and what was asked of it. */
  | "create"
  /** What the state said, and what was asked. What somebody changed by hand is left to the next read. */
  | "update";

/** A restart for the program's triggers that has not come about. */
export interface Owed {
  /** The triggers of the last one that has. */
  applied?: readonly unknown[];
  /** Digest of the program's triggers. */
  wanted?: string;
  /** How the compute was when it became due, as far as that is known. */
  since?: Mark;
}

/**
 * The state of a compute after a step.
 * @param last what was known before, with what was asked: a server may leave a field out of an answer although it is set
 */
export function outputsOf(
  endpoint: WireEndpoint,
  program: Program,
  record: StepRecord,
  last: Partial<Outputs> = {},
  origin: Origin = "read",
): Outputs {
  const { inputs, secrets } = program;
  const live = settingsAfter(endpoint, liveOfOutputs(last), origin);
  const host = endpoint.host ?? last.host;
  const fixed = live.autoscalingLimitMinCu === live.autoscalingLimitMaxCu ? live.autoscalingLimitMaxCu : undefined;
  // Pulumi hides an output where the input of the same name is secret; it can't know that a limit repeats the size.
  const limits = secrets.has("size")
    ? {}
    : { autoscalingLimitMinCu: live.autoscalingLimitMinCu, autoscalingLimitMaxCu: live.autoscalingLimitMaxCu };
  return pruned({
    projectId: inputs.projectId ?? last.projectId ?? live.projectId ?? "",
    branchId: live.branchId ?? inputs.branchId ?? "",
    type: live.type ?? inputs.type ?? "read_write",
    regionId: endpoint.region_id ?? last.regionId,
    size: inputs.size === undefined ? undefined : fixed,
    ...limits,
    suspendTimeoutSeconds: live.suspendTimeoutSeconds,
    name: live.name,
    disabled: live.disabled,
    poolerEnabled: live.poolerEnabled,
    settings: pruned({ pgSettings: filled(live.pgSettings), preloadLibraries: filled(live.preloadLibraries) }),
    host,
    poolerHost: host && poolerHost(host),
    proxyHost: endpoint.proxy_host ?? last.proxyHost,
    createdAt: endpoint.created_at ?? last.createdAt,
    poolerMode: endpoint.pooler_mode ?? last.poolerMode,
    passwordlessAccess: endpoint.passwordless_access ?? last.passwordlessAccess,
    provisioner: endpoint.provisioner ?? last.provisioner,
    ...recordOf(program, record),
  });
}

function settingsAfter(endpoint: WireEndpoint, last: Live, origin: Origin): Live {
  const { values: live, isTold } = toldBy(endpoint);
  const known = valuesByPath(last);
  if (origin === "read") {
    // A value in another spelling is no drift.
    const same = Object.keys(known).filter((path) => !isTold(path) || isAsWanted(path, live[path], known[path]));
    return settingsByName({ ...live, ...pick(known, same) });
  }
  // What a server begins to tell is news; a Postgres setting that was not there before is somebody's doing.
  const told = Object.keys(live).filter((path) => origin === "create" || !path.startsWith("settings."));
  return settingsByName({ ...pick(live, told), ...known });
}

/** The part of the state that is not the service's: what delete and read have to know of the program. */
export function recordOf({ inputs, autoName, secrets, retained }: Program, record: StepRecord) {
  const refused = Object.keys(record.notTaken ?? {}).sort();
  return {
    adopted: record.adopted,
    restart: "no" as const,
    managed: managedOf(inputs),
    unfinished: record.unfinished?.length ? record.unfinished : undefined,
    restartTriggers: record.owed ? record.owed.applied : inputs.restartTriggers,
    restartOwed:
      record.owed?.wanted === undefined ? undefined : pruned({ wanted: record.owed.wanted, since: record.owed.since }),
    notTaken: refused.length > 0 ? refused : undefined,
    __asked: refused.length > 0 ? record.notTaken : undefined,
    onDelete: inputs.onDelete,
    waitForReady: inputs.waitForReady,
    customTimeouts: inputs.customTimeouts,
    adopt: inputs.adopt,
    onRestart: inputs.onRestart,
    __autoName: autoName,
    __secret: secrets.size > 0 ? [...secrets].sort() : undefined,
    __retain: retained,
  };
}

const filled = <T extends object>(value: T | undefined): T | undefined =>
  value && Object.keys(value).length > 0 ? value : undefined;

/** The pooled host is the compute's host with `-pooler` behind its first label. */
export const poolerHost = (host: string): string => host.replace(/^[^.]+/, "$&-pooler");

/** The settings a compute had when it was looked at last. */
export function liveOfOutputs(outputs: Partial<Outputs>): Live {
  return pruned({
    projectId: outputs.projectId,
    branchId: outputs.branchId,
    type: outputs.type,
    autoscalingLimitMinCu: outputs.autoscalingLimitMinCu ?? outputs.size,
    autoscalingLimitMaxCu: outputs.autoscalingLimitMaxCu ?? outputs.size,
    suspendTimeoutSeconds: outputs.suspendTimeoutSeconds,
    name: outputs.name,
    disabled: outputs.disabled,
    poolerEnabled: outputs.poolerEnabled,
    pgSettings: outputs.settings?.pgSettings,
    preloadLibraries: outputs.settings?.preloadLibraries,
    restartTriggers: outputs.restartTriggers,
  });
}

/**
 * What is known once a service has accepted what a program asks for: it may leave a field out of its answers.
 * @param except paths at which it has something else
 */
export function knownAfter(last: Partial<Outputs>, inputs: Inputs, except: readonly string[] = []): Partial<Outputs> {
  const { projectId, type, restartTriggers, ...asked } = valuesByPath(wishOf(inputs));
  return withValues(last, without(asked, except));
}

/** The outputs with other settings, by path. */
export function withValues(outputs: Partial<Outputs>, values: SettingValues): Partial<Outputs> {
  const { pgSettings, preloadLibraries, ...rest } = settingsByName(values);
  const { settings } = outputs;
  return {
    ...outputs,
    ...rest,
    settings: {
      pgSettings: { ...settings?.pgSettings, ...pgSettings },
      preloadLibraries: { ...settings?.preloadLibraries, ...preloadLibraries },
    },
  };
}

/** The outputs without the settings at these paths. */
export function withoutValues(outputs: Partial<Outputs>, paths: readonly string[]): Partial<Outputs> {
  if (paths.length === 0) return outputs;
  const { settings, ...rest } = outputs;
  const { pgSettings, preloadLibraries } = settingsByName(without(valuesByPath({ ...settings }), paths));
  return { ...(without(rest, paths) as Partial<Outputs>), settings: pruned({ pgSettings, preloadLibraries }) };
}

/** Properties that only one step reads and that are no wish: they are never "managed". */
const NOT_MANAGED = new Set(["adopt", "onDelete", "onRestart", "waitForReady", "customTimeouts"]);

/** Paths of the properties that the program sets; inside `settings` each part by itself. */
export function managedOf(inputs: Inputs): string[] {
  const { settings, ...rest } = inputs;
  const top = Object.entries(rest).flatMap(([name, value]) =>
    value === undefined || NOT_MANAGED.has(name) ? [] : [name],
  );
  const parts = Object.entries({ ...settings }).flatMap(([part, value]) =>
    Object.entries({ ...value }).flatMap(([key, inner]) => (inner === undefined ? [] : [`settings.${part}.${key}`])),
  );
  return [...top, ...parts].sort();
}

/**
 * The inputs that a program would have to say for the compute to be as it is: the live values of what it manages.
 * Returned by read, so that drift shows, and only drift.
 * @param asked values that the service did not take: the inputs keep them
 */
export function inputsOf(outputs: Outputs, asked: SettingValues = {}): Record<string, unknown> {
  const managed = new Set(outputs.managed);
  const values = { ...valuesByPath(liveOfOutputs(outputs)), ...asked };
  const inputs: Record<string, unknown> = {};
  for (const path of outputs.managed) {
    if (path.startsWith("settings.") || path === "size") continue;
    inputs[path] = path in values ? values[path] : outputs[path as keyof Outputs];
  }
  if (managed.has("size")) {
    const { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max } = values;
    Object.assign(inputs, min === max ? { size: max } : { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });
  }
  const { pgSettings, preloadLibraries } = settingsByName(values);
  const settings = pruned({
    pgSettings: partOf(outputs.managed, "settings.pgSettings.", pgSettings),
    preloadLibraries: partOf(outputs.managed, "settings.preloadLibraries.", preloadLibraries),
  });
  if (Object.keys(settings).length > 0) inputs["settings"] = settings;
  return pruned({
    ...inputs,
    onDelete: outputs.onDelete,
    waitForReady: outputs.waitForReady,
    customTimeouts: outputs.customTimeouts,
    adopt: outputs.adopt,
    onRestart: outputs.onRestart,
    __autoName: outputs.__autoName,
    __secret: outputs.__secret,
    __retain: outputs.__retain,
    restart: "no",
  });
}

function partOf(managed: readonly string[], prefix: string, values: object | undefined) {
  const paths = managed.filter((path) => path.startsWith(prefix));
  if (paths.length === 0) return undefined;
  const entries = paths
    .map((path) => path.slice(prefix.length))
    .map((key) => [key, (values as Record<string, unknown>)?.[key]]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** What the service did not take in an earlier step. The records of version 0.1.0 were digests, and are dropped. */
export function notTakenIn({ notTaken, __asked: asked }: Partial<Outputs>): SettingValues {
  return Array.isArray(notTaken) && asked ? pick(asked, notTaken) : {};
}

/** The paths that the service did not take in an earlier step, and at which the program still asks for the same value. */
export function stillRefused(desired: SettingValues, last: Partial<Outputs>): string[] {
  const asked = notTakenIn(last);
  return Object.keys(desired).filter((path) => path in asked && isAsWanted(path, asked[path], desired[path]));
}
