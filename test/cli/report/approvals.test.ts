/** Digests, the same that the provider's check accepts, and what ends with which exit code. */
import { describe, expect, test } from "vitest";
import { approvalDigest, approvalOf, approveCommand } from "../../../provider/rules/approval";
import { impactOf, replacementOf } from "../../../provider/rules/restart";
import { type Asked, wishOf } from "../../../provider/rules/wish";
import {
  BASE,
  inJson,
  NOW,
  oneCompute,
  type Parsed,
  preview,
  report,
  resize,
  type StepOptions,
  step,
  urnOf,
} from "./support";

const DROPS = "if the compute is active it restarts, and open connections drop";
const change = (old: object, next: object, more: StepOptions = {}) =>
  step({ old: { ...BASE, restart: "no", ...old }, next: { ...BASE, ...next }, ...more });

/** A file as Pulumi's states and documents have it. */
const file = (hash: string) => ({
  "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17",
  hash,
  path: "libraries.txt",
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
    ["a file among the triggers", { restartTriggers: [{ a: file("1") }] }, { restartTriggers: [{ a: file("2") }] }],
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
    ["its digest in a list that is one, beside a number", [123456789012, digest], 0],
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

  test("an empty list that is one is nothing to speak of", async () => {
    expect((await run([])).stacks[0].remarks).toEqual([]);
  });

  test("the approval of it as a replacement is one of the update too, and not the other way round", async () => {
    const replaced = { ...resize(), op: "replace" };
    const wider = (await oneCompute(preview([replaced]))).approval.digest;
    const approved = { config: { "compute:approve": JSON.stringify([wider]) } };
    expect((await inJson(preview([resize()], approved))).exitCode).toBe(0);
    expect((await oneCompute(preview([resize()], approved))).approval).toEqual({ digest: wider, approved: true });
    expect((await inJson(preview([replaced], { config: { "compute:approve": digest } }))).exitCode).toBe(3);
  });

  test("what can't be read is said, and no line is printed that would not work", async () => {
    const [{ remarks, computes }] = (await run("yes")).stacks;
    expect(remarks).toEqual([expect.stringMatching(/^compute:approve can't be used, .*12 hex digits/)]);
    // Nothing could be added to it.
    expect(computes[0].approval).not.toHaveProperty("command");
  });

  test("commands count on from what the list has, one for each that is open", async () => {
    const steps = [resize(), resize({ name: "q" }), resize({ name: "r" })];
    const { stacks } = await inJson(
      preview(steps, { config: { "compute:approve": JSON.stringify(["000000000000", digest]) } }),
    );
    const approvals = stacks[0].computes.map(({ approval }: Parsed) => approval);
    expect(approvals.map(({ command }: Parsed) => command)).toEqual([
      undefined,
      approveCommand(approvals[1].digest, { count: 2 }, "prod"),
      approveCommand(approvals[2].digest, { count: 3 }, "prod"),
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
