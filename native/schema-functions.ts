// The look-ups, as the schema describes them. Their functions for TypeScript are in `sdk/lookups.ts`. `test/package/schema.test.ts`
// compares the descriptions with the comments in `provider/lookup/info.ts` and `provider/rules/capacity.ts`.

import type { EndpointInfo, OperationInfo } from "../provider/lookup/info.js";
import type { Capacity } from "../provider/rules/capacity.js";
import { type ObjectType, type Property, refTo } from "./schema-types.js";

const text = (description: string): Property => ({ type: "string", description });
const number = (description: string): Property => ({ type: "number", description });
const flag = (description: string): Property => ({ type: "boolean", description });

const CAPACITY = {
  vcpu: number("vCPUs at the upper limit; below 1 the compute shares a vCPU."),
  shared: flag("Whether the compute shares its vCPU at the lower limit (0.25 and 0.5 CU)."),
  memoryGb: number("Memory at the upper limit, in GB."),
  cacheGb: number("Local file cache at the upper limit (75 % of the memory), in GB."),
  diskGib: number(
    "Local temporary disk, in GiB: the larger of 20 and 15 × the upper limit. A full one is SQLSTATE 53100.",
  ),
  pooledClients: number("Concurrent client connections through the pooled host."),
  maxConnections: number(
    "`max_connections` of Postgres; it depends on both limits. Absent above 38 CU, where it is not documented.",
  ),
} satisfies Record<keyof Capacity, Property>;

const ENDPOINT = {
  id: text("`ep-…`"),
  projectId: text("The project."),
  branchId: text("The branch that it serves."),
  type: text("`read_write` or `read_only`."),
  regionId: text("Region of the project, for example `aws-us-east-2`."),
  name: text("Absent if the compute has no name, or the service does not return it."),
  host: text("The host to connect to."),
  poolerHost: text("The host of the connection pooler in front of the compute."),
  proxyHost: text("The proxy of the region."),
  autoscalingLimitMinCu: number(
    "The lower limit of autoscaling in CU; equal to the upper one where the size is fixed.",
  ),
  autoscalingLimitMaxCu: number("The upper limit of autoscaling in CU."),
  size: number("The fixed size in CU; absent if the compute scales by itself."),
  suspendTimeoutSeconds: number(
    "Seconds without activity until it suspends: -1 never, 0 the service's default (5 minutes).",
  ),
  disabled: flag("Whether connections are refused."),
  settings: { ...refTo("EndpointSettings"), description: "Postgres settings, without those that are not set." },
  poolerEnabled: flag("Whether the pooler is on."),
  poolerMode: text("How the pooler shares connections, in the service's word."),
  passwordlessAccess: flag("Whether the service lets users in without a password."),
  provisioner: text("What runs the compute, in the service's word."),
  creationSource: text("Who created it, in the service's word."),
  computeReleaseVersion: text("The release that runs on the compute."),
  createdAt: text("When it was created, RFC 3339 in UTC."),
  updatedAt: text("When its record was changed last."),
  currentState: text("`init`, `active` or `idle`; a service may know further words."),
  pendingState: text("The state a change is leading to; absent while nothing changes."),
  lastActive: text("When it was used last; absent if it never was."),
  startedAt: text("When it was started last."),
  suspendedAt: text("When it was suspended last; absent while it is active."),
  capacity: {
    ...refTo("Capacity"),
    description:
      "The capacity of its size: documented by the service, approximate. Absent if the service gives no size.",
  },
} satisfies Record<keyof EndpointInfo, Property>;

const OPERATION = {
  id: text("The operation's id."),
  projectId: text("The project."),
  branchId: text("The branch that it concerns."),
  endpointId: text("The compute that it concerns, if it concerns one."),
  action: text(
    "For example `start_compute`, `suspend_compute`, `apply_config`. The service adds words without notice.",
  ),
  status: text(
    "`scheduling`, `running`, `finished`, `skipped`, `failed`, `error`, `cancelling`, `cancelled`, or a newer word.",
  ),
  label: text("The label of the status in the service's console; absent for a word that this version does not know."),
  error: text("The service's own words, after a failure."),
  failuresCount: number("Failed attempts so far."),
  retryAt: text("When the service tries a failed operation again; absent if it does not."),
  createdAt: text("When it was created, RFC 3339 in UTC."),
  updatedAt: text("When it was changed last."),
  durationMs: number("Its duration in milliseconds; while it goes on, the service's count so far (often 0)."),
} satisfies Record<keyof OperationInfo, Property>;

