/** Secrets, values that preview does not know, and digests: the same that the provider's check accepts. */
import { describe, expect, test } from "vitest";
import { approvalDigest, approvalOf, approveCommand } from "../../../provider/rules/approval";
import { impactOf, replacementOf } from "../../../provider/rules/restart";
import { type Asked, wishOf } from "../../../provider/rules/wish";
import {
  BASE,
  fixture,
  inJson,
  NOW,
  oneCompute,
  type Parsed,
  preview,
  report,
  resize,
  type StepOptions,
  step,
  UNKNOWN,
  urnOf,
} from "./support";

const DROPS = "if the compute is active it restarts, and open connections drop";
const SECRET_OBJECT = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext: "[secret]",
};
const change = (old: object, next: object, more: StepOptions = {}) =>
  step({ old: { ...BASE, restart: "no", ...old }, next: { ...BASE, ...next }, ...more });
const differs = (...names: string[]) => ({ more: { diffReasons: names } });

describe("what can't be compared is left to the notice, and can't be approved by digest", () => {
  const secretSize = { size: "[secret]", __secret: ["size"], restart: `yes: size a secret value → another; ${DROPS}` };
  test.each<[what: string, step: object, impact: string, why: RegExp]>([
    ["a secret size", change({ size: "[secret]" }, secretSize), "restart", /secret/],
    [
      "a secret as engine events have it",
      change({ size: SECRET_OBJECT }, { ...secretSize, size: SECRET_OBJECT }),
      "restart",
      /secret/,
    ],
    [
      "a secret beside a change that is none",
      change({ size: "[secret]" }, { ...secretSize, branchId: "br-other" }),
      "restart",
      /secret/,
    ],
    [
      "a secret without a notice that differs",
      change({ size: "[secret]" }, { size: "[secret]" }, differs("size")),
      "may-restart",
      /secret/,
    ],
    [
      "secret triggers",
      change(
        { restartTriggers: "[secret]" },
        {
          restartTriggers: "[secret]",
          __secret: ["restartTriggers"],
          restart: `yes: restartTriggers changed; ${DROPS}`,
        },
      ),
      "restart",
      /secret/,
    ],
    [
      "secret `disabled`",
      change(
        {},
        {
          disabled: "[secret]",
          __secret: ["disabled"],
          restart:
            "yes: disabled a secret value → another; the compute stops, open connections drop, and nothing can connect while it is disabled",
        },
      ),
      "stop",
      /secret/,
    ],
    [
      "a secret among the settings",
      change(
        { settings: { pgSettings: { work_mem: "[secret]" } } },
        {
          settings: { pgSettings: { work_mem: "[secret]" } },
          __secret: ["settings"],
          restart: "maybe: settings.pgSettings a secret value → another; …",
        },
      ),
      "may-restart",
      /secret/,
    ],
    [
      "an unknown branch",
      change({}, { branchId: UNKNOWN, restart: "maybe: branchId br-a → known after apply; …" }),
      "may-restart",
      /known only after apply/,
    ],
    [
      "an unknown size beside a change",
      change({}, { size: UNKNOWN, branchId: "br-other", restart: `yes: branchId a → b; ${DROPS}` }),
      "restart",
      /known only after apply/,
    ],
    [
      "unknown triggers, in an item",
      change(
        { restartTriggers: ["a"] },
        { restartTriggers: [["a", UNKNOWN]], restart: "maybe: restartTriggers → known after apply; …" },
      ),
      "may-restart",
      /known only after apply/,
    ],
    [
      "an unknown setting",
      change(
        { settings: { pgSettings: { work_mem: "1MB" } } },
        { settings: { pgSettings: { work_mem: UNKNOWN } }, restart: "maybe: …" },
      ),
      "may-restart",
      /known only after apply/,
    ],
    [
      "unknown settings",
      change({}, { settings: UNKNOWN, restart: "maybe: …" }),
      "may-restart",
      /known only after apply/,
    ],
    [
      "a replacement with an unknown project",
      change({}, { projectId: UNKNOWN, restart: "maybe: …" }, { op: "replace" }),
      "new-host",
      /known only after apply/,
    ],
    [
      "drift that no old input tells of",
      change({}, { name: "b", restart: "no" }, { outputs: { branchId: "br-elsewhere" } }),
      "restart",
      /pulumi refresh/,
    ],
    ["a notice that says more", change({}, { restart: "yes: magic 1 → 2; …" }), "restart", /pulumi refresh/],
    [
      "an adoption",
      step({ op: "create", next: { ...BASE, adopt: true, restart: "maybe: adopts …" } }),
      "may-restart",
      /adopted/,
    ],
    ["no old inputs", resize({ oldMore: { inputs: null } }), "restart", /does not say/],
  ])("%s", async (_what, one, impact, why) => {
    const found = await oneCompute(preview([one]), ["--fail-on", "may-restart"]);
    expect(found.impact).toBe(impact);
    expect(found.approval).toEqual({ approved: false, why: expect.stringMatching(why) });
    expect(found.fails).toBe(true);
  });

  test("a secret that is the same is in nobody's way", async () => {
    const one = change(
      { size: "[secret]", name: "[secret]" },
      {
        size: "[secret]",
        name: "[secret]",
        __secret: ["size", "name"],
        branchId: "br-b",
        restart: `yes: branchId a → b; ${DROPS}`,
      },
    );
    const found = await oneCompute(preview([one]));
    expect(found.approval).toEqual({
      approved: false,
      digest: expect.stringMatching(/^[0-9a-f]{12}$/),
      command: expect.any(String),
    });
    expect(found).toMatchObject({ notes: [], changes: [{ property: "branchId" }] });
    expect([found.before, found.after]).toEqual([undefined, undefined]);
  });

  test("a secret that changes and does nothing is harmless", async () => {
    const one = change({ name: "[secret]" }, { name: "[secret]", __secret: ["name"], restart: "no" }, differs("name"));
    expect((await oneCompute(preview([one]))).impact).toBe("none");
  });

  test("values of another kind than any version writes are not compared", async () => {
    const one = change({ size: "1" }, { size: { a: 1 }, type: 7, disabled: "true", settings: [], restart: "no" });
    expect((await oneCompute(preview([one]))).impact).toBe("none");
  });
});

