// The plugin's schema, from which Pulumi makes SDKs and by which YAML programs are checked. It says what the TypeScript class says
// (`sdk/endpoint.ts`). A test compares the two, and the check of inputs.

import type { Inputs } from "../provider/endpoint/inputs.js";
import type { Outputs } from "../provider/endpoint/outputs.js";
import type { SettingOutput } from "../provider/rules/settings.js";
import { ENDPOINT_TYPE, NATIVE_TYPE } from "../provider/rules/urn.js";
import { FUNCTION_TYPES, FUNCTIONS } from "./schema-functions.js";
import { type Property, plain, refTo } from "./schema-types.js";

/** The inputs that a program can set. Here `customTimeouts` is a resource option alone. */
type ProgramInput = Exclude<keyof Inputs, "customTimeouts">;
/** The inputs that are outputs as well. */
type InputAndOutput = SettingOutput | "regionId";
/** Outputs that only the provider reads. */
type InternalOutput = `__${string}` | "customTimeouts" | "notTaken" | "restartOwed";
/** The outputs in the schema. */
type SchemaOutput =
  | Exclude<keyof Outputs & string, Exclude<ProgramInput, InputAndOutput> | InternalOutput>
  | InputAndOutput;

const INPUTS = {
  projectId: {
    type: "string",
    description: "The project. A change creates a new compute with a **new host**.",
    replaceOnChanges: true,
  },
  branchId: {
    type: "string",
    description:
      "The branch the compute serves. A change is made in place (the host stays), reconfigures the compute and drops open connections. The branch must not have a primary if this is one.",
  },
  type: {
    type: "string",
    description:
      "`read_write` is the branch's primary, of which there is one at most; `read_only` is a read replica. A change creates a new compute with a **new host**; a replica can't become the primary of a branch that has one. Default: `read_write`.",
    replaceOnChanges: true,
  },
  regionId: {
    type: "string",
    description: "The project's region. If you set it, another region is an error; the compute never moves.",
  },
  size: {
    type: "number",
    description:
      "A fixed size in compute units (1 CU is 1 vCPU and 4 GB): 0.25, 0.5, 1 to 16 in steps of 1, 18 to 56 in steps of 2; above 16 the compute never suspends. The same as both limits with this value. **A change restarts the compute.**",
  },
  autoscalingLimitMinCu: {
    type: "number",
    description:
      "The lower limit of autoscaling in CU. Both limits or none; they are at most 8 CU apart and at most 16. **A change restarts the compute**; scaling between the limits does not.",
  },
  autoscalingLimitMaxCu: {
    type: "number",
    description: "The upper limit of autoscaling in CU. **A change restarts the compute.**",
  },
  suspendTimeoutSeconds: {
    type: "integer",
    description:
      "Seconds without activity after which the compute suspends: -1 never, 0 the service's default (5 minutes), or 60 to 604800.",
  },
  name: {
    type: "string",
    description:
      "A label, 1 to 64 characters. Default: for a compute that this resource creates, the resource's name and 8 hex digits.",
  },
  disabled: { type: "boolean", description: "`true` **stops the compute** and refuses connections." },
  poolerEnabled: {
    type: "boolean",
    description: "Deprecated by the public service, where the pooled host needs no setting.",
  },
  settings: {
    ...refTo("EndpointSettings"),
    description: "Settings of Postgres itself. What is not named here stays as it is on the service.",
  },
  restartTriggers: {
    type: "array",
    items: { $ref: "pulumi.json#/Any" },
    description:
      "Values of any kind: when they differ from those of the last `pulumi up`, **the compute restarts if it is active**. It restarts once, even if another change of the same `up` restarts it too. An idle or disabled compute has nothing to restart. Creating or adopting a compute is not a restart. Adding the first triggers later restarts it; removing them does not. No notice shows the values. Route: `POST /projects/{project}/endpoints/{id}/restart`.",
  },
  adopt: {
    oneOf: [{ type: "boolean" }, { type: "string" }],
    description:
      "Adopt an existing compute instead of creating one. It has an effect only when the resource is created. `true`: the primary of the branch; if there is none, it is created. An id: that compute. Default: false.",
  },
  onDelete: {
    type: "string",
    description:
      'What happens to the compute when the resource is deleted: `delete` it, or `release` it as it is. Default: "delete"; "release" where the compute was adopted.',
  },
  onRestart: {
    type: "string",
    description:
      'What to do about a change that restarts, stops or replaces the compute. `allow`: mark it in the diff. `warn`: also warn at the resource. `refuse`: fail the preview. Default: the stack\'s config `compute:onRestart`, else "warn".',
  },
  waitForReady: {
    type: "boolean",
    description: "Whether create, update and delete wait until the service is done. Default: true.",
  },
} satisfies Record<ProgramInput, Property>;

