import { z } from "zod";
import { endpointAnswer } from "../answers.js";
import { release } from "../progress.js";
import { missing, Refusal } from "../refuse.js";
import type { Answer } from "../route.js";
import type { Site } from "../rules.js";
import { instant } from "../time.js";
import type { EndpointRow } from "../world.js";

/** The routes beside the API, for tests in any language. They need no key: whoever reaches this port is on this machine. */

const time = z.iso.datetime({ offset: true });
const cu = z.number().positive();
const state = z.enum(["init", "active", "idle"]);
const settings = z.record(z.string(), z.unknown());

/** Everything of a compute but what it is: its id and its project. Nothing is checked against the service's rules. */
const ByHand = z
  .strictObject({
    host: z.string(),
    name: z.string(),
    branch_id: z.string(),
    region_id: z.string(),
    type: z.enum(["read_write", "read_only"]),
    autoscaling_limit_min_cu: cu,
    autoscaling_limit_max_cu: cu,
    suspend_timeout_seconds: z.number().int(),
    current_state: state,
    pending_state: state,
    settings: settings as unknown as z.ZodType<EndpointRow["settings"]>,
    pooler_enabled: z.boolean(),
    pooler_mode: z.string(),
    disabled: z.boolean(),
    passwordless_access: z.boolean(),
    provisioner: z.string(),
    creation_source: z.string(),
    proxy_host: z.string(),
    compute_release_version: z.string(),
    last_active: time,
    started_at: time,
    suspended_at: time,
  })
  .partial();

const OPTIONAL = [
  "name",
  "pending_state",
  "compute_release_version",
  "last_active",
  "started_at",
  "suspended_at",
] as const;

export interface ControlCall {
  method: string;
  /** The path's segments behind `/_emulator`. */
  segments: string[];
  body: unknown;
  site: Site;
  requests: { length: number };
}

export function control(call: ControlCall): Answer {
  const [what, id, rest] = call.segments;
  const { site } = call;
  const key = rest === undefined ? `${call.method} ${what}${id === undefined ? "" : "/:id"}` : "";
  switch (key) {
    case "GET requests":
      return { status: 200, body: call.requests };
    case "DELETE requests":
      call.requests.length = 0;
      return { status: 204 };
    case "GET world":
      return { status: 200, body: site.world };
    case "POST faults":
      try {
        site.faults.add(call.body);
      } catch (error) {
        throw new Refusal(400, (error as Error).message);
      }
      return { status: 204 };
    case "DELETE faults":
      site.faults.clear();
      release(site);
      return { status: 204 };
    case "POST endpoints/:id":
      return { status: 200, body: { endpoint: endpointAnswer(changeByHand(site, endpoint(site, id), call.body)) } };
    case "DELETE endpoints/:id":
      delete site.world.endpoints[endpoint(site, id).id];
      return { status: 204 };
    default:
      throw missing("route");
  }
}

function endpoint(site: Site, id = ""): EndpointRow {
  const row = Object.hasOwn(site.world.endpoints, id) ? site.world.endpoints[id] : undefined;
  if (!row) throw missing("endpoint");
  return row;
}

/** What somebody else did behind our back: no operation, no lock. `null` takes an optional field away. */
function changeByHand(site: Site, row: EndpointRow, body: unknown): EndpointRow {
  const given = typeof body === "object" && body !== null ? Object.entries(body) : [];
  const removed = OPTIONAL.filter((name) => given.some(([key, value]) => key === name && value === null));
  const kept = given.filter(([key]) => !(removed as string[]).includes(key));
  const parsed = ByHand.safeParse(given.length > 0 ? Object.fromEntries(kept) : body);
  if (!parsed.success) {
    const reasons = parsed.error.issues.map((issue) =>
      [issue.path.join("."), issue.message].filter(Boolean).join(": "),
    );
    throw new Refusal(400, `not fields of an endpoint: ${reasons.join("; ")}`);
  }
  const fields = parsed.data;
  const at = instant(site.now);
  // A state comes with its times, unless they are given too.
  if (fields.current_state === "active" && row.current_state !== "active") {
    row.started_at = at;
    delete row.suspended_at;
  } else if (fields.current_state === "idle" && row.current_state !== "idle") {
    row.suspended_at = at;
    delete row.started_at;
    delete row.compute_release_version;
  }
  Object.assign(row, fields, { updated_at: at });
  for (const name of removed) delete row[name];
  return row;
}
