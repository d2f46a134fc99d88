// The outputs of a compute in the state. They contain no volatile values, which would show as drift at each refresh.

import {
  isAsDesired,
  pick,
  type SettingValues,
  settingsByName,
  updatableValues,
  valuesByPath,
  without,
} from "../rules/paths.js";
import type { OnRestart } from "../rules/policies.js";
import { filled, pruned } from "../rules/pruned.js";
import {
  DEFAULT_TYPE,
  desiredSettings,
  type EndpointType,
  NESTED_SETTINGS,
  type ObservedSettings,
  type PartName,
  propertyOf,
  rowOf,
  SETTING_NAMES,
  SETTING_PROPERTIES,
  type SettingsInput,
  settingsIn,
} from "../rules/settings.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { LastStart } from "./action.js";
import type { DesiredState, Inputs } from "./inputs.js";
import { reportedBy } from "./mapping.js";

/**
 * The settings are those of the compute. `size` is only there where the program sets `size` and the limits are equal;
 * `restartTriggers` are the values at the last restart, or at the creation.
 */
export interface Outputs extends SettingsInput {
  projectId: string;
  branchId: string;
  type: EndpointType;
  regionId?: string;
  host?: string;
  poolerHost?: string;
  proxyHost?: string;
  createdAt?: string;
  poolerMode?: string;
  passwordlessAccess?: boolean;
  provisioner?: string;
  /** Whether the compute existed before and was taken over. */
  adopted: boolean;
  /** The notice of a compute at rest: nothing is pending. The input of the same name has the notice of a change. */
  restart: "no";
  /** Paths of the properties that the program sets: read and delete see outputs only. */
  managed: string[];
  /** Ids of operations that a step left unfinished. */
  unfinished?: string[];
  /**
   * Only after a step that could not restart the compute: the `PendingRestart` of the code, without `applied`. States from before the
   * first release have this name.
   */
  restartOwed?: { wanted: string; since?: LastStart };
  /**
   * Paths of values that the service accepted but did not apply (`unapplied` in the code): the outputs hold the compute's own values
   * instead. States from before the first release have this name.
   */
  notTaken?: string[];
  /** The values that were asked for at these paths. Pulumi encrypts them: some may be secret. */
  __asked?: SettingValues;
  onDelete?: "delete" | "release";
  waitForReady?: boolean;
  customTimeouts?: Inputs["customTimeouts"];
  /** Kept so that read can return whole inputs after drift. */
  adopt?: boolean | string;
  onRestart?: OnRestart;
  __autoName?: string;
  __secret?: string[];
  __retain?: boolean;
}

/** What a step knows beside the compute itself. */
export interface StepRecord {
  adopted: boolean;
  unfinished?: string[];
  /** What the service did not apply: the values asked for, by path. */
  unapplied?: SettingValues;
  pendingRestart?: PendingRestart;
}

/** The step that wrote the state. It decides where the settings come from. */
export type Origin =
  /** All settings come from the compute, so a refresh records drift in the state. */
  | "read"
  /** Settings of the program from the program, all others from the compute. */
  | "create"
  /** From the program and the earlier state. What somebody changed by hand is left to the next read. */
  | "update";

/** A restart that `restartTriggers` ask for and that has not happened yet. */
export interface PendingRestart {
  /** The triggers for which the compute was last restarted. */
  applied?: readonly unknown[];
  /** Digest of the program's triggers. */
  wanted?: string;
  /** When the restart became due, the compute had last been started here. Undefined if that is not known. */
  since?: LastStart;
}

/**
 * The state of a compute after a step.
 * @param last the last known values; a service may omit a field that is set
 */
