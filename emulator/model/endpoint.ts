import type { EndpointCreateBody } from "../../provider/wire/endpoint.js";
import { assertComputeSize, assertProvisioner, assertSuspendTimeout } from "./assertions.js";
import { endpointId } from "./ids.js";
import { DEFAULT_CU, DEFAULT_PROVISIONER, proxyHost } from "./project.js";
import type { EndpointRow, EndpointSettings, ProjectRow } from "./rows.js";
import type { Simulation } from "./simulation.js";
import { timestamp } from "./time.js";

type EndpointInput = EndpointCreateBody["endpoint"];

/** The default if neither the request nor the project has a value. */
const DEFAULT_SUSPEND_SECONDS = 0;

/** The sizes, the timeout and the provisioner, with the project's defaults. */
function withDefaults(project: ProjectRow, input: EndpointInput) {
  const defaults = project.default_endpoint_settings;
  return {
    min: input.autoscaling_limit_min_cu ?? defaults.autoscaling_limit_min_cu ?? DEFAULT_CU,
    max: input.autoscaling_limit_max_cu ?? defaults.autoscaling_limit_max_cu ?? DEFAULT_CU,
    timeout: input.suspend_timeout_seconds ?? defaults.suspend_timeout_seconds ?? DEFAULT_SUSPEND_SECONDS,
    provisioner: input.provisioner ?? DEFAULT_PROVISIONER,
  };
}

/** Checks the sizes, the timeout and the provisioner. */
export function assertEndpointInput(project: ProjectRow, input: EndpointInput): void {
  const { min, max, timeout, provisioner } = withDefaults(project, input);
  assertComputeSize(min, max);
  assertSuspendTimeout(timeout);
  assertProvisioner(provisioner);
}

/** A new compute that is starting. The caller adds it to the world. */
export function newEndpoint(
  sim: Simulation,
  project: ProjectRow,
  input: EndpointInput,
  id = endpointId(sim.random, sim.world.endpoints),
): EndpointRow {
  const { min, max, timeout, provisioner } = withDefaults(project, input);
  const { pg_settings } = project.default_endpoint_settings;
  const at = timestamp(sim.now);
  return {
    host: hostOf(id, project.region_id),
    id,
    ...(input.name !== undefined ? { name: input.name } : {}),
    project_id: project.id,
    branch_id: input.branch_id,
    autoscaling_limit_min_cu: min,
    autoscaling_limit_max_cu: max,
    region_id: project.region_id,
    type: input.type,
    current_state: "init",
    pending_state: "active",
    settings: stored({ ...(pg_settings ? { pg_settings } : {}), ...input.settings }),
    pooler_enabled: input.pooler_enabled ?? false,
    pooler_mode: input.pooler_mode ?? "transaction",
    disabled: input.disabled ?? false,
    passwordless_access: input.passwordless_access ?? true,
    creation_source: "console",
    created_at: at,
    updated_at: at,
    proxy_host: proxyHost(project.region_id),
    suspend_timeout_seconds: timeout,
    provisioner,
  };
}

export const hostOf = (id: string, regionId: string) => `${id}.${proxyHost(regionId)}`;

/** The pooled host, which needs no setting: its id has a suffix. */
export const poolerHostOf = (endpoint: EndpointRow) => endpoint.host.replace(endpoint.id, `${endpoint.id}-pooler`);

/** The settings after a PATCH. It is not documented whether a PATCH replaces them or merges them name by name. */
export function patchedSettings(sim: Simulation, before: EndpointSettings, input: EndpointSettings): EndpointSettings {
  if (sim.behavior.settingsPatch === "replace") return stored(input);
  const parts = Object.entries(input).map(([name, part]) => [
    name,
    { ...before[name as keyof EndpointSettings], ...part },
  ]);
  return stored({ ...before, ...Object.fromEntries(parts) });
}

/** The service shows `{}` rather than empty parts. */
const stored = (settings: EndpointSettings): EndpointSettings =>
  Object.fromEntries(Object.entries(settings).filter(([, part]) => part !== undefined && Object.keys(part).length > 0));
