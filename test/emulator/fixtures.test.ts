import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EmulatorOptions, EndpointRow, OperationRow } from "../../emulator/index.js";
import { SEED } from "../../emulator/index.js";
import { type Body, emulator, PRIMARY, PROJECT, type Reply } from "./support.js";

const FOLDER = join(__dirname, "../fixtures");
const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
const fixtures = new Map<string, Body>(
  files.map((name) => [name.slice(0, 2), JSON.parse(readFileSync(join(FOLDER, name), "utf8"))]),
);
const fixture = (number: string): Body => fixtures.get(number);

type Emulated = ReturnType<typeof emulator>;

/** The recorded computes idle for longer than five minutes without being suspended: by then nobody suspends them. */
const A_DAY = 86_400;

function at(time: string, options: EmulatorOptions = {}): Emulated {
  return emulator({ startMs: Date.parse(time), suspendDefaultSeconds: A_DAY, ...options });
}

/** The primary as the recordings have it. */
function shape(emulated: Emulated, fields: Partial<EndpointRow>, without: (keyof EndpointRow)[] = []): Emulated {
  const row = emulated.primary();
  Object.assign(row, { created_at: "2026-05-04T09:05:10.000000Z", last_active: "2026-05-04T09:12:31.000000Z" }, fields);
  for (const name of without) delete row[name];
  return emulated;
}

const idle = { current_state: "idle", suspended_at: "2026-05-04T09:17:40.000000Z" } as const;
const asleep = (emulated: Emulated, fields: Partial<EndpointRow> = {}) =>
  shape(emulated, { ...idle, ...fields }, ["started_at", "compute_release_version"]);

/** A recorded operation, as the emulator would have it; recordings show whole seconds, so the fraction is given. */
const operation = (row: Body, fraction: string): OperationRow => ({
  ...row,
  created_at: row.created_at.replace("Z", `.${fraction}Z`),
  plan: { after: [], duration_ms: 0, end: row.status },
});

function pages(): Emulated {
  const emulated = at("2026-05-04T12:00:00Z");
  const rows = [...fixture("12").response.body.operations, ...fixture("13").response.body.operations];
  const fractions = ["812345", "517204", "222222", "104463"];
  emulated.running.world.operations = rows.map((row: Body, index) => operation(row, fractions[index]!)).reverse();
  return emulated;
}

function listed(): Emulated {
  const emulated = at("2026-05-04T10:31:00Z");
  const [replica] = fixture("10").response.body.endpoints;
  emulated.running.world.endpoints[replica.id] = { ...replica };
  return shape(emulated, { started_at: "2026-05-04T10:30:01Z", updated_at: "2026-05-04T10:30:01Z" });
}

const bySuspending = async (emulated: Emulated) => {
  await emulated.call("POST", `${PRIMARY}/suspend`);
  return emulated;
};

/** For each recording: its number, which answer of it, and the emulator that is about to be asked. */
const CASES: [number: string, which: string, () => Emulated | Promise<Emulated>][] = [
  [
    "01",
    "response",
    () => {
      const emulated = at("2026-05-04T09:05:10Z");
      delete emulated.running.world.endpoints[SEED.primaryId];
      return emulated;
    },
  ],
  ["02", "response", () => at("2026-05-04T09:30:00Z")],
  ["03", "response", () => asleep(at("2026-05-04T10:00:02Z"))],
  ["03", "alternative", () => asleep(at("2026-05-04T10:00:02Z", { idleUpdate: "none" }))],
  [
    "04",
    "response",
    () =>
      shape(at("2026-05-04T10:10:00Z"), {
        started_at: "2026-05-04T10:05:00.000000Z",
        last_active: "2026-05-04T10:09:58.000000Z",
      }),
  ],
  ["05", "response", () => asleep(at("2026-05-04T11:00:00Z"))],
  ["05", "alternative", () => shape(at("2026-05-04T11:00:00Z"), {}, ["started_at"])],
  ["06", "response", () => at("2026-05-04T11:00:00Z")],
  ["07", "response", () => shape(at("2026-05-04T10:20:00Z"), { started_at: "2026-05-04T10:05:00.000000Z" })],
  ["08", "response", () => asleep(at("2026-05-04T10:30:00Z"))],
  ["09", "response", () => shape(at("2026-05-04T10:40:00Z"), { started_at: "2026-05-04T10:30:01.000000Z" })],
  ["10", "response", listed],
  [
    "11",
    "response",
    () =>
      shape(at("2026-05-04T10:40:00Z"), {
        name: "orders-primary",
        autoscaling_limit_max_cu: 2,
        settings: { pg_settings: { log_min_duration_statement: "500" } },
        last_active: "2026-05-04T10:31:44.000000Z",
        started_at: "2026-05-04T10:30:01.000000Z",
        updated_at: "2026-05-04T10:30:01.000000Z",
      }),
  ],
  ["12", "response", pages],
  ["13", "response", pages],
  ["15", "response", () => bySuspending(at("2026-05-04T11:00:00Z"))],
  [
    "16",
    "response",
    () => {
      const emulated = at("2026-05-04T11:00:00Z");
      emulated.running.faults.add({
        match: { path: `${PROJECT}/operations` },
        then: { status: 429, headers: { "Retry-After": "1" } },
      });
      return emulated;
    },
  ],
  ["17", "response", () => at("2026-05-04T11:00:00Z")],
  ["18", "response", () => at("2026-05-04T11:00:00Z")],
  ["19", "response", () => at("2026-05-04T11:00:00Z")],
  ["20", "response", () => at("2026-05-04T11:00:00Z", { apiKey: "another" })],
];

