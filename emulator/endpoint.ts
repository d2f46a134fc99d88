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

/** A compute as it is created: on its way up, not in the world yet. Refuses sizes, timeouts and provisioners. */
export function newEndpoint(site: Site, project: ProjectRow, wish: Wish, id = endpointId(site.random)): EndpointRow {
  const defaults = project.default_endpoint_settings;
  const min = wish.autoscaling_limit_min_cu ?? defaults.autoscaling_limit_min_cu ?? DEFAULT_CU;
  const max = wish.autoscaling_limit_max_cu ?? defaults.autoscaling_limit_max_cu ?? DEFAULT_CU;
  const timeout = wish.suspend_timeout_seconds ?? defaults.suspend_timeout_seconds ?? DEFAULT_SUSPEND_SECONDS;
  const provisioner = wish.provisioner ?? DEFAULT_PROVISIONER;
  refuse.badSize(min, max);
  refuse.badTimeout(timeout);
  refuse.badProvisioner(provisioner);
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
    settings: stored({ ...(defaults.pg_settings ? { pg_settings: defaults.pg_settings } : {}), ...wish.settings }),
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

/** Modelling choice: a PATCH with `settings` replaces what was there; whether the service merges is not documented. */
export const patchedSettings = (_stored: EndpointSettings, wish: EndpointSettings): EndpointSettings => stored(wish);

/** The service shows `{}` rather than empty parts. */
const stored = (settings: EndpointSettings): EndpointSettings =>
  Object.fromEntries(Object.entries(settings).filter(([, part]) => part !== undefined && Object.keys(part).length > 0));