describe("the digest is the one that check accepts", () => {
  const digestOf = (judge: typeof impactOf, old: object, next: object) => {
    const [before, wish] = [wishOf({ ...BASE, ...old } as Asked), wishOf({ ...BASE, ...next } as Asked)];
    return approvalOf(urnOf("primary"), judge(before, wish), before, wish);
  };
  const pair: [string, object, object][] = [
    ["a size", {}, { size: 4 }],
    ["a size as both limits", {}, { size: undefined, autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 }],
    ["a branch and a setting", {}, { branchId: "br-x", settings: { pgSettings: { work_mem: "<64MB>" } } }],
    ["triggers of any kind", { restartTriggers: [1, { b: 2, a: [null] }] }, { restartTriggers: ["x"] }],
    ["a stop", {}, { disabled: true }],
  ];
  test.each(pair)("%s", async (_what, old, next) => {
    const { approval } = await oneCompute(preview([change(old, { restart: "yes: …", ...next })]));
    expect(approval.digest).toBe(digestOf(impactOf, old, next));
  });
  test.each<[string, object, object]>([
    ["another project", {}, { projectId: "p" }],
    ["any change, by replaceOnChanges", {}, { suspendTimeoutSeconds: 600 }],
    ["no setting", {}, {}],
  ])("a replacement for %s", async (_what, old, next) => {
    const { approval } = await oneCompute(preview([change(old, { restart: "no", ...next }, { op: "replace" })]));
    expect(approval.digest).toBe(digestOf(replacementOf, old, next));
  });
  test("a deletion", async () => {
    const { approval } = await oneCompute(preview([step({ op: "delete", old: BASE })]));
    expect(approval.digest).toBe(approvalDigest(urnOf("primary"), "delete"));
  });
});

