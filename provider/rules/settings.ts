// The settings of a compute. `SETTINGS` is the only list of them: types, requests, comparisons, impacts, digests, the state, the
// report and the SDK's outputs are derived from it.
//
// CONTRIBUTING.md has the steps for a new setting.

/** A value that preview does not know yet. Rules skip it, and the restart notice says "maybe". */
export const UNKNOWN = Symbol("known after apply");
export type Unknown = typeof UNKNOWN;

export type EndpointType = "read_write" | "read_only";

/** A newer service may have further types of computes. */
export const isKnownType = (value: unknown): value is EndpointType => value === "read_write" || value === "read_only";

export interface PreloadLibraries {
  useDefaults?: boolean;
  enabledLibraries?: string[];
}

/** Each kind of value has one type and one comparison (`equality.ts`). */
export interface Kinds {
  text: string;
  type: EndpointType;
  cu: number;
  seconds: number;
  flag: boolean;
  parameters: Record<string, string>;
  libraries: PreloadLibraries;
  triggers: readonly unknown[];
}

/** The rules of `impact.ts`. */
export type ImpactRule =
  | "none"
  | "at-next-start"
  | "postgres"
  | "resize"
  | "restart"
  | "other-branch"
  | "stop"
  | "new-host";

type Row = {
  [K in keyof Kinds]: {
    kind: K;
    /** The name of the field in the API; null if the setting is not sent as a field. */
    wire: string | null;
    /** How a change reaches the service: by a PATCH, by a new compute, or by a restart. */
    changedBy: "update" | "replacement" | "restart";
    impact: ImpactRule;
    /**
     * Whether the digest of an approval includes the old and new value. `cause`: if this setting causes the impact. `always`:
     * also if another setting causes it. `hash`: like `cause`, but with a hash of the values. If you change this column, existing
     * approvals become invalid.
     */
    digest: "cause" | "always" | "hash";
    /** The value that the service takes where nobody sets one. */
    default?: Kinds[K];
    /** Whether a program has to give it. */
    required?: true;
    /** Whether a program writes it inside `settings`. */
    part?: true;
    /** Whether a program may write it as `size`, together with the other limit. */
    sizeLimit?: true;
  };
}[keyof Kinds];

/** Texts list changes in this order. `size: 2` means both limits are 2. */
export const SETTINGS = {
  projectId: {
    kind: "text",
    wire: "project_id",
    changedBy: "replacement",
    impact: "new-host",
    digest: "cause",
    required: true,
  },
  type: {
    kind: "type",
    wire: "type",
    changedBy: "replacement",
    impact: "new-host",
    digest: "cause",
    default: "read_write",
  },
  disabled: { kind: "flag", wire: "disabled", changedBy: "update", impact: "stop", digest: "cause", default: false },
  branchId: {
    kind: "text",
    wire: "branch_id",
    changedBy: "update",
    impact: "other-branch",
    digest: "cause",
    required: true,
  },
  autoscalingLimitMinCu: {
    kind: "cu",
    wire: "autoscaling_limit_min_cu",
    changedBy: "update",
    impact: "resize",
    digest: "cause",
    sizeLimit: true,
  },
  autoscalingLimitMaxCu: {
    kind: "cu",
    wire: "autoscaling_limit_max_cu",
    changedBy: "update",
    impact: "resize",
    digest: "cause",
    sizeLimit: true,
  },
  pgSettings: {
    kind: "parameters",
    wire: "pg_settings",
    changedBy: "update",
    impact: "postgres",
    digest: "cause",
    part: true,
  },
  // The compute restarts when these values differ from those of its last restart. Any kind of value is allowed; no text shows
  // them.
  restartTriggers: { kind: "triggers", wire: null, changedBy: "restart", impact: "restart", digest: "hash" },
  // A change alone has no effect. The next restart loads the libraries, so an approval of a restart covers them too.
  preloadLibraries: {
    kind: "libraries",
    wire: "preload_libraries",
    changedBy: "update",
    impact: "at-next-start",
    digest: "always",
    part: true,
  },
  suspendTimeoutSeconds: {
    kind: "seconds",
    wire: "suspend_timeout_seconds",
    changedBy: "update",
    impact: "none",
    digest: "cause",
    default: 0,
  },
  name: { kind: "text", wire: "name", changedBy: "update", impact: "none", digest: "cause" },
  poolerEnabled: {
    kind: "flag",
    wire: "pooler_enabled",
    changedBy: "update",
    impact: "none",
    digest: "cause",
    default: false,
  },
} as const satisfies Record<string, Row>;

type Table = typeof SETTINGS;
export type SettingName = keyof Table;
export type Settings = { [K in SettingName]: Kinds[Table[K]["kind"]] };

