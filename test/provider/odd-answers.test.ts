/**
 * A service that is broken, or means harm, puts commands for terminals, line breaks and pages of text into every field. What
 * people read of it is visible, in lines of ours, and short.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { NO_SECRETS, Redactor } from "../../provider/api/redact.js";
import { desiredStateOf } from "../../provider/endpoint/inputs.js";
import * as steps from "../../provider/endpoint/lifecycle.js";
import type { Outputs } from "../../provider/endpoint/outputs.js";
import { getEndpoint, LOOKUP_MS, listEndpoints, redacted, withoutSecrets } from "../../provider/lookup/index.js";
import { endpointInfo, operationInfo } from "../../provider/lookup/to-info.js";
import { ProviderProcess } from "../../provider/provider-process.js";
import { textOfLine } from "../../provider/rules/warnings.js";
import { WireEndpointList } from "../../provider/wire/endpoint.js";
import { WireOperationPage } from "../../provider/wire/operation.js";
import { BASE_URL, KEY, PROJECT, type Seen, scripted } from "../support/scripted-service.js";

type Row = Record<string, unknown>;

const ID = "ep-amber-field-a5x7w3rt";
const BRANCH = "br-copper-lagoon-a5n7v3hd";
const COMPUTE: Row = {
  id: ID,
  name: "orders-0123abcd",
  project_id: PROJECT,
  branch_id: BRANCH,
  region_id: "aws-us-east-2",
  type: "read_write",
  host: `${ID}.us-east-2.aws.example`,
  current_state: "active",
  autoscaling_limit_min_cu: 1,
  autoscaling_limit_max_cu: 1,
};
const OPERATION: Row = {
  id: "op-1",
  endpoint_id: ID,
  branch_id: BRANCH,
  action: "apply_config",
  status: "error",
  error: "no capacity",
};

const ODD: Record<string, string> = {
  "a terminal's command": "aws\u001b[2J\u001b[1;1Hall is well",
  "a terminal's command in one character": "aws\u009b2Jall is well",
  "a text that runs the other way": "aws\u202etsae-su",
  "characters without width": "aws\u200b\u2066-\ufeffx\u{e0041}",
  "lines of its own": "aws\nwarning: compute:apiKey is old\r\nrun `curl evil | sh`",
  "line ends of Unicode": "aws\u2028next\u2029next\u0085next",
  "a bell and a rubout": "aws\u0007\u0008\u007fx",
  "a generated name with a line": "x\nupdated: all is well-0123abcd",
  "a megabyte": `aws${"x".repeat(1_000_000)}`,
};
/** No text of ours has these. */
const INVISIBLE = /[\p{Control}\p{Format}\u2028\u2029]/u;

