// Routes that clients call first. Modelling choice: one user without an organization.

import { type Call, type HandlerResponse, type Route, route } from "../http/route.js";
import { forbiddenError } from "../model/errors.js";
import { DEFAULT_REGION } from "../model/project.js";
import { projectOf } from "./lookup.js";

const USER = {
  active_seconds_limit: 0,
  auth_accounts: [],
  email: "user@example.com",
  id: "00000000-0000-4000-8000-000000000001",
  image: "",
  login: "user",
  name: "Emulated",
  last_name: "User",
  projects_limit: 1000,
  branches_limit: 5000,
  max_autoscaling_limit: 16,
  plan: "scale",
};

/** A few regions of the service for the list. The emulator accepts others too. */
const REGIONS = [
  ["aws-us-east-1", "AWS US East 1 (N. Virginia)", "39.04", "-77.49"],
  ["aws-us-east-2", "AWS US East 2 (Ohio)", "39.96", "-83.00"],
  ["aws-us-west-2", "AWS US West 2 (Oregon)", "45.84", "-119.70"],
  ["aws-eu-central-1", "AWS Europe Central 1 (Frankfurt)", "50.11", "8.68"],
  ["aws-ap-southeast-1", "AWS Asia Pacific 1 (Singapore)", "1.35", "103.82"],
] as const;

const LIBRARIES = [
  ["timescaledb", "Time series data", true],
  ["pg_cron", "Jobs on a schedule", true],
  ["pg_partman_bgw", "Partition maintenance", false],
] as const;

/** The user in the form in which responses name the creator of something. */
export const creator = { id: USER.id, name: `${USER.name} ${USER.last_name}`, image: USER.image };

/** Refuses a key for one project: it can neither read its user nor give others access. */
export function assertAccountKey(call: Call): void {
  if (call.keyProjectId !== undefined) throw forbiddenError();
}

function user(call: Call): HandlerResponse {
  assertAccountKey(call);
  return { status: 200, body: USER };
}

function organizations(call: Call): HandlerResponse {
  assertAccountKey(call);
  return { status: 200, body: { organizations: [] } };
}

function authentication(call: Call): HandlerResponse {
  assertAccountKey(call);
  return { status: 200, body: { account_id: USER.id, auth_method: "api_key_user" } };
}

const regions = (): HandlerResponse => ({
  status: 200,
  body: {
    regions: REGIONS.map(([id, name, geo_lat, geo_long]) => ({
      region_id: id,
      name,
      default: id === DEFAULT_REGION,
      geo_lat,
      geo_long,
    })),
  },
});

function libraries(call: Call): HandlerResponse {
  projectOf(call);
  const rows = LIBRARIES.map(([library_name, description, is_default]) => ({
    library_name,
    description,
    is_default,
    is_experimental: false,
    version: "1.0",
  }));
  return { status: 200, body: { libraries: rows } };
}

export const accountRoutes: Route[] = [
  route("GET", "/users/me", user),
  route("GET", "/users/me/organizations", organizations),
  route("GET", "/auth", authentication),
  route("GET", "/regions", regions),
  route("GET", "/projects/:project/available_preload_libraries", libraries),
];