const REQUIRED_OF_ENDPOINT = [
  ...(["id", "projectId", "branchId", "type", "regionId", "host", "poolerHost", "proxyHost"] as const),
  ...(["autoscalingLimitMinCu", "autoscalingLimitMaxCu", "disabled", "settings", "createdAt", "currentState"] as const),
] satisfies (keyof typeof ENDPOINT)[];
const REQUIRED_OF_OPERATION = [
  "id",
  "projectId",
  "action",
  "status",
  "failuresCount",
] satisfies (keyof typeof OPERATION)[];

export const FUNCTION_TYPES: Record<string, ObjectType> = {
  "compute:index:Capacity": {
    type: "object",
    description: "What a compute of a size has. Documented by the service, approximate.",
    properties: CAPACITY,
    required: ["vcpu", "shared", "memoryGb", "cacheGb", "diskGib", "pooledClients"],
  },
  "compute:index:EndpointInfo": {
    type: "object",
    description: "A compute as it is at this moment. Times are RFC 3339 in UTC.",
    properties: ENDPOINT,
    required: REQUIRED_OF_ENDPOINT,
  },
  "compute:index:OperationInfo": {
    type: "object",
    description: "A record of work on a project. Times are RFC 3339 in UTC.",
    properties: OPERATION,
    required: REQUIRED_OF_OPERATION,
  },
};

const PROJECT = text("The project.");

export interface FunctionSchema {
  description: string;
  inputs: ObjectType;
  outputs: ObjectType;
}

export const FUNCTIONS = {
  "compute:index:getEndpoint": {
    description:
      "A compute as it is at this moment, with what is live: its state, when it was used last. Nothing is managed. Route: `GET /projects/{project}/endpoints/{id}`.",
    inputs: { properties: { projectId: PROJECT, id: text("`ep-…`") }, required: ["projectId", "id"] },
    outputs: { properties: ENDPOINT, required: REQUIRED_OF_ENDPOINT },
  },
  "compute:index:listEndpoints": {
    description:
      "The computes of a project, or of one of its branches, primaries and replicas, ordered by id. Route: `GET /projects/{project}/endpoints`.",
    inputs: {
      properties: {
        projectId: PROJECT,
        branchId: text(
          "Only those of this branch. For a branch that does not exist the list is empty; that is not an error.",
        ),
      },
      required: ["projectId"],
    },
    outputs: {
      properties: { endpoints: { type: "array", items: refTo("EndpointInfo"), description: "The computes." } },
      required: ["endpoints"],
    },
  },
  "compute:index:getOperation": {
    description:
      "An operation: its action, its status (the API's word and the console's label) and its duration. Records older than 6 months may be gone. Route: `GET /projects/{project}/operations/{id}`.",
    inputs: {
      properties: { projectId: PROJECT, id: text("As in an endpoint's `unfinished`, or from `listOperations`.") },
      required: ["projectId", "id"],
    },
    outputs: { properties: OPERATION, required: REQUIRED_OF_OPERATION },
  },
  "compute:index:listOperations": {
    description:
      "The operations of a project, newest first, whoever began them. Route: `GET /projects/{project}/operations`.",
    inputs: {
      properties: {
        projectId: PROJECT,
        limit: {
          type: "integer",
          description: "How many operations at most, the newest first. Default, and maximum: 1000.",
        },
      },
      required: ["projectId"],
    },
    outputs: {
      properties: { operations: { type: "array", items: refTo("OperationInfo"), description: "The operations." } },
      required: ["operations"],
    },
  },
  "compute:index:getConnectionUri": {
    description:
      "A connection URI: `postgresql://role:password@host/database?sslmode=require`. It holds a password, so it is a **secret**: encrypted in the state, hidden in everything printed. Route: `GET /projects/{project}/connection_uri`.",
    inputs: {
      properties: {
        projectId: PROJECT,
        databaseName: text("The database."),
        roleName: text("The role."),
        branchId: text("Default: that of the compute, else the project's default branch."),
        endpointId: text("`ep-…`. Default: the primary of the branch."),
        pooled: flag("Whether the URI leads through the connection pooler. Default: the service's own: no."),
      },
      required: ["projectId", "databaseName", "roleName"],
    },
    outputs: {
      properties: { uri: { type: "string", secret: true, description: "The connection URI." } },
      required: ["uri"],
    },
  },
} satisfies Record<string, FunctionSchema>;

export type FunctionToken = keyof typeof FUNCTIONS;
