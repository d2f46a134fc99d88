import { describe, expect, test } from "vitest";
import { changes, compute, count, ENDPOINTS, Lab, lines, made, primary, replica, SEED } from "./support.js";

describe("creating a compute", () => {
  test("looks, posts, waits, reads back, and nothing else", async () => {
    const lab = new Lab();
    const outcome = await lab.up("db", primary());
    expect(outcome.op).toBe("create");
    expect(lines(outcome).filter((line) => !line.includes("/operations"))).toEqual([
      `GET ${ENDPOINTS}`,
      `POST ${ENDPOINTS}`,
      `GET ${ENDPOINTS}`,
    ]);
    expect(outcome.warnings).toEqual([]);
    expect(compute(lab, "db").current_state).toBe("active");
  });

  const name = new Lab().autoName("db");
  test.each([
    ["what is required, and the name that tells whose it is", {}, { type: "read_write", name }],
    ["a given name instead of ours", { name: "orders" }, { type: "read_write", name: "orders" }],
    [
      "a fixed size as both limits",
      { size: 2 },
      { type: "read_write", name, autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 },
    ],
    [
      "both limits",
      { autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 2 },
      { type: "read_write", name, autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 2 },
    ],
    [
      "a timeout of 0, which is a value",
      { suspendTimeoutSeconds: 0 },
      { type: "read_write", name, suspend_timeout_seconds: 0 },
    ],
    ["never suspending", { suspendTimeoutSeconds: -1 }, { type: "read_write", name, suspend_timeout_seconds: -1 }],
    [
      "false, which is a value",
      { disabled: false, poolerEnabled: false },
      { type: "read_write", name, disabled: false, pooler_enabled: false },
    ],
    [
      "the region that is asserted",
      { regionId: SEED.regionId },
      { type: "read_write", name, region_id: SEED.regionId },
    ],
    [
      "settings under the service's names",
      {
        settings: {
          pgSettings: { work_mem: "64MB" },
          preloadLibraries: { useDefaults: true, enabledLibraries: ["timescaledb"] },
        },
      },
      {
        type: "read_write",
        name,
        settings: {
          pg_settings: { work_mem: "64MB" },
          preload_libraries: { use_defaults: true, enabled_libraries: ["timescaledb"] },
        },
      },
    ],
    [
      "nothing of what is not the service's",
      { onDelete: "release", onRestart: "allow", waitForReady: false, customTimeouts: { create: "5m" }, adopt: false },
      { type: "read_write", name },
    ],
  ])("sends %s", async (_rule, args, sent) => {
    const lab = new Lab();
    const outcome = await lab.up("db", primary(args));
    expect(changes(outcome)).toEqual([[`POST ${ENDPOINTS}`, { endpoint: { branch_id: SEED.branches.dev, ...sent } }]]);
  });

  test("sends no name where compute:autoName is off", async () => {
    const lab = new Lab({ config: { autoName: false } });
    const outcome = await lab.up("db", primary());
    expect(changes(outcome)[0]?.[1]).toEqual({ endpoint: { branch_id: SEED.branches.dev, type: "read_write" } });
  });

  test("makes a replica beside a primary, and a second one", async () => {
    const lab = new Lab();
    await lab.up("one", replica());
    await lab.up("two", replica());
    expect(made(lab).map(({ type, branch_id }) => [type, branch_id])).toEqual([
      ["read_only", SEED.branches.main],
      ["read_only", SEED.branches.main],
    ]);
  });

  test("keeps what the service says of the compute, and nothing volatile", async () => {
    const lab = new Lab();
    await lab.up("db", primary({ size: 2, onDelete: "release" }));
    const { id, outputs, inputs } = lab.resource("db");
    const { host, proxy_host: proxyHost } = compute(lab, "db");
    expect(id).toMatch(/^ep-/);
    expect(outputs).toEqual({
      __autoName: lab.autoName("db"),
      __provider: inputs["__provider"],
      projectId: SEED.projectId,
      branchId: SEED.branches.dev,
      type: "read_write",
      regionId: SEED.regionId,
      size: 2,
      autoscalingLimitMinCu: 2,
      autoscalingLimitMaxCu: 2,
      suspendTimeoutSeconds: 0,
      name: lab.autoName("db"),
      disabled: false,
      poolerEnabled: false,
      settings: {},
      host,
      poolerHost: host.replace(id, `${id}-pooler`),
      proxyHost,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      poolerMode: "transaction",
      passwordlessAccess: true,
      provisioner: "k8s-neonvm",
      adopted: false,
      restart: "no",
      managed: ["branchId", "projectId", "size"],
      onDelete: "release",
    });
  });

  test("returns after the service's answer where waitForReady is false", async () => {
    const lab = new Lab({ emulator: { operationMs: 60_000 } });
    const outcome = await lab.up("db", primary({ waitForReady: false }));
    expect(count(outcome, "GET")).toBe(2);
    expect(lab.clock.now()).toBeLessThan(1000);
    expect(lab.resource("db").outputs["unfinished"]).toBeUndefined();
  });

  test.each([
    ["a branch that does not exist", primary({ branchId: "br-nowhere-at-all-12345678" }), /404.*branch not found/],
    ["a project that does not exist", primary({ projectId: "no-such-project-1" }), /404.*project not found/],
  ])("fails for %s and keeps nothing", async (_rule, args, message) => {
    const lab = new Lab();
    const { error } = await lab.fails("db", args);
    expect(error.message).toMatch(message);
    expect([lab.state.size, made(lab).length]).toEqual([0, 0]);
  });

  test("fails for a wrong key, naming where it comes from", async () => {
    const lab = new Lab({ apiKey: "wrong-key-of-somebody" });
    const { error, sent } = await lab.fails("db", primary());
    expect(error.message).toMatch(/401.*COMPUTE_API_KEY \(environment\)/);
    expect(error.message).not.toContain("wrong-key");
    expect(sent.length).toBe(1);
  });
});
