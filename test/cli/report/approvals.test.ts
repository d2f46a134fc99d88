/** Digests, the same that the provider's check accepts, and what ends with which exit code. */
import { describe, expect, test } from "vitest";
import { digestOfChange } from "../../../provider/rules/approval";
import { approveCommandLine } from "../../../provider/rules/approval-list";
import { impactOf, replacementOf } from "../../../provider/rules/impact";
import { factsTail } from "../../../provider/rules/message-data";
import { desiredSettings, type SettingsInput } from "../../../provider/rules/settings";
import { ENDPOINT_TYPE, NATIVE_TYPE } from "../../../provider/rules/urn";
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
    const [before, wish] = [
      desiredSettings({ ...BASE, ...old } as SettingsInput),
      desiredSettings({ ...BASE, ...next } as SettingsInput),
    ];
    return digestOfChange(urnOf("primary"), judge(before, wish), before, wish, new Set(), { old, next });
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
  test.each<[string, object, RegExp]>([
    ["unknown", { onDelete: UNKNOWN }, /only after apply/],
    ["secret", { onDelete: "[secret]" }, /secret/],
    ["secret", { adopt: "[secret]" }, /secret/],
  ])("a replacement of which it is %s whether the old compute goes can't be approved", async (_what, next, why) => {
    const one = change({}, { restart: "yes: …", projectId: "p", ...next }, { op: "replace" });
    expect((await oneCompute(preview([one]))).approval).toEqual({
      approved: false,
      refused: false,
      why: expect.stringMatching(why),
    });
  });
  test("the plugin's resource has the same", async () => {
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
    expect((await oneCompute(preview([resize()], approved))).approval).toEqual({
      digest: wider,
      approved: true,
      refused: false,
    });
    expect((await inJson(preview([replaced], { config: { "compute:approve": digest } }))).exitCode).toBe(3);
  });

  test("what can't be read is said, and no line is printed that would not work", async () => {
    const [{ remarks, computes }] = (await run("yes")).stacks;
    expect(remarks).toEqual([expect.stringMatching(/^compute:approve can't be used, .*32 hex digits in quotes/)]);
    // Nothing could be added to it.
    expect(computes[0].approval).not.toHaveProperty("command");
  });

  test.each([
    ["in a list", JSON.stringify(["0123456789ab", "9c86f4de45a0@2026-12-31"])],
    ["alone", "9c86f4de45a0"],
  ])("entries of version 1 %s approve nothing, and are named", async (_what, approve) => {
    const { stacks, exitCode } = await run(approve);
    expect(exitCode).toBe(3);
    expect(stacks[0].remarks).toEqual([
      expect.stringMatching(
        /^compute:approve: .*9c86f4de45a0(@2026-12-31)? approves? nothing\. An approval has 32 hex/,
      ),
    ]);
  });

  test("entries that have ended, and those that match nothing in this preview, are named, the latter without a judgement", async () => {
    const other = "f".repeat(32);
    const { stacks } = await run(JSON.stringify([digest, `${NONE}@2026-05-01`, other]));
    expect(stacks[0].remarks).toEqual([
      expect.stringMatching(/^compute:approve: the last day of 000000000000… \(2026-05-01\) is over$/),
      expect.stringMatching(
        /^compute:approve: ffffffffffff… matches nothing in this preview: it was used already, is for a later change, or the compute has other values now\. /,
      ),
    ]);
  });

  test("several that match nothing are spoken of as several, with a command that works as it stands", async () => {
    const { stacks } = await run(JSON.stringify([digest, "e".repeat(32), "f".repeat(32)]));
    expect(stacks[0].remarks).toEqual([
      expect.stringMatching(
        /f… match nothing in this preview: they were used already, .*To remove such entries, in the program's folder: `COMPUTE_ON_RESTART=warn pulumi preview --stack prod --json > preview\.json`, then `npx --no compute-endpoint report preview\.json --tidy Pulumi\.prod\.yaml`$/,
      ),
    ]);
  });

  test("the command that tidies names the folder where it is known, and a file only where the stack's name is plain", async () => {
    const config = { "compute:approve": JSON.stringify(["f".repeat(32)]) };
    const document = JSON.stringify(preview([resize()], { config }));
    const { stdout } = await report(["--name", "shop/prod", "--folder", "infra/shop"], document);
    expect(stdout).toContain("To remove such entries, in `infra/shop`: ");
    expect(stdout).toContain("run this in `infra/shop`, and commit the stack's file:");
    const odd = (await report([], document.replaceAll(":prod::", ":$(x)::"))).stdout;
    expect(odd).toContain("`COMPUTE_ON_RESTART=warn pulumi preview --json > preview.json`, then ");
    expect(odd).toContain("report preview.json --tidy FILE`");
  });

  test("an incomplete preview does not tell which entries it needs", async () => {
    const diagnostics = [{ severity: "error", message: "error: boom" }];
    const config = { "compute:approve": JSON.stringify(["f".repeat(32)]) };
    expect((await inJson(preview([], { config, diagnostics }))).stacks[0].remarks).toEqual([]);
  });

  test("what a table shows of a digest, and any other part of it, approves nothing", async () => {
    const shown = (await report([], JSON.stringify(preview([resize()])))).stdout;
    expect(shown).toContain(`\`${digest.slice(0, 12)}…\``);
    for (const length of [8, 12, 16, 31])
      expect((await run(JSON.stringify([digest.slice(0, length)]))).exitCode).toBe(3);
  });

  test("one command approves all that is open, and each has one of its own", async () => {
    const steps = [resize(), resize({ name: "q" }), resize({ name: "r" })];
    const { stacks } = await inJson(preview(steps, { config: { "compute:approve": JSON.stringify([digest]) } }));
    const approvals = stacks[0].computes.map(({ approval }: Parsed) => approval);
    const [, q, r] = approvals.map((one: Parsed) => one.digest as string);
    expect(approvals.map(({ command }: Parsed) => command)).toEqual([
      undefined,
      approveCommandLine([{ digest: q, name: "q" }], { stack: "prod" }),
      approveCommandLine([{ digest: r, name: "r" }], { stack: "prod" }),
    ]);
    const both = ["q", "r"].map((name, index) => ({ digest: [q, r][index], name }));
    expect(stacks[0].approveCommand).toBe(approveCommandLine(both, { stack: "prod" }));
  });

  test.each<[what: string, config: Parsed, next: Parsed, refused: boolean]>([
    ["the stack refuses", { "compute:onRestart": "refuse" }, {}, true],
    ["the resource refuses", {}, { onRestart: "refuse" }, true],
    ["the resource does not", { "compute:onRestart": "refuse" }, { onRestart: "warn" }, false],
    ["nobody does", {}, {}, false],
    ["it is approved", { "compute:onRestart": "refuse", "compute:approve": digest }, {}, false],
  ])("whether `up` refuses it is said: %s", async (_what, config, next, refused) => {
    const { approval } = await oneCompute(preview([resize({ next })], { config }));
    expect(approval.refused).toBe(refused);
    const { stdout } = await report([], JSON.stringify(preview([resize({ next })], { config })));
    expect(stdout.includes("`pulumi up` refuses what is not approved.")).toBe(refused);
  });

  test("one approval lets no other change of the compute pass", async () => {
    const other = preview([resize({ next: { size: 8, restart: `yes: size 1 → 8; ${DROPS}` } })], {
      config: { "compute:approve": digest },
    });
    expect((await inJson(other)).exitCode).toBe(3);
  });
});

describe("a deletion", () => {
  const gone = (more: object = {}) => preview([step({ op: "delete", old: BASE, ...more })]);

  test("has no approval, no digest and no command: nothing in `up` could check one", async () => {
    const { stacks, exitCode } = await inJson(gone());
    expect(exitCode).toBe(0);
    expect(stacks[0]).not.toHaveProperty("approveCommand");
    expect(stacks[0].computes[0]).toMatchObject({ impact: "delete", fails: false });
    expect(stacks[0].computes[0]).not.toHaveProperty("approval");
    const { stdout } = await report([], JSON.stringify(gone()));
    expect(stdout).toContain("### 🔴 `shop/prod`: 1 compute is deleted\n");
    expect(stdout).toMatch(/^🔴 \*\*Deleted: `primary`\.\*\* No approval is asked for/m);
    expect(stdout).not.toMatch(/approved|[0-9a-f]{32}/);
  });

  test.each(["markdown", "github", "text"])(
    "in %s says what happens once for each, and the rule once for all",
    async (format) => {
      const two = preview(["a", "b"].map((name) => step({ op: "delete", name, id: `ep-${name}`, old: BASE })));
      const { stdout } = await report(["--format", format], JSON.stringify(two));
      expect(stdout.match(/connections drop/g)).toHaveLength(2);
      expect(stdout.match(/protect/g) ?? []).toHaveLength(format === "markdown" ? 1 : 0);
    },
  );

  test("beside other changes is counted apart, and approved changes do not approve it", async () => {
    const all = [resize(), step({ op: "delete", name: "old", id: "ep-old", old: BASE })];
    const { stacks } = await inJson(preview(all));
    expect(stacks[0].verdict).toBe("1 compute is deleted. 1 compute restarts; 1 not approved");
    const config = { "compute:approve": stacks[0].computes[1].approval.digest };
    const approved = await inJson(preview(all, { config }), ["--fail-on", "restart,delete"]);
    expect([approved.exitCode, approved.verdict]).toEqual([
      3,
      "1 compute is deleted, which fails this check. 1 compute restarts; approved",
    ]);
  });
});

describe("--fail-on", () => {
  const LEVELS = ["none", "may-restart", "restart", "stop", "new-host"];
  const IMPACTS = [...LEVELS, "delete"];
  const old = { ...BASE, restart: "no" };
  const STEPS: Record<string, object> = {
    none: step({ old, next: { ...BASE, name: "b", restart: "no" } }),
    "may-restart": step({ old, next: { ...BASE, settings: { pgSettings: { a: "b" } }, restart: "maybe: …" } }),
    restart: resize(),
    stop: step({ old, next: { ...BASE, disabled: true, restart: "yes: …" } }),
    "new-host": step({ op: "replace", old, next: { ...BASE, projectId: "p", restart: "yes: …" } }),
    delete: step({ op: "delete", old }),
  };
  const found = async (impact: string, failOn?: string) =>
    inJson(preview([STEPS[impact]]), failOn === undefined ? [] : ["--fail-on", failOn]);
  test.each(LEVELS.flatMap((failOn) => IMPACTS.map((impact) => [failOn, impact] as const)))(
    "%s, for %s",
    async (failOn, impact) => {
      const isReached = LEVELS.indexOf(impact) >= LEVELS.indexOf(failOn);
      const fails = failOn !== "none" && impact !== "delete" && isReached;
      expect(await found(impact, failOn)).toMatchObject({ exitCode: fails ? 3 : 0, failOn: [failOn] });
    },
  );
  test.each([
    ["delete", ["delete"], ["delete"]],
    ["restart,delete", ["restart", "delete"], ["restart", "stop", "new-host", "delete"]],
    ["delete, new-host", ["new-host", "delete"], ["new-host", "delete"]],
    ["stop,restart", ["restart"], ["restart", "stop", "new-host"]],
  ])("a list: %s", async (failOn, words, failing) => {
    const all = await Promise.all(IMPACTS.map((impact) => found(impact, failOn)));
    expect(all.map((one) => one.failOn)).toEqual(IMPACTS.map(() => words));
    expect(IMPACTS.filter((_, at) => all[at].exitCode === 3)).toEqual(failing);
  });
  test("the default is restart", async () => {
    expect([(await found("may-restart")).exitCode, (await found("restart")).exitCode]).toEqual([0, 3]);
  });
  test.each(["always", "restart,always", "none,delete", ""])("%j is bad usage", async (failOn) => {
    expect(await report([`--fail-on=${failOn}`])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^--fail-on (must be a list of may-restart, restart|none can't be combined with others)/,
      ),
    });
  });
});