export function outputsOf(
  endpoint: WireEndpoint,
  desiredState: DesiredState,
  record: StepRecord,
  last: Partial<Outputs> = {},
  origin: Origin = "read",
): Outputs {
  const { inputs, secrets } = desiredState;
  const live = settingsAfter(endpoint, settingsIn(last), origin);
  const host = endpoint.host ?? last.host;
  const fixed = live.autoscalingLimitMinCu === live.autoscalingLimitMaxCu ? live.autoscalingLimitMaxCu : undefined;
  // Pulumi hides an output where the input of the same name is secret; it can't know that a limit repeats the size.
  const shown = secrets.has("size") ? TOP_SETTINGS.filter((name) => !rowOf(name).sizeLimit) : TOP_SETTINGS;
  const outputs = {
    projectId: inputs.projectId ?? last.projectId ?? live.projectId ?? "",
    branchId: live.branchId ?? inputs.branchId ?? "",
    type: live.type ?? inputs.type ?? DEFAULT_TYPE,
    regionId: endpoint.region_id ?? last.regionId,
    size: inputs.size === undefined ? undefined : fixed,
    settings: partsOf((part) => filled(live[part])),
    host,
    poolerHost: host && poolerHost(host),
    proxyHost: endpoint.proxy_host ?? last.proxyHost,
    createdAt: endpoint.created_at ?? last.createdAt,
    poolerMode: endpoint.pooler_mode ?? last.poolerMode,
    passwordlessAccess: endpoint.passwordless_access ?? last.passwordlessAccess,
    provisioner: endpoint.provisioner ?? last.provisioner,
    ...recordOf(desiredState, record),
  };
  return pruned(Object.assign(pick({ ...live }, shown), outputs));
}

function settingsAfter(endpoint: WireEndpoint, last: ObservedSettings, origin: Origin): ObservedSettings {
  const { values: live, isReported } = reportedBy(endpoint);
  const known = valuesByPath(last);
  if (origin === "read") {
    // A value in another spelling is not drift.
    const same = Object.keys(known).filter((path) => !isReported(path) || isAsDesired(path, live[path], known[path]));
    return settingsByName({ ...live, ...pick(known, same) });
  }
  // After an update, a top-level field that the state lacks is taken from the answer. A Postgres setting that the state lacks was set
  // by hand, so it is left to the next read.
  const reported = Object.keys(live).filter((path) => origin === "create" || !path.startsWith("settings."));
  return settingsByName({ ...pick(live, reported), ...known });
}

/** Options that the state keeps a copy of, because delete and read get only the state. Diff compares them. */
export const KEPT_OPTIONS = ["onDelete", "waitForReady", "customTimeouts"] as const;
/** Options that the state keeps a copy of. The last two only let read return whole inputs after drift. */
const RECORDED_OPTIONS = [...KEPT_OPTIONS, "adopt", "onRestart"] as const;
type RecordedOptions = Pick<Inputs, (typeof RECORDED_OPTIONS)[number]>;

const optionsIn = (values: RecordedOptions): RecordedOptions => pick(values, RECORDED_OPTIONS) as RecordedOptions;

/** The part of the state that is not the service's: what delete and read have to know of the program. */
export function recordOf({ inputs, autoName, secrets, retained }: DesiredState, record: StepRecord) {
  const paths = Object.keys(record.unapplied ?? {}).sort();
  return {
    adopted: record.adopted,
    restart: "no" as const,
    managed: managedOf(inputs),
    unfinished: record.unfinished?.length ? record.unfinished : undefined,
    restartTriggers: record.pendingRestart ? record.pendingRestart.applied : inputs.restartTriggers,
    restartOwed:
      record.pendingRestart?.wanted === undefined
        ? undefined
        : pruned({ wanted: record.pendingRestart.wanted, since: record.pendingRestart.since }),
    notTaken: paths.length > 0 ? paths : undefined,
    __asked: paths.length > 0 ? record.unapplied : undefined,
    ...optionsIn(inputs),
    __autoName: autoName,
    __secret: secrets.size > 0 ? [...secrets].sort() : undefined,
    __retain: retained,
  };
}

/** The pooled host is the compute's host with `-pooler` after its first label. */
export const poolerHost = (host: string): string => host.replace(/^[^.]+/, "$&-pooler");

/**
 * The last known values after the service accepted the program's settings. A response may omit fields.
 * @param except paths that the service did not apply
 */
export function knownAfter(last: Partial<Outputs>, inputs: Inputs, except: readonly string[] = []): Partial<Outputs> {
  return withValues(last, without(updatableValues(desiredSettings(inputs)), except));
}

