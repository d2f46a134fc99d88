import type { Rules } from "./rules.js";

/** The settings of a project. The world holds only those that somebody has set. */
type ProjectSettings = Record<string, unknown>;

/**
 * The settings in each project's answer, also where nobody has set any: clients read `allowed_ips.ips` without a check that it
 * is there. Names and values are those of the published examples. Modelling choice: the maintenance window, which differs from
 * project to project.
 */
const DEFAULTS: ProjectSettings = {
  allowed_ips: { ips: [], protected_branches_only: false },
  enable_logical_replication: false,
  maintenance_window: { weekdays: [6], start_time: "08:00", end_time: "09:00" },
  block_public_connections: false,
  block_vpc_connections: false,
  hipaa: false,
};

/** `allowed_ips` of both, merged field by field: `above` wins. */
function mergedIps(below: ProjectSettings, above: ProjectSettings): ProjectSettings {
  const parts = [below, above].map((one) => one["allowed_ips"] as object | undefined);
  return parts.some(Boolean) ? { allowed_ips: Object.assign({}, ...parts) } : {};
}

/**
 * Each setting that is sent replaces the one before. Whether `allowed_ips` does so as a whole is not documented. The
 * service's own command reads both fields and sends both back, and a Terraform provider sends `{}` where a program no
 * longer names any: both fit a service that replaces.
 */
export const patchedProjectSettings = (
  { settingsPatch }: Rules,
  before: ProjectSettings,
  sent: ProjectSettings = {},
): ProjectSettings => ({ ...before, ...sent, ...(settingsPatch === "merge" ? mergedIps(before, sent) : {}) });

export const shownSettings = (stored: ProjectSettings): ProjectSettings => ({
  ...DEFAULTS,
  ...stored,
  ...mergedIps(DEFAULTS, stored),
});