describe("what the preview has seen of a compute", () => {
  const seen = (message: string, more: object = {}) =>
    preview([resize()], { diagnostics: [{ urn: urnOf("primary"), severity: "warning", message, ...more }] });
  const TAIL = "warning: ep-amber-field-a5x7w3rt: … [active at 2026-05-04T12:00:05Z]\n";

  test.each<[what: string, document: object, expected: object | undefined]>([
    ["at the end of its warning", seen(TAIL), { state: "active", at: "2026-05-04T12:00:05Z" }],
    ["idle", seen("… [idle at 2026-05-04T12:00:05Z]"), { state: "idle", at: "2026-05-04T12:00:05Z" }],
    ["in a sentence, which is no data", seen("It is active (last used 12 s ago)"), undefined],
    ["not at the end", seen(`${TAIL} and more`), undefined],
    ["no time", seen("… [active at 2026-99-99T12:00:05Z]"), undefined],
    ["of another resource", seen(TAIL, { urn: urnOf("other") }), undefined],
  ])("%s", async (_what, document, expected) => {
    const one = await oneCompute(document);
    expect(one.seen).toEqual(expected);
    expect(one.impact).toBe("restart");
  });

  test("is what the tail says that previews write", async () => {
    const { seen: found } = await oneCompute(
      seen(`x.${factsTail(["disabled"], Date.parse("2026-05-04T12:00:05.9Z"))}`),
    );
    expect(found).toEqual({ state: "disabled", at: "2026-05-04T12:00:05Z" });
  });

  test("stands in the table, with the time below it", async () => {
    const { stdout } = await report([], JSON.stringify(seen(TAIL)));
    expect(stdout).toContain("| `size` `1` → `4` | active | 4 → 16 GB |");
    expect(stdout).toContain("\nAt the preview: 2026-05-04 12:00:05 UTC. ");
  });
});

