// A compute's settings, each by its name in the API and in a program. Written out again here, so that a wrong mapping of the
// provider shows.

import type { EndpointRow } from "../../../emulator/index";
import type { Props } from "../../support/lab";

const NAMES: Record<string, readonly string[]> = {
  branch_id: ["branchId"],
  autoscaling_limit_min_cu: ["autoscalingLimitMinCu", "size"],
  autoscaling_limit_max_cu: ["autoscalingLimitMaxCu", "size"],
  suspend_timeout_seconds: ["suspendTimeoutSeconds"],
  name: ["name"],
  disabled: ["disabled"],
  pooler_enabled: ["poolerEnabled"],
};

/** The paths in a program that set a field: for `settings.pg_settings.work_mem`, `settings.pgSettings.work_mem`. */
export function pathsOf(field: string): readonly string[] {
  const [top, part, ...key] = field.split(".");
  if (top !== "settings") return NAMES[field] ?? [];
  if (part === "pg_settings") return [`settings.pgSettings.${key.join(".")}`];
  return [`settings.preloadLibraries.${key[0] === "use_defaults" ? "useDefaults" : "enabledLibraries"}`];
}

/** Whether one of the paths sets the field, contains it, or is inside it. Pulumi writes `["a.b"]` for a name with a dot. */
export const coversField = (paths: readonly string[], field: string): boolean =>
  pathsOf(field).some((own) =>
    paths
      .map((path) => path.replace(/\["([^"]*)"\]/g, ".$1"))
      .some((path) => path === own || own.startsWith(`${path}.`) || path.startsWith(`${own}.`)),
  );

/** The settings in a request's body or a row, each with its value. */
export function fieldsIn(from: Props | EndpointRow): Props {
  const { settings, ...rest } = from as Props & { settings?: EndpointRow["settings"] };
  const fields: Props = {};
  for (const field of Object.keys(NAMES)) if (rest[field] !== undefined) fields[field] = rest[field];
  for (const [key, value] of Object.entries(settings?.pg_settings ?? {})) fields[`settings.pg_settings.${key}`] = value;
  const libraries = settings?.preload_libraries as Props | undefined;
  for (const [key, value] of Object.entries(libraries ?? {})) {
    fields[`settings.preload_libraries.${key}`] = Array.isArray(value) ? [...value].sort() : value;
  }
  return fields;
}

/** The value of a field that is left out. */
const DEFAULTS: Props = { suspend_timeout_seconds: 0, disabled: false };

export const sameValue = (field: string, a: unknown, b: unknown): boolean => {
  const none = field.endsWith("enabled_libraries") ? [] : field.endsWith("use_defaults") ? false : DEFAULTS[field];
  return spelling(JSON.stringify(a ?? none)) === spelling(JSON.stringify(b ?? none));
};

/** Some services answer a value in another spelling. */
const spelling = (text: string | undefined): string | undefined => text?.replace('"65536kB"', '"64MB"');

/** The fields in which two rows differ. */
export function changedBetween(before: Props | EndpointRow, after: Props | EndpointRow): string[] {
  const [was, is] = [fieldsIn(before), fieldsIn(after)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (field) => !sameValue(field, was[field], is[field]),
  );
}