const OUTPUTS = {
  projectId: plain(INPUTS.projectId),
  branchId: plain(INPUTS.branchId),
  type: plain(INPUTS.type),
  regionId: { type: "string", description: "Region of the project, for example `aws-us-east-2`." },
  size: { type: "number", description: "The fixed size, where the program says `size`." },
  autoscalingLimitMinCu: plain(INPUTS.autoscalingLimitMinCu),
  autoscalingLimitMaxCu: plain(INPUTS.autoscalingLimitMaxCu),
  suspendTimeoutSeconds: plain(INPUTS.suspendTimeoutSeconds),
  name: plain(INPUTS.name),
  disabled: plain(INPUTS.disabled),
  poolerEnabled: plain(INPUTS.poolerEnabled),
  settings: plain(INPUTS.settings),
  host: {
    type: "string",
    description: "The host to connect to. It stays the same through every update; only a replacement has a new one.",
  },
  poolerHost: {
    type: "string",
    description: "The host of the connection pooler in front of the compute: up to 10,000 client connections.",
  },
  proxyHost: { type: "string", description: "The proxy of the region." },
  createdAt: { type: "string", description: "When the compute was created, RFC 3339 in UTC." },
  poolerMode: { type: "string", description: "How the pooler shares connections, in the service's word." },
  passwordlessAccess: { type: "boolean", description: "Whether the service lets users in without a password." },
  provisioner: { type: "string", description: "What runs the compute, in the service's word." },
  adopted: { type: "boolean", description: "Whether the compute existed before and was taken over." },
  restart: {
    type: "string",
    description:
      "What the planned change does to connections: `no`, `maybe: …` or `yes: …`. After the change it is `no` again.",
  },
  managed: {
    type: "array",
    items: { type: "string" },
    description: "Paths of the properties that the program manages.",
  },
  unfinished: {
    type: "array",
    items: { type: "string" },
    description:
      "Ids of operations of a failed step that still run or have failed; `unknown` stands for operations whose ids are not known. Absent if there are none.",
  },
} satisfies Record<SchemaOutput, Property>;

/** The outputs that every compute has. */
export const REQUIRED_OUTPUTS = [
  ...(["projectId", "branchId", "type", "regionId", "autoscalingLimitMinCu", "autoscalingLimitMaxCu"] as const),
  ...(["suspendTimeoutSeconds", "disabled", "poolerEnabled", "settings", "host", "poolerHost", "proxyHost"] as const),
  ...(["createdAt", "adopted", "restart", "managed"] as const),
] satisfies (keyof typeof OUTPUTS)[];

