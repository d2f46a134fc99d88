/** The settings of a project. The world holds only those that somebody has set. */
type ProjectSettings = Record<string, unknown>;

/**
 * What each project's answer holds, also where nobody has set anything: clients read `allowed_ips.ips` without a look
 * whether it is there. Names and values are those of the published examples. Modelling choice: the maintenance window,
 * which differs from project to project.
 */
const DEFAULTS: ProjectSettings = {
  allowed_ips: { ips: [], protected_branches_only: false },
  enable_logical_replication: false,
  maintenance_window: { weekdays: [6], start_time: "08:00", end_time: "09:00" },
  block_public_connections: false,
  block_vpc_connections: false,
  hipaa: false,
};

/**
 * Each setting that is sent replaces the one before. Modelling choice: `allowed_ips` is merged field by field, because
 * clients send one of its fields alone, or `{}`, and mean the other to stay.
 */
export function mergedSettings(before: ProjectSettings, sent: ProjectSettings = {}): ProjectSettings {
  const merged = { ...before, ...sent };
  const parts = [before, sent].map((one) => one["allowed_ips"] as object | undefined);
  return parts.some(Boolean) ? { ...merged, allowed_ips: Object.assign({}, ...parts) } : merged;
}

export const shownSettings = (stored: ProjectSettings): ProjectSettings => mergedSettings(DEFAULTS, stored);
