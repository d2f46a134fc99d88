/** Digests, the same that the provider's check accepts, and what ends with which exit code. */
import { describe, expect, test } from "vitest";
import { approvalOf, approvalOfRemoval, approveCommand } from "../../../provider/rules/approval";
import { ENDPOINT_TYPE, NATIVE_TYPE } from "../../../provider/rules/endpoint-type";
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
  UNKNOWN,
  urnOf,
} from "./support";

const NONE = "0".repeat(32);
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
    return approvalOf(urnOf("primary"), judge(before, wish), before, wish, new Set(), { old, next });
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
    ["another project, with what becomes of the old compute", { onDelete: "release" }, { projectId: "p", adopt: true }],
    ["another project, where the old compute was adopted", { adopt: "ep-a" }, { projectId: "p", onDelete: "delete" }],
  ])("a replacement for %s", async (_what, old, next) => {
    const { approval } = await oneCompute(preview([change(old, { restart: "no", ...next }, { op: "replace" })]));
    expect(approval.digest).toBe(digestOf(replacementOf, old, next));
  });
  test("a deletion", async () => {
    const { approval } = await oneCompute(preview([step({ op: "delete", old: BASE })]));
    const removal = { id: "ep-amber-field-a5x7w3rt", projectId: BASE.projectId, onDelete: "delete" } as const;
    expect(approval.digest).toBe(approvalOfRemoval(urnOf("primary"), removal));
  });
  test("a deletion of another compute, or of one in another project, under the same name is another one", async () => {
    const all = [{}, { id: "ep-b" }, { outputs: { projectId: "p" } }].map(async (more) => {
      const { approval } = await oneCompute(preview([step({ op: "delete", old: BASE, ...more })]));
      return approval.digest as string;
    });
    expect(new Set(await Promise.all(all)).size).toBe(3);
  });
  test.each<[string, StepOptions, RegExp]>([
    ["whose id is not there", { id: "" }, /which compute it is/],
    ["whose project is not there", { old: { ...BASE, projectId: undefined } }, /in which project/],
    ["whose project is secret", { outputs: { projectId: "[secret]" } }, /secret/],
  ])("a deletion %s can't be approved", async (_what, more, why) => {
    const { approval } = await oneCompute(preview([step({ op: "delete", old: BASE, ...more })]));
    expect(approval).toEqual({ approved: false, why: expect.stringMatching(why) });
  });
  test.each<[string, object, RegExp]>([
    ["unknown", { onDelete: UNKNOWN }, /only after apply/],
    ["secret", { onDelete: "[secret]" }, /secret/],
    ["secret", { adopt: "[secret]" }, /secret/],
  ])("a replacement of which it is %s whether the old compute goes can't be approved", async (_what, next, why) => {
    const one = change({}, { restart: "yes: …", projectId: "p", ...next }, { op: "replace" });
    expect((await oneCompute(preview([one]))).approval).toEqual({ approved: false, why: expect.stringMatching(why) });
  });
  test("the resource in its native form has the same", async () => {
    const of = async (type: string) =>
      (await oneCompute(preview([change({}, { size: 4, restart: "yes: …" }, { type })]))).approval.digest;
    expect(await of(NATIVE_TYPE)).toBe(await of(ENDPOINT_TYPE));
  });
});

test("the approval of a replacement whose old compute stays is none of one that deletes it", async () => {
  const replaced = (more: object) =>
    step({ op: "replace", old: { ...BASE, restart: "no", ...more }, next: { ...BASE, projectId: "q", ...more } });
  const [stays, goes] = [replaced({ __retain: true }), replaced({})];
  const { digest } = (await oneCompute(preview([stays]))).approval;
  const approved = { config: { "compute:approve": JSON.stringify([digest]) } };
  expect((await inJson(preview([stays], approved))).exitCode).toBe(0);
  expect((await inJson(preview([goes], approved))).exitCode).toBe(3);
});

describe("what is approved", async () => {
  const { digest } = (await oneCompute(preview([resize()]))).approval;
  const run = (approve: unknown, args: string[] = [], nowMs = NOW) =>
    inJson(preview([resize()], { config: { "compute:approve": approve } }), args, { nowMs });
  const DAY = Date.parse("2026-05-05T00:00:00Z");

  test.each<[what: string, approve: unknown, exitCode: number, nowMs?: number]>([
    ["its digest in the list", JSON.stringify([NONE, digest]), 0],
    ["its digest alone", digest, 0],
    ["on its last day", JSON.stringify([`${digest}@2026-05-04`]), 0, DAY - 1],
    ["after its last day", JSON.stringify([`${digest}@2026-05-04`]), 3, DAY],
    ["its digest in a list that is one, beside a number", [123456789012, "0123456789ab@2027-01-01", digest], 0],
    ["another digest", JSON.stringify([NONE]), 3],
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
    expect(remarks).toEqual([expect.stringMatching(/^compute:approve can't be used, .*32 hex digits in quotes/)]);
    // Nothing could be added to it.
    expect(computes[0].approval).not.toHaveProperty("command");
  });

  test.each([
    ["in a list", JSON.stringify(["0123456789ab", "9c86f4de45a0@2026-12-31"]), 2],
    ["alone", "9c86f4de45a0", 1],
  ])("entries of version 1 %s approve nothing, are named, and keep their place", async (_what, approve, count) => {
    const { stacks, exitCode } = await run(approve);
    expect(exitCode).toBe(3);
    const [{ remarks, computes }] = stacks;
    expect(remarks).toEqual([
      expect.stringMatching(
        /^compute:approve: .*9c86f4de45a0(@2026-12-31)? approves? nothing\. An approval has 32 hex/,
      ),
    ]);
    expect(computes[0].approval.command).toContain(`"compute:approve[${count}]" ${digest}`);
  });

  test("what a table shows of a digest, and any other part of it, approves nothing", async () => {
    const shown = (await report([], JSON.stringify(preview([resize()])))).stdout;
    expect(shown).toContain(`\`${digest.slice(0, 12)}…\``);
    for (const length of [8, 12, 16, 31])
      expect((await run(JSON.stringify([digest.slice(0, length)]))).exitCode).toBe(3);
  });

  test("commands count on from what the list has, one for each that is open", async () => {
    const steps = [resize(), resize({ name: "q" }), resize({ name: "r" })];
    const { stacks } = await inJson(preview(steps, { config: { "compute:approve": JSON.stringify([NONE, digest]) } }));
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
