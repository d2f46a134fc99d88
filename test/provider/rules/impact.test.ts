import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  changeOf,
  IMPACTS,
  type Impact,
  impactOf,
  isAtLeast,
  replacementOf,
  restartText,
  sentence,
  worstImpact,
} from "../../../provider/rules/impact.js";
import {
  type DesiredSettings,
  type ObservedSettings,
  propertyOf,
  type SettingName,
  UNKNOWN,
} from "../../../provider/rules/settings.js";

const HAS: ObservedSettings = {
  projectId: "p",
  branchId: "br-a",
  type: "read_write",
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 4,
  suspendTimeoutSeconds: 300,
  name: "db",
  disabled: false,
  poolerEnabled: false,
  pgSettings: { work_mem: "4MB", jit: "off" },
  preloadLibraries: { useDefaults: true, enabledLibraries: ["a"] },
  restartTriggers: ["2026-05", { password: 1 }],
};

/** Each setting with another value, what that does, and its marker. */
const CHANGES: { [K in SettingName]: [DesiredSettings[K], Impact, string] } = {
  projectId: ["q", "new-host", "yes: projectId p → q replaces this compute; clients then need the new host"],
  type: [
    "read_only",
    "new-host",
    "yes: type read_write → read_only replaces this compute; clients then need the new host",
  ],
  branchId: [
    "br-b",
    "restart",
    "yes: branchId br-a → br-b moves this compute to another branch; if it is active, open connections drop then",
  ],
  autoscalingLimitMinCu: [
    2,
    "restart",
    "yes: autoscalingLimitMinCu 1 → 2 restarts this compute if it is active; open connections drop then",
  ],
  autoscalingLimitMaxCu: [
    8,
    "restart",
    "yes: autoscalingLimitMaxCu 4 → 8 restarts this compute if it is active; open connections drop then",
  ],
  disabled: [
    true,
    "stop",
    "yes: disabled false → true stops this compute; open connections drop then, and nothing can connect while it is disabled",
  ],
  pgSettings: [
    { work_mem: "8MB", jit: "off" },
    "may-restart",
    "maybe: settings.pgSettings.work_mem 4MB → 8MB may restart this compute; open connections drop then",
  ],
  restartTriggers: [
    ["2026-06", { password: 1 }],
    "restart",
    "yes: restartTriggers (changed) restarts this compute if it is active; open connections drop then",
  ],
  preloadLibraries: [{ useDefaults: false }, "none", "no"],
  suspendTimeoutSeconds: [600, "none", "no"],
  name: ["other", "none", "no"],
  poolerEnabled: [true, "none", "no"],
};
const NAMES = Object.keys(CHANGES) as SettingName[];
const change = (name: SettingName): DesiredSettings => ({ [name]: CHANGES[name][0] });

describe("the impact of one change", () => {
  test.each(NAMES)("%s", (name) => {
    const assessment = impactOf(HAS, change(name), { showsStrings: true });
    expect([assessment.impact, restartText(assessment)]).toEqual([CHANGES[name][1], CHANGES[name][2]]);
    for (const reason of assessment.reasons) expect(reason.property.startsWith(propertyOf(name))).toBe(true);
  });

  test.each(NAMES)("%s as it is: none", (name) => {
    expect(impactOf(HAS, { [name]: HAS[name] })).toEqual({ impact: "none", reasons: [], notes: [] });
  });

  test.each(NAMES)("%s that the program does not name: none, whatever the compute has", (name) => {
    expect(impactOf({ ...HAS, ...(change(name) as ObservedSettings) }, {}).impact).toBe("none");
  });

  test("libraries come with a note: stored now, active after the next start", () => {
    expect(impactOf(HAS, change("preloadLibraries")).notes).toEqual([
      expect.stringMatching(/preloadLibraries.*next start/),
    ]);
    expect(impactOf(HAS, { preloadLibraries: HAS.preloadLibraries }).notes).toEqual([]);
  });

  test.each<[string, ObservedSettings, DesiredSettings, Impact]>([
    ["enabling", { disabled: true }, { disabled: false }, "none"],
    ["disabling what was not managed before", {}, { disabled: true }, "stop"],
    ["saying false where nothing was said", {}, { disabled: false }, "none"],
    ["saying the default type", {}, { type: "read_write" }, "none"],
    ["another type where the default was meant", {}, { type: "read_only" }, "new-host"],
    ["a size that was not managed before", {}, { autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 }, "may-restart"],
    ["a branch that was not known", {}, { branchId: "br-b" }, "restart"],
    ["a Postgres setting taken out", { pgSettings: { a: "1", b: "2" } }, { pgSettings: { a: "1" } }, "none"],
    ["a Postgres setting added", { pgSettings: { a: "1" } }, { pgSettings: { a: "1", b: "2" } }, "may-restart"],
    ["one with a name that every object has", { pgSettings: {} }, { pgSettings: { constructor: "1" } }, "may-restart"],
    ["a timeout of 0 where none is told", {}, { suspendTimeoutSeconds: 0 }, "none"],
    ["triggers where there were none", {}, { restartTriggers: [1] }, "restart"],
    ["triggers in another order", { restartTriggers: [1, 2] }, { restartTriggers: [2, 1] }, "restart"],
    [
      "triggers whose keys come in another order",
      { restartTriggers: [{ a: 1, b: 2 }] },
      { restartTriggers: [{ b: 2, a: 1 }] },
      "none",
    ],
    ["no triggers where there were some", { restartTriggers: [1] }, { restartTriggers: [] }, "none"],
    ["triggers of a compute that is to be disabled", {}, { restartTriggers: [1], disabled: true }, "stop"],
    ["triggers of one that stays disabled", { disabled: true }, { restartTriggers: [1], disabled: true }, "none"],
    ["1 and 1.0", { autoscalingLimitMaxCu: 1 }, { autoscalingLimitMaxCu: Number("1.0") }, "none"],
  ])("%s", (_rule, old, wish, impact) => {
    expect(impactOf(old, wish).impact).toBe(impact);
  });
});