const RANDOM: Record<string, RegExp> = {
  request_id: /^[0-9a-f-]{36}$/,
  operation: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  endpoint: /^ep-[a-z]+-[a-z]+-a5[a-z0-9]{6}$/,
};

/** Puts the recording's made-up ids in the place of ours, after a look at the form of ours. */
function likeRecorded(body: Body, recorded: Body): Body {
  if (body === undefined || recorded === undefined) return body;
  if (recorded.request_id !== undefined) {
    expect(body.request_id).toMatch(RANDOM.request_id!);
    return { ...body, request_id: recorded.request_id };
  }
  let text = JSON.stringify(body);
  const replace = (ours: string | undefined, theirs: string | undefined, form: RegExp) => {
    if (ours === undefined || theirs === undefined) return;
    expect(ours).toMatch(form);
    text = text.replaceAll(ours, theirs);
  };
  replace(body.endpoint?.id, recorded.endpoint?.id, RANDOM.endpoint!);
  (recorded.endpoint ? (body.operations ?? []) : []).forEach((row: Body, index: number) => {
    replace(row.id, recorded.operations[index]?.id, RANDOM.operation!);
  });
  return JSON.parse(text);
}

function expectRecorded(reply: Reply, recorded: Body): void {
  expect(reply.status).toBe(recorded.status);
  for (const [name, value] of Object.entries(recorded.headers)) expect(reply.headers[name.toLowerCase()]).toBe(value);
  if (recorded.body === undefined) expect(reply.text).toBe("");
  expect(likeRecorded(reply.body, recorded.body)).toStrictEqual(recorded.body);
}

function ask({ call }: Emulated, { method, path, query, body }: Body): Promise<Reply> {
  return call(method, query ? `${path}?${new URLSearchParams(query)}` : path, body);
}

describe("every recorded request gets its recorded answer", () => {
  test.each(CASES)("recording %s, %s", async (number, which, prepare) => {
    const { request, response, alternatives } = fixture(number);
    const recorded = which === "response" ? response : alternatives[0].response;
    expectRecorded(await ask(await prepare(), request), recorded);
  });

  test("recording 14: the failed start, as it comes about", async () => {
    const emulated = asleep(at("2026-05-04T12:00:00Z", { operationMs: { start_compute: 65_012 } }));
    emulated.running.faults.add({ operation: { action: "start_compute", then: "failed" } });
    const started = await emulated.call("POST", `${PRIMARY}/start`);
    emulated.time.advance(65_012);
    const id = started.body.operations[0].id;
    const { request, response } = fixture("14");
    const reply = await emulated.call("GET", request.path.replace(/[^/]+$/, id));
    reply.body.operation.id = response.body.operation.id;
    expectRecorded(reply, response);
  });

  test("recording 15, alternative: a compute between two states", async () => {
    const emulated = await bySuspending(at("2026-05-04T11:00:00Z"));
    expectRecorded(await emulated.call("POST", `${PRIMARY}/suspend`), fixture("15").alternatives[0].response);
  });

  test("recording 19, alternative: a range above 8 CU", async () => {
    const { request, alternatives } = fixture("19");
    const body = structuredClone(request.body);
    Object.assign(body.endpoint, { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 16 });
    expectRecorded(await ask(at("2026-05-04T11:00:00Z"), { ...request, body }), alternatives[0].response);
  });

  test("no recording is left out", () => {
    const replayed = new Set([...CASES.map(([number]) => number), "14"]);
    expect([...fixtures.keys()].filter((number) => !replayed.has(number))).toEqual([]);
  });
});
