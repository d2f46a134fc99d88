import { createHash } from "node:crypto";

/** A value of the program that preview does not know yet. Rules skip it, and the restart notice says "maybe". */
export const UNKNOWN = Symbol("known after apply");
export type Unknown = typeof UNKNOWN;

export type EndpointType = "read_write" | "read_only";

export interface PreloadLibraries {
  useDefaults?: boolean;
  enabledLibraries?: string[];
}

/** What a compute can be told to be. `size: 2` is both limits 2. */
export interface Settings {
  projectId: string;
  branchId: string;
  type: EndpointType;
  autoscalingLimitMinCu: number;
  autoscalingLimitMaxCu: number;
  suspendTimeoutSeconds: number;
  name: string;
  disabled: boolean;
  poolerEnabled: boolean;
  pgSettings: Record<string, string>;
  preloadLibraries: PreloadLibraries;
  /**
   * No setting of the compute: it is restarted when they are others than at its last restart. Values of any kind, which
   * are never shown.
   */
  restartTriggers: readonly unknown[];
}

export type SettingName = keyof Settings;

/** What a program asks for: a setting that is absent is not managed and stays as it is on the service. */
export type Wish = { [K in SettingName]?: Settings[K] | Unknown };

/** What is known of a compute on the service. */
export type Live = Partial<Settings>;

/** The name of a setting in a program. */
export const propertyOf = (name: SettingName): string =>
  name === "pgSettings" || name === "preloadLibraries" ? `settings.${name}` : name;

const SIZE_FORMS = ["size", "autoscalingLimitMinCu", "autoscalingLimitMaxCu"];

/**
 * Whether the value of a property may not be shown. The forms of the size repeat and explain each other, so one that is
 * secret hides all of them.
 * @param path of the property in the program; @param secrets the top-level names that are secret
 */
export function isHidden(path: string, secrets: ReadonlySet<string> | undefined): boolean {
  const top = path.split(".")[0]!;
  const names = SIZE_FORMS.includes(top) ? SIZE_FORMS : [top];
  return names.some((name) => secrets?.has(name));
}

/**
 * Whether a compute that has `has` is as `wanted`. No timeout and `0` are equal, lists of libraries have no order, a
 * Postgres value may be spelled otherwise, and inside `settings` only what the program names counts: the service may fill
 * in the rest. No triggers ask for nothing.
 */
export function satisfies<K extends SettingName>(name: K, has: Settings[K] | undefined, wanted: Settings[K]): boolean {
  switch (name) {
    case "suspendTimeoutSeconds":
      return (has ?? 0) === wanted;
    case "pgSettings": {
      const values = (has ?? {}) as Record<string, string>;
      return Object.entries(wanted as Record<string, string>).every(([key, value]) =>
        isSamePostgresValue(key, values[key], value),
      );
    }
    case "preloadLibraries": {
      const { useDefaults, enabledLibraries } = wanted as PreloadLibraries;
      const values = (has ?? {}) as PreloadLibraries;
      return (
        (useDefaults === undefined || (values.useDefaults ?? false) === useDefaults) &&
        (enabledLibraries === undefined || sameNames(values.enabledLibraries ?? [], enabledLibraries))
      );
    }
    case "restartTriggers": {
      const values = wanted as readonly unknown[];
      return values.length === 0 || canonical(has) === canonical(values);
    }
    default:
      return has === wanted;
  }
}

/** Bytes and microseconds of the units that Postgres takes in a setting; their case matters there too. */
const UNITS: Record<string, [dimension: string, factor: number]> = {
  B: ["bytes", 1],
  kB: ["bytes", 1024],
  MB: ["bytes", 1024 ** 2],
  GB: ["bytes", 1024 ** 3],
  TB: ["bytes", 1024 ** 4],
  us: ["time", 1],
  ms: ["time", 1000],
  s: ["time", 1_000_000],
  min: ["time", 60_000_000],
  h: ["time", 3_600_000_000],
  d: ["time", 86_400_000_000],
};
const BOOLEANS = new Map([
  ...["on", "true", "yes"].map((word) => [word, "on"] as const),
  ...["off", "false", "no"].map((word) => [word, "off"] as const),
]);

/**
 * Whether two values of a Postgres setting mean the same: services answer `64MB` as `65536kB`, and `true` as `on`. A number
 * without a unit is only equal to such a number, since its unit depends on the setting. A setting with a dot in its name
 * belongs to an extension or an application, and may be any text.
 */
export function isSamePostgresValue(name: string, a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  if (name.includes(".")) return false;
  return typeof a === "string" && typeof b === "string" && postgresValue(a) === postgresValue(b);
}

function postgresValue(text: string): string {
  const trimmed = text.trim();
  const word = BOOLEANS.get(trimmed.toLowerCase());
  if (word) return word;
  const [, amount, unit] = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*([A-Za-z]{0,3})$/.exec(trimmed) ?? [];
  if (amount === undefined || unit === undefined) return trimmed;
  if (unit === "") return `number ${Number(amount)}`;
  const [dimension, factor] = UNITS[unit] ?? [];
  return dimension === undefined || factor === undefined ? trimmed : `${dimension} ${Number(amount) * factor}`;
}

const sameNames = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && [...a].sort().every((name, index) => name === [...b].sort()[index]);

/** The settings that the wish names and the compute has otherwise. Values not known yet are left out. */
export function differences(wish: Wish, live: Live): SettingName[] {
  return (Object.keys(wish) as SettingName[]).filter((name) => {
    const wanted = wish[name];
    return wanted !== undefined && wanted !== UNKNOWN && !satisfies(name, live[name], wanted);
  });
}

/**
 * JSON with sorted keys, for comparing: the order of keys changes on the way through Pulumi. Of an asset or archive only its
 * content counts: where a file lies differs from machine to machine.
 */
export function canonical(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, inner: unknown) => {
    if (inner === null || typeof inner !== "object" || Array.isArray(inner)) return inner;
    const hash = contentHash(inner as Record<string, unknown>);
    if (hash !== undefined) return { [SIGNATURE]: hash };
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** The key by which Pulumi marks an object as something else, and its values for assets and archives. */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";
const CONTENT: readonly unknown[] = ["c44067f5952c0a294b673a41bacd8c17", "0def7320c3a5731c473e5ecbe6d01bc7"];

const contentHash = (value: Record<string, unknown>): string | undefined =>
  CONTENT.includes(value[SIGNATURE]) && typeof value["hash"] === "string" ? value["hash"] : undefined;

/** A short digest of a value: tells whether it is the same one without keeping it. */
export const digest = (value: unknown): string =>
  createHash("sha256").update(canonical(value)).digest("hex").slice(0, 12);