describe("a value that is not known yet", () => {
  test.each(NAMES)("%s: may do what the worst value would do, or nothing", (name) => {
    const assessment = impactOf(HAS, { [name]: UNKNOWN });
    const harmless = CHANGES[name][1] === "none";
    expect(assessment.impact).toBe(harmless ? "none" : "may-restart");
    if (!harmless)
      expect(restartText(assessment)).toMatch(
        /^maybe: .* → known after apply may (restart|stop|move|replace) this compute/,
      );
  });
});

describe("the words", () => {
  const limits = (min: number, max: number): DesiredSettings => ({
    autoscalingLimitMinCu: min,
    autoscalingLimitMaxCu: max,
  });
  test.each<[ObservedSettings, DesiredSettings, string]>([
    [limits(2, 2) as ObservedSettings, limits(4, 4), "size 2 → 4"],
    [limits(1, 4) as ObservedSettings, limits(4, 4), "autoscalingLimitMinCu 1 → 4"],
    [{}, limits(4, 4), "size not set → 4"],
    [
      limits(2, 2) as ObservedSettings,
      { autoscalingLimitMinCu: UNKNOWN, autoscalingLimitMaxCu: UNKNOWN },
      "size 2 → known after apply",
    ],
  ])("%j to a size of %j: %s, once", (old, wish, words) => {
    const assessment = impactOf(old, wish, { asSize: true });
    expect(assessment.reasons).toHaveLength(1);
    expect(sentence(assessment)).toMatch(new RegExp(`^${words} (may )?restarts? this compute`));
  });

  test("a range to a size is told limit by limit, unless the size is secret", () => {
    const of = (secrets?: ReadonlySet<string>) =>
      impactOf(limits(1, 8) as ObservedSettings, limits(4, 4), { asSize: true, ...(secrets ? { secrets } : {}) });
    expect(of().reasons.map(changeOf)).toEqual(["autoscalingLimitMinCu 1 → 4", "autoscalingLimitMaxCu 8 → 4"]);
    expect(of(new Set(["size"])).reasons.map(changeOf)).toEqual(["size a secret value → another"]);
  });

  test("several changes are all told, with what the worst of them does", () => {
    const assessment = impactOf(HAS, { ...change("autoscalingLimitMaxCu"), ...change("disabled"), ...change("name") });
    expect(restartText(assessment)).toMatch(
      /^yes: disabled false → true, autoscalingLimitMaxCu 4 → 8 stop this compute/,
    );
  });

  test("a long value is cut, an empty one is shown", () => {
    const [old, next] = [{ pgSettings: { a: "" } }, { pgSettings: { a: "x".repeat(500) } }];
    expect(sentence(impactOf(old, next, { showsStrings: true }))).toMatch(/a "" → x{60}… may restart/);
  });

  test("a replacement that no setting asks for says new host all the same", () => {
    expect(restartText(replacementOf(HAS, {}))).toMatch(/^yes: .*new host/);
    expect(restartText(replacementOf(HAS, { branchId: "br-b" }))).toMatch(
      /^yes: branchId \(changes\) replaces.*new host/,
    );
  });
});