const CONFIG = {
  apiKey: {
    type: "string",
    secret: true,
    description:
      "The API key. Default: COMPUTE_API_KEY in the environment. In the stack's config, the URL of another service belongs in the same secret: `https://console.example.com/api/v2#KEY`.",
  },
  apiUrl: {
    type: "string",
    description:
      "The service's base URL. Key and URL come as a pair from one place: an explicit provider, the environment (COMPUTE_API_KEY and COMPUTE_API_URL), or the stack's config. Default: https://console.neon.tech/api/v2.",
  },
  onRestart: {
    type: "string",
    description:
      "What to do about restarts of computes without their own `onRestart`: `allow`, `warn` or `refuse`. Default: warn.",
  },
  approve: {
    type: "array",
    items: { type: "string" },
    description: "Digests of changes that pass `refuse`, each with an optional last day: `DIGEST@2026-05-04`.",
  },
  askAgain: {
    type: "boolean",
    description: "Whether to send again the values that the service did not apply before. Default: false.",
  },
  liveNotices: {
    type: "boolean",
    description:
      "Whether a preview asks the service about the current computes (for warnings and for failures of `up`). Default: true.",
  },
  sizes: {
    type: "string",
    description: "`unchecked` turns the rules for sizes into warnings. Default: checked.",
  },
  autoName: {
    type: "boolean",
    description: "Whether computes without a name get a generated one. Default: true.",
  },
  pollSeconds: {
    type: "number",
    description:
      "Seconds between two polls of an operation, 0.2 to 60. Default: until the expected end of the operation, or a tenth of its age (0.35 to 5 s).",
  },
  requestsPerMinute: {
    type: "number",
    description: "Requests that this process sends a minute, 1 to 10,000. Default: 700.",
  },
} satisfies Record<string, Property>;

const TYPES = {
  "compute:index:EndpointSettings": {
    type: "object",
    description: "Settings of Postgres itself. What is not named here stays as it is on the service.",
    properties: {
      pgSettings: {
        type: "object",
        additionalProperties: { type: "string" },
        description:
          "Postgres parameters, all values as text, such as `work_mem: 64MB`. A change may restart the compute.",
      },
      preloadLibraries: {
        ...refTo("PreloadLibraries"),
        description: "A change is stored at once and takes effect at the compute's next start; see `restartTriggers`.",
      },
    },
  },
  "compute:index:PreloadLibraries": {
    type: "object",
    description: "Libraries that Postgres loads when it starts.",
    properties: {
      useDefaults: { type: "boolean", description: "Whether the service's default libraries are loaded." },
      enabledLibraries: {
        type: "array",
        items: { type: "string" },
        description: "Names of further libraries; their order does not matter.",
      },
    },
  },
};

/** @param version of this package */
export const schemaOf = (version: string): object => ({
  name: "compute",
  displayName: "Postgres computes",
  version,
  description:
    "Serverless Postgres computes: previews that say what drops connections, updates that end when the service is done.",
  keywords: ["pulumi", "postgres", "serverless", "neon", "category/database", "kind/native"],
  license: "Apache-2.0",
  meta: { moduleFormat: "(.*)" },
  config: { variables: CONFIG, defaults: [] },
  provider: {
    description:
      "An account other than the stack's. It uses only its own arguments, not the stack's config: set `onRestart` here too if the stack refuses restarts.",
    inputProperties: CONFIG,
    properties: stringsOnly(CONFIG),
  },
  types: { ...TYPES, ...FUNCTION_TYPES },
  resources: {
    [NATIVE_TYPE]: {
      description:
        'A compute ("endpoint") of a serverless Postgres project: the primary of a branch, or a read replica. Import one that exists by its project and its id: `pulumi import compute:index:Endpoint NAME PROJECT/ep-…`. The option `customTimeouts` sets how long each step may take (10 minutes each, counted from when the step begins).',
      inputProperties: INPUTS,
      requiredInputs: ["branchId", "projectId"],
      properties: OUTPUTS,
      required: [...REQUIRED_OUTPUTS].sort(),
      // Computes of TypeScript programs that used the class Endpoint of pulumi-compute-endpoint move here without a change.
      aliases: [{ type: ENDPOINT_TYPE }],
    },
  },
  functions: FUNCTIONS,
  language: {
    csharp: { respectSchemaVersion: true },
    go: { respectSchemaVersion: true },
    java: {},
    nodejs: { respectSchemaVersion: true },
    python: { respectSchemaVersion: true, pyproject: { enabled: true } },
  },
});

/** A provider's outputs can only be strings. */
function stringsOnly(properties: Record<string, Property>): Record<string, Property> {
  return Object.fromEntries(Object.entries(properties).filter(([, { type }]) => type === "string"));
}
