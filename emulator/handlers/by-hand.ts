import { badControl, missing } from "../refuse.js";
import type { Site } from "../rules.js";
import { ChangeableEndpoint, OPTIONAL_ENDPOINT_FIELDS, reasonsOf } from "../schema.js";
import { instant } from "../time.js";
import type { EndpointRow } from "../world.js";

/** What somebody else did to a compute behind our back: no operation, no lock, no rule of the service. */

const Fields = ChangeableEndpoint.partial();

export function endpointById(site: Site, id = ""): EndpointRow {
  const row = Object.hasOwn(site.world.endpoints, id) ? site.world.endpoints[id] : undefined;
  if (!row) throw missing("endpoint");
  return row;
}

/** `null` takes an optional field away. */
export function changeByHand(site: Site, row: EndpointRow, body: unknown): EndpointRow {
  const given = typeof body === "object" && body !== null ? Object.entries(body) : [];
  const removed = OPTIONAL_ENDPOINT_FIELDS.filter((name) =>
    given.some(([key, value]) => key === name && value === null),
  );
  const kept = given.filter(([key]) => !(removed as string[]).includes(key));
  const parsed = Fields.safeParse(given.length > 0 ? Object.fromEntries(kept) : body);
  if (!parsed.success) throw badControl(`not fields of an endpoint: ${reasonsOf(parsed.error)}`);
  const fields = parsed.data;
  const branch = site.world.branches[fields.branch_id ?? row.branch_id];
  if (fields.branch_id !== undefined && branch?.project_id !== row.project_id) throw missing("branch");
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