describe("secrets", () => {
  const SECRET = "13.131313";
  test.each(NAMES.filter((name) => CHANGES[name][1] !== "none"))("%s is never shown", (name) => {
    const [top] = propertyOf(name).split(".");
    const value = name === "pgSettings" ? { a: SECRET } : name === "restartTriggers" ? [SECRET] : SECRET;
    for (const options of [{}, { asSize: true }]) {
      for (const [old, next] of [
        [HAS, { [name]: value }],
        [{ ...HAS, [name]: value }, change(name)],
      ]) {
        const marker = restartText(
          impactOf(old as ObservedSettings, next as DesiredSettings, { secrets: new Set([top!]), ...options }),
        );
        expect(marker).not.toContain(SECRET);
        expect(marker).toContain(name === "restartTriggers" ? "restartTriggers (changed)" : "a secret value → another");
      }
    }
  });
});

describe("where nobody says which values are secret", () => {
  const strings: DesiredSettings = {
    projectId: "s3cret",
    branchId: "s3cret",
    name: "s3cret",
    pgSettings: { work_mem: "s3cret", jit: "s3cret-2" },
    preloadLibraries: { useDefaults: false, enabledLibraries: ["s3cret"] },
  };

  test("no string value is shown, neither an old one nor a new one", () => {
    for (const judge of [impactOf, replacementOf]) {
      for (const [old, next] of [
        [HAS, strings],
        [{ ...HAS, ...strings } as ObservedSettings, HAS],
        [{ ...HAS, ...strings } as ObservedSettings, Object.fromEntries(NAMES.map((name) => [name, UNKNOWN]))],
      ] as [ObservedSettings, DesiredSettings][]) {
        const assessment = judge(old, next);
        expect(JSON.stringify(assessment)).not.toContain("s3cret");
        expect(assessment.impact).not.toBe("none");
      }
    }
  });

  test.each<[DesiredSettings, string]>([
    [{ branchId: "br-b" }, "branchId (changes) moves "],
    [{ branchId: UNKNOWN }, "branchId → known after apply may move "],
    [{ projectId: "q" }, "projectId (changes) replaces "],
    [{ type: "read_only" }, "type read_write → read_only replaces "],
    [{ type: "s3cret" as "read_only" }, "type (changes) replaces "],
    [
      { pgSettings: { work_mem: "8MB", jit: "on" } },
      "settings.pgSettings.jit (changes), settings.pgSettings.work_mem (changes) may restart ",
    ],
    [{ autoscalingLimitMaxCu: 8 }, "autoscalingLimitMaxCu 4 → 8 restarts "],
    [{ disabled: true }, "disabled false → true stops "],
  ])("%j: %s…", (wish, words) => {
    expect(sentence(impactOf(HAS, wish)).startsWith(words)).toBe(true);
  });
});

test("triggers are never shown, secret or not", () => {
  const assessment = impactOf({ restartTriggers: ["old-13"] }, { restartTriggers: ["new-13"] });
  expect(JSON.stringify(assessment)).not.toContain("13");
});

describe("laws", () => {
  const wishes = fc.record(
    Object.fromEntries(NAMES.map((name) => [name, fc.constantFrom(HAS[name], CHANGES[name][0], UNKNOWN)])),
    { requiredKeys: [] },
  ) as fc.Arbitrary<DesiredSettings>;

  test("adding a change never lowers the impact", () => {
    fc.assert(
      fc.property(wishes, fc.constantFrom(...NAMES), (wish, name) => {
        const more = impactOf(HAS, { ...wish, ...change(name) }).impact;
        const { [name]: _, ...without } = wish;
        expect(isAtLeast(more, impactOf(HAS, without).impact)).toBe(true);
      }),
    );
  });

  test("the impact is the worst of the reasons, and none has no reasons", () => {
    fc.assert(
      fc.property(wishes, fc.boolean(), (wish, asSize) => {
        const { impact, reasons } = impactOf(HAS, wish, { asSize });
        expect(impact).toBe(worstImpact(reasons.map((reason) => reason.impact)));
        expect(impact === "none").toBe(reasons.length === 0);
        expect(restartText({ impact, reasons, notes: [] })).toMatch(
          impact === "none" ? /^no$/ : impact === "may-restart" ? /^maybe: / : /^yes: /,
        );
      }),
    );
  });

  test("impacts are ordered from harmless to worst", () => {
    expect(IMPACTS).toEqual(["none", "may-restart", "restart", "stop", "new-host", "delete"]);
    expect(worstImpact([])).toBe("none");
    expect(worstImpact(["restart", "new-host", "none"])).toBe("new-host");
  });

  test("a marker is stable: the same change gives the same words, in any order of the settings", () => {
    fc.assert(
      fc.property(wishes, (wish) => {
        const turned = Object.fromEntries(Object.entries(wish).reverse()) as DesiredSettings;
        expect(restartText(impactOf(HAS, turned))).toBe(restartText(impactOf(HAS, wish)));
      }),
    );
  });
});
