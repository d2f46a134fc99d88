import { describe, expect, test } from "vitest";
import type { FirstOldInputs } from "../../../provider/endpoint/check.js";
import { UNKNOWN_VALUE } from "../../../provider/endpoint/inputs.js";
import { digestsAtEndOf } from "../../../provider/rules/approval-list.js";
import { autoNameOf } from "../../../provider/rules/name.js";
import { checked, config, failures, marker, OK, type Props, urnOf } from "./checking.js";

describe("the marker of a replacement", () => {
  const [OLD, NEW] = [
    { ...OK, size: 2 },
    { ...OK, type: "read_only", size: 2 },
  ];
  const twice = (first: FirstOldInputs, name: string, olds: Props, news: Props) => [
    checked({ ...news, __urn: urnOf(name) }, olds, undefined, first).inputs["restart"],
    checked({ ...news, __urn: urnOf(name) }, {}, undefined, first).inputs["restart"],
  ];

  test("stands in both checks, the second of which sees no old inputs", () => {
    for (const one of twice(new Map(), "a", OLD, NEW))
      expect(one).toMatch(/^yes: type read_write → read_only.*new host/);
  });

  test("says new host also where an option of the resource asks for it, and no property by itself", () => {
    const [first, second] = twice(new Map(), "a", OLD, { ...OLD, branchId: "br-2" });
    expect(first).toMatch(/^yes: branchId \(changes\) moves this compute/);
    expect(second).toMatch(/^yes: branchId \(changes\) replaces.*new host/);
    expect(twice(new Map(), "a", OLD, OLD)).toEqual(["no", expect.stringMatching(/^yes: .*new host/)]);
  });

  test("is each resource's own", () => {
    const first: FirstOldInputs = new Map();
    twice(first, "a", OLD, NEW);
    expect(checked({ ...OK, __urn: urnOf("b") }, {}, undefined, first).inputs["restart"]).toBe("no");
    expect(twice(first, "c", { ...OLD, projectId: "p-0" }, OLD)[1]).toMatch(/^yes: projectId \(changes\)/);
  });

  test("a creation without a first check has none", () => {
    expect(marker({ ...NEW, __urn: urnOf("a") })).toBe("no");
  });

  test("olds that hold nothing but the engine's own are none", () => {
    expect(marker({ ...NEW, __urn: urnOf("a") }, { __provider: "text", restart: "no" })).toBe("no");
  });

  test("refuse fails in the first check already", () => {
    const [failure] = failures({ ...NEW, onRestart: "refuse" }, OLD);
    expect(failure).toMatchObject({ property: "type", reason: expect.stringMatching(/new host.*refuse/) });
  });

  test("secrets of the old inputs are hidden in the second one too", () => {
    const olds = { ...OLD, branchId: "br-hidden", __secret: ["branchId"] };
    const news = { ...NEW, branchId: "br-other" };
    for (const one of twice(new Map(), "a", olds, news)) expect(one).not.toContain("br-hidden");
  });
});

describe("the marker of an adoption", () => {
  test.each<[string, Props, RegExp]>([
    ["nothing", {}, /^no$/],
    ["what nobody feels", { name: "x", suspendTimeoutSeconds: 60, disabled: false, poolerEnabled: true }, /^no$/],
    ["a size", { size: 2 }, /^maybe: takes over .*size 2/],
    [
      "limits",
      { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 },
      /sets autoscalingLimitMinCu 1, autoscalingLimitMaxCu 2/,
    ],
    ["disabling", { disabled: true }, /disabled true/],
    ["Postgres settings", { settings: { pgSettings: { a: "1" } } }, /settings.pgSettings/],
  ])("that asks for %s", (_rule, args, expected) => {
    expect(marker({ ...OK, ...args, adopt: true })).toMatch(expected);
    expect(marker({ ...OK, ...args })).toBe("no");
  });

  test("by id names the branch too, for the compute may be on another one", () => {
    expect(marker({ ...OK, adopt: "ep-1" })).toMatch(
      /^maybe: takes over the compute that adopt names and sets branchId; /,
    );
  });

  test("is no matter any more once the compute is in the state", () => {
    expect(marker({ ...OK, adopt: true, size: 2 }, { ...OK, adopt: true, size: 2 })).toBe("no");
  });
});

