import { describe, expect, test } from "vitest";
import { SEED } from "../../../emulator/index.js";
import { type Body, ENDPOINTS, emulator, KEY, PRIMARY, PROJECT } from "../support.js";

const cu = (min: number, max = min) => ({ autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max });

const LADDER = [
  0.25,
  0.5,
  ...Array.from({ length: 16 }, (_, n) => n + 1),
  ...Array.from({ length: 20 }, (_, n) => 18 + 2 * n),
];

describe("sizes", () => {
  test.each(LADDER)("a fixed size of %d is taken", async (size) => {
    expect((await emulator().call("PATCH", PRIMARY, { endpoint: cu(size) })).status).toBe(200);
  });

  test.each([
    [0.25, 8],
    [1, 9],
    [8, 16],
    [0.5, 1],
  ])("%d to %d is taken", async (min, max) => {
    expect((await emulator().call("PATCH", PRIMARY, { endpoint: cu(min, max) })).status).toBe(200);
  });

  test.each<[string, object]>([
    ["0.1", cu(0.1)],
    ["0.75", cu(0.75)],
    ["3.5", cu(3.5)],
    ["17", cu(17)],
    ["19", cu(19)],
    ["58", cu(58)],
    ["1 to 10", cu(1, 10)],
    ["4 to 2", cu(4, 2)],
    ["16 to 18", cu(16, 18)],
    ["18 to 20", cu(18, 20)],
    ["a minimum above the stored maximum", { autoscaling_limit_min_cu: 1 }],
    ["a maximum too far from the stored minimum", { autoscaling_limit_max_cu: 9 }],
    ["a size in words", { autoscaling_limit_min_cu: "1" }],
  ])("%s is refused on update and on create, and changes nothing", async (_what, fields) => {
    const emulated = emulator();
    const before = structuredClone(emulated.running.world);
    const update = await emulated.call("PATCH", PRIMARY, { endpoint: fields });
    const create = await emulated.call("POST", ENDPOINTS, {
      endpoint: { branch_id: SEED.branches.main, type: "read_only", ...fields },
    });
    expect([update.status, create.status]).toEqual([400, 400]);
    expect(emulated.running.world).toEqual(before);
  });
});

describe("bodies", () => {
  test.each<[string, Body, string]>([
    ["without the wrapper", {}, "endpoint (field required)"],
    ["without a branch", { endpoint: { type: "read_only" } }, "endpoint (invalid: branch_id (field required))"],
    [
      "with an unknown field",
      { endpoint: { branch_id: "br-x", type: "read_only", size: 1 } },
      "endpoint (invalid: size (unexpected field))",
    ],
    [
      "with an unknown type",
      { endpoint: { branch_id: "br-x", type: "readonly" } },
      'endpoint (invalid: type (invalid value: "readonly"))',
    ],
    [
      "with a long name",
      { endpoint: { branch_id: "br-x", type: "read_only", name: "n".repeat(65) } },
      "endpoint (invalid: name (len 65 greater than 64))",
    ],
    [
      "with a long timeout",
      { endpoint: { branch_id: "br-x", type: "read_only", suspend_timeout_seconds: 604801 } },
      "endpoint (invalid: suspend_timeout_seconds (int: value 604801 greater than 604800))",
    ],
    ["that are a list", [], "unexpected [], object expected"],
    ["that are null", null, "unexpected null, object expected"],
  ])("%s are 400, with the reason", async (_what, body, reason) => {
    const reply = await emulator().call("POST", ENDPOINTS, body);
    expect(reply.status).toBe(400);
    expect(reply.body.message).toBe(
      `invalid request: operation CreateProjectEndpoint: decode request: validate: invalid: ${reason}`,
    );
  });

  test.each<[string, object]>([
    ["a timeout of 59 s", { suspend_timeout_seconds: 59 }],
    ["a timeout of half a second", { suspend_timeout_seconds: 0.5 }],
    ["an unknown provisioner", { provisioner: "abacus" }],
    ["a type", { type: "read_only" }],
    ["a region", { region_id: "aws-us-east-2" }],
    ["an empty name", { name: "" }],
    ["a setting that is a number", { settings: { pg_settings: { work_mem: 8 } } }],
    ["null", { name: null }],
  ])("%s is refused on update", async (_what, endpoint) => {
    expect((await emulator().call("PATCH", PRIMARY, { endpoint })).status).toBe(400);
  });

  test("another region than the project's is refused", async () => {
    const endpoint = { branch_id: SEED.branches.main, type: "read_only", region_id: "aws-eu-central-1" };
    const emulated = emulator();
    expect((await emulated.call("POST", ENDPOINTS, { endpoint })).status).toBe(400);
    const here = { ...endpoint, region_id: SEED.regionId };
    expect((await emulated.call("POST", ENDPOINTS, { endpoint: here })).status).toBe(201);
  });

  test.each(["{", "nonsense", "{}x", "\u0000"])("broken JSON %j is 400", async (text) => {
    const { raw } = emulator();
    const reply = await raw("POST", `/api/v2${ENDPOINTS}`, text, { authorization: `Bearer ${KEY}` });
    expect(reply.body.message).toMatch(/^invalid request: decode application\/json: /);
    expect(reply.status).toBe(400);
  });

  test("a body above 1 MB is 413", async () => {
    const name = "n".repeat(1_000_000);
    expect((await emulator().call("PATCH", PRIMARY, { endpoint: { name } })).status).toBe(413);
  });

  test.each([undefined, {}])("an action takes a body of %j", async (body) => {
    expect((await emulator().call("POST", `${PRIMARY}/restart`, body)).status).toBe(200);
  });
});