/** The outputs with other settings, by path. */
export function withValues(outputs: Partial<Outputs>, values: SettingValues): Partial<Outputs> {
  const settings = settingsByName(values);
  return {
    ...outputs,
    ...pick({ ...settings }, TOP_SETTINGS),
    settings: partsOf((part) => ({ ...outputs.settings?.[part], ...settings[part] })),
  };
}

/** The outputs without the settings at these paths. */
export function withoutValues(outputs: Partial<Outputs>, paths: readonly string[]): Partial<Outputs> {
  if (paths.length === 0) return outputs;
  const { settings, ...rest } = outputs;
  const left = settingsByName(without(valuesByPath({ ...settings }), paths));
  return { ...(without(rest, paths) as Partial<Outputs>), settings: partsOf((part) => left[part]) };
}

/** The properties that describe the compute. The others are options of a single step. */
export const COMPUTE_PROPERTIES: ReadonlySet<string> = new Set([...SETTING_PROPERTIES, "regionId"]);

/** Paths of the properties that the program sets; inside `settings` each part by itself. */
export function managedOf(inputs: Inputs): string[] {
  const { settings, ...rest } = inputs;
  const top = Object.entries(rest).flatMap(([name, value]) =>
    value !== undefined && COMPUTE_PROPERTIES.has(name) ? [name] : [],
  );
  const parts = Object.entries({ ...settings }).flatMap(([part, value]) =>
    Object.entries({ ...value }).flatMap(([key, inner]) => (inner === undefined ? [] : [`settings.${part}.${key}`])),
  );
  return [...top, ...parts].sort();
}

/**
 * The inputs that describe the compute as it is now: the current values of the managed properties. Returned by read, so that
 * drift shows, and only drift.
 * @param asked values that the service did not apply: the inputs keep them
 */
export function inputsOf(outputs: Outputs, asked: SettingValues = {}): Record<string, unknown> {
  const values = Object.assign(valuesByPath(settingsIn(outputs)), asked);
  const inputs: Record<string, unknown> = {};
  for (const path of outputs.managed) {
    if (path.startsWith("settings.") || path === "size") continue;
    inputs[path] = path in values ? values[path] : outputs[path as keyof Outputs];
  }
  if (outputs.managed.includes("size")) {
    const { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max } = values;
    Object.assign(inputs, min === max ? { size: max } : { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });
  }
  const byName = settingsByName(values);
  const settings = partsOf((part) => managedPart(outputs.managed, part, byName[part]));
  if (filled(settings)) inputs["settings"] = settings;
  Object.assign(inputs, optionsIn(outputs));
  for (const name of ["__autoName", "__secret", "__retain"] as const) inputs[name] = outputs[name];
  inputs["restart"] = "no";
  return pruned(inputs);
}

/** Settings outside `settings`. */
const TOP_SETTINGS = SETTING_NAMES.filter((name) => !rowOf(name).part);

function partsOf(partOf: (part: PartName) => object | undefined): Outputs["settings"] {
  const parts: { [K in PartName]?: object } = {};
  for (const part of NESTED_SETTINGS) parts[part] = partOf(part);
  return pruned(parts) as Outputs["settings"];
}

/** The values of a part at the paths that the program manages; undefined if it manages none, so that it is left out. */
function managedPart(managed: readonly string[], part: PartName, values: object = {}): object | undefined {
  const prefix = `${propertyOf(part)}.`;
  const keys = managed.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
  return keys.length === 0 ? undefined : pick({ ...values }, keys);
}

/**
 * What the service did not apply in an earlier step. 0.1.0 states (docs/design.md) have digests in
 * `notTaken`, which are dropped.
 */
export function unappliedValues({ notTaken, __asked: asked }: Partial<Outputs>): SettingValues {
  return Array.isArray(notTaken) && asked ? pick(asked, notTaken) : {};
}

/** The paths that the service did not apply in an earlier step, and at which the program still asks for the same value. */
export function stillUnapplied(desired: SettingValues, last: Partial<Outputs>): string[] {
  const asked = unappliedValues(last);
  return Object.keys(desired).filter((path) => path in asked && isAsDesired(path, asked[path], desired[path]));
}