describe("refuse", () => {
  const OLD = { ...OK, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 4 };
  const SMALLER = { ...OK, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 };

  test("names the property, old and new value, what happens, and the way out", () => {
    const [failure, ...more] = failures({ ...SMALLER, onRestart: "refuse" }, OLD);
    expect(more).toEqual([]);
    expect(failure!.property).toBe("autoscalingLimitMaxCu");
    for (const part of ["4 → 2", "open connections drop", "refuse", 'onRestart: "warn"'])
      expect(failure!.reason).toContain(part);
  });

  test("each property that restarts gets its own failure, in the program's form", () => {
    const found = failures({ ...OK, size: 8, branchId: "br-2", disabled: true, name: "x", onRestart: "refuse" }, OLD);
    expect(found.map(({ property }) => property).sort()).toEqual(["branchId", "disabled", "size"]);
    // A range becomes a size: Pulumi prints the value of the property that the program has.
    expect(found.find(({ property }) => property === "size")?.reason).toMatch(
      /autoscalingLimitMinCu \S+ → 8, autoscalingLimitMaxCu \S+ → 8: /,
    );
  });

  test.each<[string, Props | undefined, string | undefined, boolean]>([
    ["the argument", { onRestart: "refuse" }, undefined, true],
    ["the stack's config", {}, "refuse", true],
    ["the argument over the config: warn", { onRestart: "warn" }, "refuse", false],
    ["the argument over the config: refuse", { onRestart: "refuse" }, "allow", true],
    ["nothing", {}, undefined, false],
  ])("is decided by %s", (_rule, args, stack, refused) => {
    const settings = config(stack ? { "compute:onRestart": stack } : {});
    expect(failures({ ...SMALLER, ...args }, OLD, settings).length > 0).toBe(refused);
  });

  test("lets pass what does no harm, and what only may", () => {
    expect(failures({ ...OLD, name: "x", suspendTimeoutSeconds: 60, onRestart: "refuse" }, OLD)).toEqual([]);
    expect(failures({ ...OLD, settings: { pgSettings: { a: "1" } }, onRestart: "refuse" }, OLD)).toEqual([]);
  });

  test("comes after bad input: one thing at a time", () => {
    expect(failures({ ...SMALLER, typo: 1, onRestart: "refuse" }, OLD).map(({ property }) => property)).toEqual([
      "typo",
    ]);
  });
});