describe("beside a command that approves, nothing is hidden without a word", () => {
  const settings = (count: number, value: string) => ({
    settings: { pgSettings: Object.fromEntries(Array.from({ length: count }, (_, at) => [`a.setting_${at}`, value])) },
  });
  const restarts = (count: number, value = "on", more: Record<string, unknown> = {}) =>
    preview(
      [
        step({
          old: { ...BASE, ...settings(count, "off"), restart: "no" },
          next: { ...BASE, ...settings(count, value), size: 4, restart: "yes: size 1 → 4; …" },
        }),
      ],
      more,
    );
  const FORMATS = ["markdown", "text", "github"];
  const namesIn = (stdout: string) => new Set(stdout.match(/a\.setting_\d+/g)).size;

  test.each(FORMATS)("every cause has its values: %s", async (format) => {
    const { stdout } = await report(["--format", format], JSON.stringify(restarts(40)));
    expect(namesIn(stdout)).toBe(40);
    expect(stdout).not.toMatch(/more|…: `pulumi/);
  });

  test.each(FORMATS)("more than a hundred are counted, and the reader told where they are: %s", async (format) => {
    const { stdout } = await report(["--format", format], JSON.stringify(restarts(140)));
    // The size is one of a hundred.
    expect(namesIn(stdout)).toBe(99);
    expect(stdout).toContain("and 41 more: `pulumi preview --diff` shows them");
  });

  test.each(FORMATS)("values that are cut are counted: %s", async (format) => {
    for (const [length, said] of [
      [60, undefined],
      [61, "3 values are cut: `pulumi preview --diff` shows all of them"],
      [5000, "3 values are cut: `pulumi preview --diff` shows all of them"],
    ] as const) {
      const { stdout } = await report(["--format", format], JSON.stringify(restarts(3, "x".repeat(length))));
      if (said) expect(stdout).toContain(said);
      else expect(stdout).not.toContain("cut");
    }
  });

  test("one cut value is said of one", async () => {
    const { stdout } = await report(["--format", "markdown"], JSON.stringify(restarts(1, "x".repeat(80))));
    expect(stdout).toContain("1 value is cut: `pulumi preview --diff` shows all of it");
  });

  test.each(FORMATS)("an approved change keeps its short row, which counts the rest: %s", async (format) => {
    const open = await inJson(restarts(40));
    const digest = open.stacks[0].computes[0].approval.digest;
    const document = restarts(40, "on", { config: { "compute:approve": JSON.stringify([digest]) } });
    const { stdout } = await report(["--format", format], JSON.stringify(document));
    expect(namesIn(stdout)).toBe(5);
    expect(stdout).toContain("and 35 more");
  });
});
