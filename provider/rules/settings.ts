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
}

export type SettingName = keyof Settings;

/** What a program asks for: a setting that is absent is not managed and stays as it is on the service. */
export type Wish = { [K in SettingName]?: Settings[K] | Unknown };

/** What is known of a compute on the service. */
export type Live = Partial<Settings>;

/** The name of a setting in a program. */
export const propertyOf = (name: SettingName): string =>
  name === "pgSettings" || name === "preloadLibraries" ? `settings.${name}` : name;

/** Whether two values are the same wish. Absent and `0` are the same timeout; lists of libraries have no order. */
export function sameSetting<K extends SettingName>(name: K, a: Settings[K] | undefined, b: Settings[K] | undefined) {
  switch (name) {
    case "suspendTimeoutSeconds":
      return (a ?? 0) === (b ?? 0);
    case "pgSettings":
      return canonical(a ?? {}) === canonical(b ?? {});
    case "preloadLibraries":
      return canonical(libraries(a as PreloadLibraries)) === canonical(libraries(b as PreloadLibraries));
    default:
      return a === b;
  }
}

const libraries = (value: PreloadLibraries | undefined) => ({
  useDefaults: value?.useDefaults,
  enabledLibraries: [...(value?.enabledLibraries ?? [])].sort(),
});

/** JSON with sorted keys, for comparing. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** The settings that the wish names and the compute has otherwise. Values not known yet are left out. */
export function differences(wish: Wish, live: Live): SettingName[] {
  return (Object.keys(wish) as SettingName[]).filter((name) => {
    const wanted = wish[name];
    return wanted !== undefined && wanted !== UNKNOWN && !sameSetting(name, wanted, live[name]);
  });
}
