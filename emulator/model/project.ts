import type * as z from "zod/mini";
import { unknownRegionError } from "./errors.js";
import { projectId } from "./ids.js";
import type { Behavior } from "./options.js";
import type { ProjectCreateBody } from "./request-bodies.js";
import type { ProjectRow } from "./rows.js";
import type { Simulation } from "./simulation.js";
import { timestamp } from "./time.js";

export const DEFAULT_REGION = "aws-us-east-2";
export const DEFAULT_CU = 0.25;
export const DEFAULT_PROVISIONER = "k8s-neonvm";
const DEFAULT_PG_VERSION = 17;
const DEFAULT_RETENTION_SECONDS = 86_400;
const REGION = /^(aws|azure)-[a-z0-9-]{1,40}$/;

export function newProject(
  sim: Simulation,
  input: z.output<typeof ProjectCreateBody>["project"],
  id = projectId(sim.random, sim.world.projects),
): ProjectRow {
  const region = input.region_id ?? DEFAULT_REGION;
  if (!REGION.test(region)) throw unknownRegionError(region);
  const at = timestamp(sim.now);
  return {
    id,
    name: input.name ?? id,
    region_id: region,
    pg_version: input.pg_version ?? DEFAULT_PG_VERSION,
    provisioner: input.provisioner ?? DEFAULT_PROVISIONER,
    store_passwords: input.store_passwords ?? true,
    default_endpoint_settings: {
      autoscaling_limit_min_cu: input.autoscaling_limit_min_cu ?? DEFAULT_CU,
      autoscaling_limit_max_cu: input.autoscaling_limit_max_cu ?? DEFAULT_CU,
      suspend_timeout_seconds: 0,
      ...input.default_endpoint_settings,
    },
    settings: input.settings ?? {},
    history_retention_seconds: input.history_retention_seconds ?? DEFAULT_RETENTION_SECONDS,
    ...(input.org_id !== undefined ? { org_id: input.org_id } : {}),
    created_at: at,
    updated_at: at,
  };
}

export const platformOf = (regionId: string) => regionId.split("-")[0] as string;

/** `aws-us-east-2` is `us-east-2.aws.neon.tech` in a host name. */
export const proxyHost = (regionId: string) =>
  `${regionId.split("-").slice(1).join("-")}.${platformOf(regionId)}.neon.tech`;

/** The settings of a project. The world contains only those that a request has set. */
type ProjectSettings = Record<string, unknown>;

/**
 * The settings in each response, even if no request has set any: clients read `allowed_ips.ips` without a check. Names and
 * values are those of the published examples. Modelling choice: the maintenance window, which differs between projects.
 */
const DEFAULTS: ProjectSettings = {
  allowed_ips: { ips: [], protected_branches_only: false },
  enable_logical_replication: false,
  maintenance_window: { weekdays: [6], start_time: "08:00", end_time: "09:00" },
  block_public_connections: false,
  block_vpc_connections: false,
  hipaa: false,
};

/** `allowed_ips` of both, merged field by field. A field of `above` wins. */
function mergedIps(below: ProjectSettings, above: ProjectSettings): ProjectSettings {
  const parts = [below, above].map((one) => one["allowed_ips"] as object | undefined);
  return parts.some(Boolean) ? { allowed_ips: Object.assign({}, ...parts) } : {};
}

/**
 * The settings after a PATCH. Each setting in the request replaces the one before. It is not documented whether `allowed_ips` is
 * replaced as a whole. Two clients suggest it: the service's own command sends both fields back, and a Terraform provider sends
 * `{}` to remove all addresses.
 */
export const patchedProjectSettings = (
  { settingsPatch }: Behavior,
  before: ProjectSettings,
  sent: ProjectSettings = {},
): ProjectSettings => ({ ...before, ...sent, ...(settingsPatch === "merge" ? mergedIps(before, sent) : {}) });

export const withDefaultSettings = (stored: ProjectSettings): ProjectSettings => ({
  ...DEFAULTS,
  ...stored,
  ...mergedIps(DEFAULTS, stored),
});
