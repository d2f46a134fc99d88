// Which values are equal: of a setting, of a Postgres parameter, or of any kind.

import { hashOf } from "./hash.js";
import {
  type DesiredSettings,
  type Kinds,
  type ObservedSettings,
  rowOf,
  type SettingName,
  type Settings,
  UNKNOWN,
} from "./settings.js";

const isEqual = (a: unknown, b: unknown): boolean => a === b;

/** Whether a compute with the value `has` needs no change to have `desired`. */
const IS_SATISFIED: { [K in keyof Kinds]: (has: Kinds[K] | undefined, desired: Kinds[K]) => boolean } = {
  text: isEqual,
  type: isEqual,
  cu: isEqual,
  flag: isEqual,
  // No timeout and 0 are both the service's default.
  seconds: (has, desired) => (has ?? 0) === desired,
  // Inside `settings` only what the program names counts: the service may fill in the rest.
  parameters: (has, desired) =>
    Object.entries(desired).every(([key, value]) => isSamePostgresValue(key, has?.[key], value)),
  libraries: (has, { useDefaults, enabledLibraries }) =>
    (useDefaults === undefined || (has?.useDefaults ?? false) === useDefaults) &&
    (enabledLibraries === undefined || sameNames(has?.enabledLibraries ?? [], enabledLibraries)),
  // An empty list asks for no restart.
  triggers: (has, desired) => desired.length === 0 || canonical(has) === canonical(desired),
};

/** Whether a compute with this value of a setting needs no change to have the desired one. */
export function satisfies<K extends SettingName>(name: K, has: Settings[K] | undefined, desired: Settings[K]): boolean {
  return IS_SATISFIED[rowOf(name).kind](has as never, desired as never);
}

/** Bytes and microseconds of the units that Postgres takes in a setting; their case matters, as in Postgres. */
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

/** The names of the desired settings in which the compute differs. Values that are not known yet are left out. */
export function differences(desired: DesiredSettings, live: ObservedSettings): SettingName[] {
  return (Object.keys(desired) as SettingName[]).filter((name) => {
    const value = desired[name];
    return value !== undefined && value !== UNKNOWN && !satisfies(name, live[name], value);
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

/** An object with this key stands for a value of Pulumi's own. `CONTENT` has its values for assets and archives. */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";
/** The value of that key for a secret. */
export const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";
const CONTENT: readonly unknown[] = ["c44067f5952c0a294b673a41bacd8c17", "0def7320c3a5731c473e5ecbe6d01bc7"];

const contentHash = (value: Record<string, unknown>): string | undefined =>
  CONTENT.includes(value[SIGNATURE]) && typeof value["hash"] === "string" ? value["hash"] : undefined;

/** A short hash, kept in the state in place of a value to detect changes. */
export const fingerprint = (value: unknown): string => hashOf(canonical(value), 12);