/** Beginnings of lines in texts of ours. */
function expectVisible(texts: readonly string[]): void {
  for (const text of texts) {
    expect(text.length).toBeLessThan(8_000);
    for (const line of text.split("\n")) {
      expect(line).not.toMatch(INVISIBLE);
      expect(line).not.toMatch(/^(?:warning: compute:apiKey|run `curl|next|updated: )/);
    }
  }
}

const FIELDS: [place: "endpoint" | "operation" | "problem", field: string][] = [
  ...["id", "name", "region_id", "branch_id", "project_id", "type", "host", "current_state", "pending_state"].map(
    (field): ["endpoint", string] => ["endpoint", field],
  ),
  ...["id", "endpoint_id", "branch_id", "action", "status", "error"].map((field): ["operation", string] => [
    "operation",
    field,
  ]),
  ...["message", "code", "request_id"].map((field): ["problem", string] => ["problem", field]),
];

function service(place: string, field: string, odd: string) {
  const endpoint = place === "endpoint" ? { ...COMPUTE, [field]: odd } : COMPUTE;
  const operation = place === "operation" ? { ...OPERATION, [field]: odd } : OPERATION;
  const problem = { message: "no", code: "", ...(place === "problem" ? { [field]: odd } : {}) };
  return ({ line, method }: Seen) => {
    if (place === "problem" && (method !== "GET" || !line.endsWith("/endpoints")))
      return { status: 400, body: problem };
    if (line.includes("/operations")) {
      return { status: 200, body: line.includes("/operations/") ? { operation } : { operations: [operation] } };
    }
    if (method !== "GET") return { status: 200, body: { endpoint, operations: [operation] } };
    return { status: 200, body: line.endsWith("/endpoints") ? { endpoints: [endpoint] } : { endpoint } };
  };
}

const INPUTS = { projectId: PROJECT, branchId: BRANCH, size: 2 };
const STATE = {
  ...INPUTS,
  size: 1,
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 1,
  type: "read_write",
  adopted: false,
};
const OLD = { ...STATE, managed: ["branchId", "size"], regionId: "aws-us-east-2" } as unknown as Outputs;
const restart = { __notice: { impact: "restart", properties: ["size"] }, restart: "yes: size 1 → 2" };

const STEPS: Record<string, (process: ProviderProcess) => Promise<unknown>> = {
  create: (one) => steps.create(one.shared, desiredStateOf(INPUTS)),
  "a replica's create": (one) => steps.create(one.shared, desiredStateOf({ ...INPUTS, type: "read_only" })),
  "create in a region": (one) => steps.create(one.shared, desiredStateOf({ ...INPUTS, regionId: "aws-eu-1" })),
  adopt: (one) => steps.create(one.shared, desiredStateOf({ ...INPUTS, adopt: true })),
  "adopt another type": (one) => steps.create(one.shared, desiredStateOf({ ...INPUTS, type: "read_only", adopt: ID })),
  "adopt what is not there": (one) => steps.create(one.shared, desiredStateOf({ ...INPUTS, adopt: "ep-none" })),
  update: (one) =>
    steps.update(one.shared, { id: ID, olds: OLD, desiredState: desiredStateOf({ ...INPUTS, ...restart }) }),
  read: (one) => steps.read(one.shared, ID, OLD as Partial<Outputs>),
  remove: (one) => steps.remove(one.shared, ID, OLD, {}),
};

describe("in what the provider says", () => {
  beforeEach(() => {
    vi.stubEnv("COMPUTE_API_KEY", KEY);
    vi.stubEnv("COMPUTE_API_URL", BASE_URL);
  });
  afterEach(() => vi.unstubAllEnvs());

  test.each(FIELDS)("the %s's %s", async (place, field) => {
    for (const [what, odd] of Object.entries(ODD)) {
      for (const [step, run] of Object.entries(STEPS)) {
        const printed: string[] = [];
        const process = new ProviderProcess({ argv: [], print: (line) => printed.push(line) });
        process.configure({ get: () => undefined });
        const { context, clock } = scripted(service(place, field, odd), {
          log: process.print,
          secrets: process.secrets,
        });
        // Its own is loaded from the built files.
        Object.defineProperty(process.shared, "context", { value: context });
        const ended = await clock.run(
          run(process).then(
            (value) => ({ value }),
            (error: unknown) => ({ error: process.clean(error) as Error & { reasons?: string[] } }),
          ),
        );
        const { error } = ended as { error?: Error & { reasons?: string[] } };
        const texts = [...printed, ...(error ? [error.message, error.stack ?? "", ...(error.reasons ?? [])] : [])];
        try {
          expectVisible(texts);
        } catch (failed) {
          throw new Error(`${step}, ${what}: ${(failed as Error).message.slice(0, 2000)}`);
        }
      }
    }
  });

  test.each(FIELDS)("in what a look-up says: the %s's %s", async (place, field) => {
    for (const odd of Object.values(ODD)) {
      const { context, clock, said } = scripted(service(place, field, odd));
      const access = { context, keySource: "COMPUTE_API_KEY", timeoutMs: LOOKUP_MS };
      for (const ask of [
        () => getEndpoint(access, { projectId: PROJECT, id: "ep-none" }),
        () => listEndpoints(access, { projectId: PROJECT }),
      ]) {
        const error = await clock.run(
          ask().then(
            () => undefined,
            (one: unknown) => withoutSecrets(one) as Error,
          ),
        );
        expectVisible([...said, ...(error ? [error.message] : [])]);
      }
    }
  });
});

describe("each way to people shows it by itself", () => {
  test.each(Object.entries(ODD))("%s", (_what, odd) => {
    const printed: string[] = [];
    const process = new ProviderProcess({ argv: [], print: (line) => printed.push(line) });
    const line = odd.replaceAll(/[\r\n]+/g, " ").slice(0, 2000);
    process.warn(line);
    const text = new Redactor(KEY, NO_SECRETS).redactExternal(odd).slice(0, 2000);
    expectVisible([
      ...printed,
      text,
      textOfLine({ severity: "warn", text: line }),
      redacted(line),
      (process.clean(new Error(line)) as Error).message,
      process.clean(line) as string,
    ]);
    expect(text).not.toContain("\n");
  });
});

describe("in what programs, states and tables get of an answer", () => {
  const words = (value: object) => Object.values(value).filter((one) => typeof one === "string");

  test.each(Object.entries(ODD))("%s", (_what, odd) => {
    const { id, name, autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max, ...rest } = COMPUTE;
    const all = Object.fromEntries(
      [...Object.keys(rest), "proxy_host", "provisioner", "pooler_mode", "created_at"].map((one) => [one, odd]),
    );
    const listed = WireEndpointList.parse({ endpoints: [{ ...all, id, min, max }] }).endpoints[0]!;
    for (const word of words(endpointInfo(listed, PROJECT))) expectVisible([word]);
    const { operations } = WireOperationPage.parse({
      operations: [{ ...OPERATION, action: odd, status: odd, branch_id: odd, endpoint_id: odd, created_at: odd }],
    });
    for (const word of words(operationInfo(operations[0]!, PROJECT))) expectVisible([word]);
  });

  test.each(Object.values(ODD))("an id that is none is refused: %j", (odd) => {
    expect(WireEndpointList.safeParse({ endpoints: [COMPUTE, { ...COMPUTE, id: odd }] }).success).toBe(false);
    expect(WireOperationPage.parse({ operations: [OPERATION, { ...OPERATION, id: odd }] }).operations).toHaveLength(1);
  });

  test.each(["ep-amber-field-a5x7w3rt", "EP_1.main", "7", "0b5c9a2e-5d7f-4c31-9f0e-1a2b3c4d5e6f", "x".repeat(200)])(
    "an id of another server is one: %s",
    (id) => {
      const row = { ...COMPUTE, id, branch_id: id, project_id: id };
      expect(WireEndpointList.parse({ endpoints: [row] }).endpoints).toEqual([row]);
    },
  );

  test("a name stays as it is: programs compare it with their own", () => {
    const name = "👩‍💻 \u202e é";
    expect(WireEndpointList.parse({ endpoints: [{ ...COMPUTE, name }] }).endpoints[0]!.name).toBe(name);
  });
});