describe("what is approved", async () => {
  const { digest } = (await oneCompute(preview([resize()]))).approval;
  const run = (approve: unknown, args: string[] = [], nowMs = NOW) =>
    inJson(preview([resize()], { config: { "compute:approve": approve } }), args, { nowMs });
  const DAY = Date.parse("2026-05-05T00:00:00Z");

  test.each<[what: string, approve: unknown, exitCode: number, nowMs?: number]>([
    ["its digest in the list", JSON.stringify(["000000000000", digest]), 0],
    ["its digest alone", digest, 0],
    ["on its last day", JSON.stringify([`${digest}@2026-05-04`]), 0, DAY - 1],
    ["after its last day", JSON.stringify([`${digest}@2026-05-04`]), 3, DAY],
    ["another digest", JSON.stringify(["000000000000"]), 3],
    ["an empty list", "[]", 3],
    ["a secret", "[secret]", 3],
    ["no list", "yes", 3],
    ["not even text", { a: 1 }, 3],
  ])("%s", async (_what, approve, exitCode, nowMs) => {
    const found = await run(approve, [], nowMs);
    expect(found.exitCode).toBe(exitCode);
    expect(found.stacks[0].computes[0]).toMatchObject({
      approval: { approved: exitCode === 0, digest },
      fails: exitCode === 3,
    });
  });

  test("what can't be read is said", async () => {
    expect((await run("yes")).stacks[0].remarks).toEqual([
      expect.stringMatching(/^compute:approve can't be used, .*12 hex digits/),
    ]);
  });

  test("commands count on from what the list has, one for each that is open", async () => {
    const steps = [resize(), resize({ name: "b" }), resize({ name: "c" })];
    const { stacks } = await inJson(
      preview(steps, { config: { "compute:approve": JSON.stringify(["000000000000", digest]) } }),
    );
    const approvals = stacks[0].computes.map(({ approval }: Parsed) => approval);
    expect(approvals.map(({ command }: Parsed) => command)).toEqual([
      undefined,
      approveCommand(approvals[1].digest, 2),
      approveCommand(approvals[2].digest, 3),
    ]);
  });

  test("one approval lets no other change of the compute pass", async () => {
    const other = preview([resize({ next: { size: 8, restart: `yes: size 1 → 8; ${DROPS}` } })], {
      config: { "compute:approve": digest },
    });
    expect((await inJson(other)).exitCode).toBe(3);
  });
});

describe("--fail-on", () => {
  const LEVELS = ["none", "may-restart", "restart", "stop", "new-host", "delete"];
  const old = { ...BASE, restart: "no" };
  const STEPS: Record<string, object> = {
    none: step({ old, next: { ...BASE, name: "b", restart: "no" } }),
    "may-restart": step({ old, next: { ...BASE, settings: { pgSettings: { a: "b" } }, restart: "maybe: …" } }),
    restart: resize(),
    stop: step({ old, next: { ...BASE, disabled: true, restart: "yes: …" } }),
    "new-host": step({ op: "replace", old, next: { ...BASE, projectId: "p", restart: "yes: …" } }),
    delete: step({ op: "delete", old }),
  };
  test.each(LEVELS.flatMap((failOn) => LEVELS.map((impact) => [failOn, impact] as const)))(
    "%s, for %s",
    async (failOn, impact) => {
      const { exitCode } = await inJson(preview([STEPS[impact]]), ["--fail-on", failOn]);
      const fails = failOn !== "none" && LEVELS.indexOf(impact) >= LEVELS.indexOf(failOn);
      expect(exitCode).toBe(fails ? 3 : 0);
    },
  );
  test("the default is restart", async () => {
    expect([
      (await inJson(preview([STEPS["may-restart"]]))).exitCode,
      (await inJson(preview([STEPS["restart"]]))).exitCode,
    ]).toEqual([0, 3]);
  });
  test("another word is bad usage", async () => {
    expect(await report(["--fail-on", "always"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--fail-on must be one of none, may-restart"),
    });
  });
});

describe("memory and connections before and after", () => {
  test.each<[what: string, step: object, before: unknown, after: unknown]>([
    [
      "a resize",
      resize(),
      { maxCu: 1, memoryGb: 4, maxConnections: 450 },
      { maxCu: 4, memoryGb: 16, maxConnections: 1802 },
    ],
    [
      "limits that the program does not manage stay",
      change(
        { size: undefined },
        { size: undefined, name: "b", restart: "no" },
        { outputs: { autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 4 } },
      ),
      { maxConnections: 901 },
      { maxConnections: 901 },
    ],
    ["above what is documented", resize({ next: { size: 56 } }), { maxConnections: 450 }, { memoryGb: 224 }],
    ["a deletion", step({ op: "delete", old: BASE }), { memoryGb: 4 }, undefined],
    ["an unknown size", change({}, { size: UNKNOWN, restart: "maybe: …" }), { memoryGb: 4 }, undefined],
    [
      "a new compute of the service's own size",
      step({ op: "create", next: { ...BASE, size: undefined, restart: "no" } }),
      undefined,
      undefined,
    ],
  ])("%s", async (_what, one, before, after) => {
    const found = await oneCompute(preview([one]));
    expect([found.before, found.after]).toEqual([
      before && expect.objectContaining(before),
      after && expect.objectContaining(after),
    ]);
  });
  test("above 38 CU no number is made up", async () => {
    expect((await oneCompute(preview([resize({ next: { size: 56 } })]))).after).not.toHaveProperty("maxConnections");
  });
  test("a local disk that shrinks is a warning", async () => {
    const one = change({ size: 8 }, { size: 2, restart: `yes: size 8 → 2; ${DROPS}` });
    expect((await oneCompute(preview([one]))).notes).toEqual([
      expect.stringMatching(/disk shrinks from 120 to 30 GiB: .*53100/),
    ]);
  });
});

test("of a real document with a secret size nothing but the notice is shown", async () => {
  const { stdout } = await report(["--format", "markdown"], fixture("changes.json"));
  expect(stdout).toContain("| `secret` | 🟠 **restarts** | `size a secret value → another` |");
  expect(stdout).toContain("not possible: a secret value changes");
});
