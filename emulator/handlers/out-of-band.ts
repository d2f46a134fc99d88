// Changes that somebody else makes to a compute, outside of the API: without an operation, a lock or a check of the service.

import * as z from "zod/mini";
import { controlError, notFoundError } from "../model/errors.js";
import { describeIssues, SHOWN_REASONS } from "../model/issues.js";
import { ChangeableEndpoint, type EndpointRow, OPTIONAL_ENDPOINT_FIELDS } from "../model/rows.js";
import type { Simulation } from "../model/simulation.js";
import { timestamp } from "../model/time.js";
import { findRow } from "../model/world.js";

const Fields = z.partial(ChangeableEndpoint);

export function endpointById(sim: Simulation, id?: string): EndpointRow {
  const row = findRow(sim.world.endpoints, id);
  if (!row) throw notFoundError("endpoint");
  return row;
}

/** `null` removes an optional field. */
export function changeOutOfBand(sim: Simulation, row: EndpointRow, body: unknown): EndpointRow {
  const given = typeof body === "object" && body !== null ? Object.entries(body) : [];
  const removed = OPTIONAL_ENDPOINT_FIELDS.filter((name) =>
    given.some(([key, value]) => key === name && value === null),
  );
  const kept = given.filter(([key]) => !(removed as string[]).includes(key));
  const parsed = Fields.safeParse(given.length > 0 ? Object.fromEntries(kept) : body);
  if (!parsed.success) throw controlError(`not fields of an endpoint: ${describeIssues(parsed.error, SHOWN_REASONS)}`);
  const fields = parsed.data;
  const branch = sim.world.branches[fields.branch_id ?? row.branch_id];
  if (fields.branch_id !== undefined && branch?.project_id !== row.project_id) throw notFoundError("branch");
  const at = timestamp(sim.now);
  // A new state sets its times, unless the body has them too.
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