describe("under refuse, an approval", () => {
  const refused = (olds: Props, news: Props, approve: string[], more: Props = {}) =>
    failures(
      { ...OK, ...news, __urn: urnOf("db"), ...more },
      { ...OK, ...olds },
      config({ "compute:onRestart": "refuse", "compute:approve": JSON.stringify(approve) }),
    ).map(({ reason }) => reason);
  const DIGEST = /\nnpx --no compute-endpoint approve --stack dev ([0-9a-f]{32})=db$/;
  const OTHER = "0123456789abcdef".repeat(2);
  const digestOf = (reasons: string[]) => DIGEST.exec(reasons.at(-1) ?? "")?.[1] ?? "";

  test("is named in the refusal: the command that gives it is a line of its own, and the last one", () => {
    const [reason] = refused({ size: 1 }, { size: 2 }, [OTHER]);
    expect(reason!.split("\n").at(-1)).toMatch(/^npx --no compute-endpoint approve --stack dev [0-9a-f]{32}=db$/);
  });

  test.each<[string, Props, Props]>([
    ["a size", { size: 1 }, { size: 2 }],
    ["two properties", { size: 1 }, { size: 2, disabled: true }],
    ["triggers", { restartTriggers: [1] }, { restartTriggers: [2] }],
    ["a new host", { projectId: "p-0" }, {}],
  ])("lets exactly that change pass: %s", (_rule, olds, news) => {
    const digest = digestOf(refused(olds, news, []));
    expect(refused(olds, news, [OTHER, "0123456789ab", digest])).toEqual([]);
    expect(refused(olds, { ...news, branchId: "br-9" }, [digest])).not.toEqual([]);
    expect(refused({ ...olds, branchId: "br-9" }, news, [digest])).not.toEqual([]);
    expect(refused(olds, news, [digest], { __urn: urnOf("other") })).not.toEqual([]);
    expect(refused(olds, news, [`${digest}@2020-01-01`]).at(-1)).toContain(
      "\nThe approval of this change ended on 2020-01-01. To see all changes",
    );
  });

  test("holds for the resource's own refuse as well, and for both forms of a size", () => {
    const digest = digestOf(refused({ size: 1 }, { size: 2 }, []));
    const limits = { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2, onRestart: "refuse" };
    expect(refused({ size: 1 }, limits, [digest])).toEqual([]);
    expect(refused({ size: 1 }, limits, [])).toHaveLength(2);
  });

  test("of a replacement that an option asks for holds in the second check, where it is refused", () => {
    const settings = (approve: string) => config({ "compute:onRestart": "refuse", "compute:approve": approve });
    const second = (approve: string) => {
      const first: FirstOldInputs = new Map();
      const news = { ...OK, name: "b", __urn: urnOf("db") };
      expect(checked(news, { ...OK, name: "a" }, settings(approve), first).failures).toEqual([]);
      return checked(news, {}, settings(approve), first).failures.map(({ reason }) => reason);
    };
    const reasons = second("[]");
    expect(reasons).toEqual([expect.stringMatching(/^name a → b: .*new|another id and host/)]);
    expect(second(JSON.stringify([digestOf(reasons)]))).toEqual([]);
  });

  test("of the whole new compute holds in both checks of a replacement that changes what restarts too", () => {
    const settings = (approve: string) => config({ "compute:onRestart": "refuse", "compute:approve": approve });
    const [olds, news] = [
      { ...OK, size: 1 },
      { ...OK, size: 2, __urn: urnOf("db") },
    ];
    const both = (approve: string) => {
      const first: FirstOldInputs = new Map();
      return [olds, {}].map((before) =>
        checked(news, before, settings(approve), first).failures.map(({ reason }) => reason),
      );
    };
    const [asUpdate, asReplacement] = both("[]").map(digestOf);
    expect(asUpdate).not.toBe(asReplacement);
    // What the report prints for it is the second one, and one is enough.
    expect(both(JSON.stringify([asReplacement]))).toEqual([[], []]);
    // Who approved the restart has not approved a new host.
    expect(both(JSON.stringify([asUpdate]))[1]).not.toEqual([]);
  });

  test("is offered for both where replaceOnChanges may ask for a new host, and for the restart alone elsewhere", () => {
    const first: FirstOldInputs = new Map();
    const may = { ...OK, size: 2, __urn: urnOf("db"), __mayReplace: true };
    const both = (news: Record<string, unknown>, approve: string) =>
      [{ ...OK, size: 1 }, {}].map((olds) => {
        const settings = config({ "compute:onRestart": "refuse", "compute:approve": approve });
        const { failures, inputs } = checked(news, olds, settings, first);
        expect(inputs).not.toHaveProperty("__mayReplace");
        return failures.map(({ reason }) => reason);
      });
    const [asUpdate, asReplacement] = both(may, "[]");
    expect(digestOf(asUpdate!)).toBe(digestOf(asReplacement!));
    expect(asUpdate![0]).toContain(
      " replaceOnChanges may give the compute a new host: the approval is for that too.\nTo approve",
    );
    expect(both(may, JSON.stringify([digestOf(asUpdate!)]))).toEqual([[], []]);
    const { __mayReplace: _, ...plain } = may;
    expect(digestOf(both(plain, "[]")[0]!)).not.toBe(digestOf(asUpdate!));
    expect(both(plain, "[]")[0]![0]).not.toContain("replaceOnChanges");
  });

  test("names both digests where a rule of the program may add replaceOnChanges, and the wider one is for both checks", () => {
    const first: FirstOldInputs = new Map();
    const news = { ...OK, size: 2, __urn: urnOf("db"), __mayReplace: "transforms" };
    const both = (approve: string) =>
      [{ ...OK, size: 1 }, {}].map((olds) => {
        const settings = config({ "compute:onRestart": "refuse", "compute:approve": approve });
        const { failures, inputs } = checked(news, olds, settings, first);
        expect(inputs).not.toHaveProperty("__mayReplace");
        return failures.map(({ reason }) => reason);
      });
    const [asUpdate, asReplacement] = both("[]");
    const [one, wider] = [digestOf(asUpdate!), digestOf(asReplacement!)];
    expect(one).not.toBe(wider);
    expect(asUpdate![0]).toContain(
      ` If the option replaceOnChanges is set for this compute (a transform may add it), it gets a new host: then approve ${wider} instead, which is for both.\nTo approve exactly this change`,
    );
    expect(both(JSON.stringify([wider]))).toEqual([[], []]);
    const [passes, refused] = both(JSON.stringify([one]));
    expect([passes, digestOf(refused!)]).toEqual([[], wider]);
    expect(both(JSON.stringify([`${wider}@2020-01-01`]))[0]![0]).toContain(
      "\nThe approval of this change ended on 2020-01-01. To see all changes",
    );
  });

  test("says the way out once, however many properties it is about", () => {
    const reasons = refused({ size: 1 }, { size: 2, disabled: true }, []);
    expect(reasons).toHaveLength(2);
    expect(reasons.filter((reason) => reason.includes("compute-endpoint approve"))).toHaveLength(1);
  });

  test("is not to be had for what is secret or not known yet", () => {
    for (const more of [{ __secret: ["size"] }, { branchId: UNKNOWN_VALUE }]) {
      const reasons = refused({ size: 1 }, { size: 2 }, [], more);
      expect(reasons.length).toBeGreaterThan(0);
      expect(reasons.at(-1)).toContain("\nIt can't be approved: a value is secret, or not known yet.");
      expect(digestsAtEndOf(reasons.at(-1)!)).toEqual([]);
    }
  });

  test("that can't be read is a failure at its name", () => {
    const broken = failures(OK, {}, config({ "compute:approve": '["soon"]' }));
    expect(broken).toEqual([
      { property: "compute:approve", reason: expect.stringMatching(/^"soon" is not an approval/) },
    ]);
  });
});

