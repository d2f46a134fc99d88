import type { EndpointCreateBody } from "../provider/wire/endpoint.js";
import { proxyHost } from "./answers.js";
import { endpointId } from "./ids.js";
import * as refuse from "./refuse.js";
import type { Site } from "./rules.js";
import { instant } from "./time.js";
import type { EndpointRow, EndpointSettings, ProjectRow } from "./world.js";

type Wish = EndpointCreateBody["endpoint"];

/** What a compute has when neither the request nor the project says anything. */
const DEFAULT_CU = 0.25;
const DEFAULT_SUSPEND_SECONDS = 0;
const DEFAULT_PROVISIONER = "k8s-neonvm";

/** A wish with what it leaves open filled in from the project. */
function filledIn(project: ProjectRow, wish: Wish) {
  const defaults = project.default_endpoint_settings;
  return {
    min: wish.autoscaling_limit_min_cu ?? defaults.autoscaling_limit_min_cu ?? DEFAULT_CU,
    max: wish.autoscaling_limit_max_cu ?? defaults.autoscaling_limit_max_cu ?? DEFAULT_CU,
    timeout: wish.suspend_timeout_seconds ?? defaults.suspend_timeout_seconds ?? DEFAULT_SUSPEND_SECONDS,
    provisioner: wish.provisioner ?? DEFAULT_PROVISIONER,
  };
}

/** Refuses sizes, timeouts and provisioners. */
export function checkWish(project: ProjectRow, wish: Wish): void {
  const { min, max, timeout, provisioner } = filledIn(project, wish);
  refuse.badSize(min, max);
  refuse.badTimeout(timeout);
  refuse.badProvisioner(provisioner);
}

/** A compute as it is created: on its way up, not in the world yet. */
export function newEndpoint(site: Site, project: ProjectRow, wish: Wish, named?: string): EndpointRow {
  const { min, max, timeout, provisioner } = filledIn(project, wish);
  const { pg_settings } = project.default_endpoint_settings;
  const id = named ?? endpointId(site.random, site.world.endpoints);
  const at = instant(site.now);
  return {
    host: hostOf(id, project.region_id),
    id,
    ...(wish.name !== undefined ? { name: wish.name } : {}),
    project_id: project.id,
    branch_id: wish.branch_id,
    autoscaling_limit_min_cu: min,
    autoscaling_limit_max_cu: max,
    region_id: project.region_id,
    type: wish.type,
    current_state: "init",
    pending_state: "active",
    settings: stored({ ...(pg_settings ? { pg_settings } : {}), ...wish.settings }),
    pooler_enabled: wish.pooler_enabled ?? false,
    pooler_mode: wish.pooler_mode ?? "transaction",
    disabled: wish.disabled ?? false,
    passwordless_access: wish.passwordless_access ?? true,
    creation_source: "console",
    created_at: at,
    updated_at: at,
    proxy_host: proxyHost(project.region_id),
    suspend_timeout_seconds: timeout,
    provisioner,
  };
}

export const hostOf = (id: string, regionId: string) => `${id}.${proxyHost(regionId)}`;

/** The pooled host needs no setting: it is the compute's id with a suffix. */
export const poolerHostOf = (endpoint: EndpointRow) => endpoint.host.replace(endpoint.id, `${endpoint.id}-pooler`);

/** A PATCH with `settings` replaces what was there, or joins it name by name; which, is not documented. */
export function patchedSettings(site: Site, before: EndpointSettings, wish: EndpointSettings): EndpointSettings {
  if (site.rules.settingsPatch === "replace") return stored(wish);
  const parts = Object.entries(wish).map(([name, part]) => [
    name,
    { ...before[name as keyof EndpointSettings], ...part },
  ]);
  return stored({ ...before, ...Object.fromEntries(parts) });
}

/** The service shows `{}` rather than empty parts. */
const stored = (settings: EndpointSettings): EndpointSettings =>
  Object.fromEntries(Object.entries(settings).filter(([, part]) => part !== undefined && Object.keys(part).length > 0));