describe("what is not there", () => {
  test.each([
    ["GET", "/projects/no-such-project-1", "project"],
    ["GET", "/projects/constructor", "project"],
    ["GET", "/projects/no-such-project-1/endpoints", "project"],
    ["DELETE", "/projects/no-such-project-1/endpoints/ep-x", "project"],
    ["GET", `${PROJECT}/branches/br-x`, "branch"],
    ["GET", `${PROJECT}/branches/br-x/endpoints`, "branch"],
    ["GET", `${ENDPOINTS}/__proto__`, "endpoint"],
    ["POST", `${ENDPOINTS}/ep-x/start`, "endpoint"],
    ["POST", `${ENDPOINTS}/ep-x/suspend`, "endpoint"],
    ["POST", `${ENDPOINTS}/ep-x/restart`, "endpoint"],
    ["GET", `/projects/${SEED.second.projectId}/endpoints/${SEED.primaryId}`, "endpoint"],
    ["GET", "/users/you", "route"],
    ["GET", "/projects/shared/endpoints", "project"],
    ["GET", `${ENDPOINTS}/`, "endpoint"],
  ])("%s %s is 404", async (method, path, what) => {
    const reply = await emulator().call(method, path);
    expect([reply.status, reply.body.message]).toEqual([404, `${what} not found`]);
  });

  test("a branch that is not there is 404 to create on and to move to", async () => {
    const emulated = emulator();
    const endpoint = { branch_id: "br-x", type: "read_only" };
    expect((await emulated.call("POST", ENDPOINTS, { endpoint })).body.message).toBe("branch not found");
    const moved = await emulated.call("PATCH", PRIMARY, { endpoint: { branch_id: SEED.second.branchId } });
    expect([moved.status, moved.body.message]).toEqual([404, "branch not found"]);
  });

  test.each(["PUT", "PATCH", "HEAD"])("%s on a list is 405", async (method) => {
    expect((await emulator().call(method, ENDPOINTS)).status).toBe(405);
  });

  test("the API is under its base path only", async () => {
    const { raw } = emulator();
    expect((await raw("GET", "/projects", undefined, { authorization: `Bearer ${KEY}` })).status).toBe(404);
  });

  test.each([
    "/api/v2/projects/%E0%A4%A",
    "/api/v2/%",
    "/api/v2//",
    "/api/v2",
    "/",
    "",
    "?x",
    "//",
    "/api/v3/projects",
  ])("the odd path %j is answered", async (path) => {
    const { raw } = emulator();
    const reply = await raw("GET", path, undefined, { authorization: `Bearer ${KEY}` });
    expect([400, 404]).toContain(reply.status);
  });
});

describe("a second primary", () => {
  const second = { status: 409, code: "ENDPOINTS_LIMIT_EXCEEDED", message: "read_write endpoint already exists" };
  const refusal = ({ status, body }: Body) => ({ status, code: body.code, message: body.message });

  test("is refused where a primary is moved to its branch", async () => {
    const emulated = emulator();
    const endpoint = { branch_id: SEED.branches.dev, type: "read_write" };
    await emulated.call("POST", ENDPOINTS, { endpoint });
    emulated.settle();
    const reply = await emulated.call("PATCH", PRIMARY, { endpoint: { branch_id: SEED.branches.dev } });
    expect(refusal(reply)).toEqual(second);
    expect((await emulated.endpoint()).branch_id).toBe(SEED.branches.main);
  });

  test("is refused in the computes of a new branch", async () => {
    const body = { endpoints: [{ type: "read_write" }, { type: "read_write" }] };
    expect(refusal(await emulator().call("POST", `${PROJECT}/branches`, body))).toEqual(second);
  });

  test("is no matter for a replica that is moved", async () => {
    const emulated = emulator();
    const endpoint = { branch_id: SEED.branches.dev, type: "read_only" };
    const { id } = (await emulated.call("POST", ENDPOINTS, { endpoint })).body.endpoint;
    emulated.settle();
    const move = { endpoint: { branch_id: SEED.branches.main } };
    expect((await emulated.call("PATCH", `${ENDPOINTS}/${id}`, move)).status).toBe(200);
  });

  test("is not refused where a primary is sent the branch it is on, nor to a replica", async () => {
    const emulated = emulator();
    const stay = { endpoint: { branch_id: SEED.branches.main } };
    expect((await emulated.call("PATCH", PRIMARY, stay)).status).toBe(200);
    emulated.settle();
    const replica = { endpoint: { ...stay.endpoint, type: "read_only" } };
    expect((await emulated.call("POST", ENDPOINTS, replica)).status).toBe(201);
  });
});