describe("the inputs that go on", () => {
  test("are the program's, the marker and our own, without the URN", () => {
    expect(checked({ ...OK, size: 2, __urn: urnOf("db") }).inputs).toEqual({
      ...OK,
      size: 2,
      __autoName: autoNameOf(urnOf("db")),
      restart: "no",
    });
  });

  test("a marker in the program is not the program's to set", () => {
    expect(checked({ ...OK, restart: "yes: made up" }).inputs["restart"]).toBe("no");
  });

  test.each<[string, Props, Props, ReturnType<typeof config>, string | undefined]>([
    ["the resource's own at first", { __urn: urnOf("db") }, {}, config(), autoNameOf(urnOf("db"))],
    ["the old one for ever, as after a rename", { __urn: urnOf("new") }, { __autoName: "db-1" }, config(), "db-1"],
    [
      "none where the program gives one",
      { __urn: urnOf("db"), name: "x" },
      { __autoName: "db-1" },
      config(),
      undefined,
    ],
    ["none where it is turned off", { __urn: urnOf("db") }, {}, config({ "compute:autoName": "false" }), undefined],
  ])("the generated name is %s", (_rule, news, olds, settings, expected) => {
    const before = Object.keys(olds).length > 0 ? { ...OK, ...olds } : {};
    expect(checked({ ...OK, ...news }, before, settings).inputs["__autoName"]).toBe(expected);
  });

  test("another region than the old inputs name fails, unless the project changes too", () => {
    const old = { ...OK, regionId: "aws-a" };
    expect(failures({ ...OK, regionId: "aws-b" }, old).map(({ property }) => property)).toEqual(["regionId"]);
    expect(failures({ ...OK, projectId: "p-2", regionId: "aws-b" }, old)).toEqual([]);
    expect(failures(OK, old)).toEqual([]);
    expect(failures({ ...OK, regionId: UNKNOWN_VALUE }, old)).toEqual([]);
  });
});