/** The settings whose row has these values. */
export type SettingsWhere<Columns> = { [K in SettingName]: Table[K] extends Columns ? K : never }[SettingName];
export type PartName = SettingsWhere<{ part: true }>;

/** What a program asks for. A setting that is absent is not managed and stays as it is on the service. */
export type DesiredSettings = { [K in SettingName]?: Settings[K] | Unknown };

/** What is known of a compute on the service. */
export type ObservedSettings = Partial<Settings>;

/** Settings as a program writes them, and as the state keeps them. */
export type SettingsInput = { [K in Exclude<SettingName, PartName>]?: Settings[K] } & {
  size?: number;
  settings?: { [K in PartName]?: Settings[K] };
};
/** A property at the top of a program's arguments. */
export type SettingProperty = keyof SettingsInput;

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

export const rowOf = (name: SettingName): Row => SETTINGS[name];

export const settingsWhere = <const Columns extends Partial<Row>>(columns: Columns): SettingsWhere<Columns>[] =>
  SETTING_NAMES.filter((name) =>
    Object.entries(columns).every(([column, value]) => rowOf(name)[column as keyof Row] === value),
  ) as SettingsWhere<Columns>[];

/** The type of a compute if the program sets none. */
export const DEFAULT_TYPE = SETTINGS.type.default;

export const NESTED_SETTINGS: readonly PartName[] = settingsWhere({ part: true });
export const SIZE_LIMITS = settingsWhere({ sizeLimit: true });
/** The paths of a property: `size` is both limits. */
export const pathsOf = (property: string): readonly string[] => (property === "size" ? SIZE_LIMITS : [property]);
/** The properties that give a size. */
export const SIZE_FORMS: readonly SettingProperty[] = ["size", ...SIZE_LIMITS];

/** The path of a setting in a program. */
export const propertyOf = (name: SettingName): string => (rowOf(name).part ? `settings.${name}` : name);

/** The property of a setting at the top of a program's arguments. `size` is the other form of two of them. */
export const topLevelPropertyOf = (name: SettingName): SettingProperty =>
  rowOf(name).part ? "settings" : (name as Exclude<SettingName, PartName>);

/** Every setting is an output as well, but not the restart triggers. */
export type SettingOutput = Exclude<SettingProperty, SettingsWhere<{ wire: null }>>;

export const SETTING_PROPERTIES: readonly SettingProperty[] = [
  ...new Set([...SETTING_NAMES.map(topLevelPropertyOf), "size" as const]),
];

/**
 * Whether the value of a property is secret, so that no text may show it. `size` and the limits reveal each other's value, so if
 * one is secret, all are.
 * @param path of the property in the program; @param secrets the top-level names that are secret
 */
export function isSecret(path: string, secrets: ReadonlySet<string> | undefined): boolean {
  const top = path.split(".")[0]!;
  const names: readonly string[] = (SIZE_FORMS as readonly string[]).includes(top) ? SIZE_FORMS : [top];
  return names.some((name) => secrets?.has(name));
}

/** The settings in a program's values, or in a state's. */
export function settingsIn(input: SettingsInput): ObservedSettings {
  const settings: Record<string, unknown> = {};
  const { settings: parts, size } = input;
  for (const name of SETTING_NAMES) {
    const { part, sizeLimit } = rowOf(name);
    const given = (part ? parts : input)?.[name as never] as unknown;
    const value = sizeLimit ? (given ?? size) : given;
    if (value !== undefined) settings[name] = value;
  }
  return settings;
}

/** The settings as a program writes them, with a fixed size as `size`. */
export function inputOf(settings: ObservedSettings): SettingsInput {
  const [min, max] = SIZE_LIMITS.map((name) => settings[name]);
  const isFixed = min !== undefined && min === max;
  const input: Record<string, unknown> = {};
  const parts: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const { part, sizeLimit } = rowOf(name);
    if (settings[name] === undefined) continue;
    if (part) parts[name] = settings[name];
    else if (sizeLimit && isFixed) input["size"] = max;
    else input[name] = settings[name];
  }
  return { ...input, ...(Object.keys(parts).length > 0 ? { settings: parts } : {}) };
}

/** The settings in a program's values; `size` gives both limits. Unknown values are marked. */
export function desiredSettings(input: SettingsInput, unknown: ReadonlySet<string> = new Set()): DesiredSettings {
  const desired: DesiredSettings = { ...settingsIn(input) };
  desired.type ??= DEFAULT_TYPE;
  for (const path of unknown) {
    const [top, part] = path.split(".");
    const names = path === "settings" ? NESTED_SETTINGS : top === "settings" ? [part!] : pathsOf(top!);
    for (const name of names) if (Object.hasOwn(SETTINGS, name)) desired[name as "name"] = UNKNOWN;
  }
  return desired;
}
