import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  atLeast,
  IMPACTS,
  type Impact,
  impactOf,
  markerOf,
  replacementOf,
  sentence,
  worst,
} from "../../../provider/rules/restart.js";
import { type Live, propertyOf, type SettingName, UNKNOWN, type Wish } from "../../../provider/rules/settings.js";

const HAS: Live = {
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
const CHANGES: { [K in SettingName]: [Wish[K], Impact, string] } = {
  projectId: [
    "q",
    "new-host",
    "yes: projectId p → q; a compute with another id and host takes its place: clients need the new host; the old one is deleted and its connections drop, unless it is released",
  ],
  type: [
    "read_only",
    "new-host",
    "yes: type read_write → read_only; a compute with another id and host takes its place: clients need the new host; the old one is deleted and its connections drop, unless it is released",
  ],
  branchId: [
    "br-b",
    "restart",
    "yes: branchId br-a → br-b; the compute is reconfigured for the other branch; if it is active, open connections drop",
  ],
  autoscalingLimitMinCu: [
    2,
    "restart",
    "yes: autoscalingLimitMinCu 1 → 2; if the compute is active it restarts, and open connections drop",
  ],
  autoscalingLimitMaxCu: [
    8,
    "restart",
    "yes: autoscalingLimitMaxCu 4 → 8; if the compute is active it restarts, and open connections drop",
  ],
  disabled: [
    true,
    "stop",
    "yes: disabled false → true; the compute stops, open connections drop, and nothing can connect while it is disabled",
  ],
  pgSettings: [
    { work_mem: "8MB", jit: "off" },
    "may-restart",
    "maybe: settings.pgSettings.work_mem 4MB → 8MB; some Postgres settings need a restart; then open connections drop if the compute is active",
  ],
  restartTriggers: [
    ["2026-06", { password: 1 }],
    "restart",
    "yes: restartTriggers changed; if the compute is active it restarts, and open connections drop",
  ],
  preloadLibraries: [{ useDefaults: false }, "none", "no"],
  suspendTimeoutSeconds: [600, "none", "no"],
  name: ["other", "none", "no"],
  poolerEnabled: [true, "none", "no"],
};
const NAMES = Object.keys(CHANGES) as SettingName[];
const change = (name: SettingName): Wish => ({ [name]: CHANGES[name][0] });

describe("the impact of one change", () => {
  test.each(NAMES)("%s", (name) => {
    const verdict = impactOf(HAS, change(name), { showsStrings: true });
    expect([verdict.impact, markerOf(verdict)]).toEqual([CHANGES[name][1], CHANGES[name][2]]);
    for (const reason of verdict.reasons) expect(reason.property.startsWith(propertyOf(name))).toBe(true);
  });

  test.each(NAMES)("%s as it is: none", (name) => {
    expect(impactOf(HAS, { [name]: HAS[name] })).toEqual({ impact: "none", reasons: [], notes: [] });
  });

  test.each(NAMES)("%s that the program does not name: none, whatever the compute has", (name) => {
    expect(impactOf({ ...HAS, ...(change(name) as Live) }, {}).impact).toBe("none");
  });

  test("libraries come with a note: stored now, active after the next start", () => {
    expect(impactOf(HAS, change("preloadLibraries")).notes).toEqual([
      expect.stringMatching(/preloadLibraries.*next time/),
    ]);
    expect(impactOf(HAS, { preloadLibraries: HAS.preloadLibraries }).notes).toEqual([]);
  });

  test.each<[string, Live, Wish, Impact]>([
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
    const verdict = impactOf(HAS, { [name]: UNKNOWN });
    const harmless = CHANGES[name][1] === "none";
    expect(verdict.impact).toBe(harmless ? "none" : "may-restart");
    if (!harmless) expect(markerOf(verdict)).toMatch(/^maybe: .* → known after apply; depending on the value: /);
  });
});

describe("the words", () => {
  const limits = (min: number, max: number): Wish => ({ autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });
  test.each<[Live, Wish, string]>([
    [limits(2, 2) as Live, limits(4, 4), "size 2 → 4"],
    [limits(1, 4) as Live, limits(4, 4), "size 1 to 4 → 4"],
    [{}, limits(4, 4), "size not set → 4"],
    [
      limits(2, 2) as Live,
      { autoscalingLimitMinCu: UNKNOWN, autoscalingLimitMaxCu: UNKNOWN },
      "size 2 → known after apply",
    ],
  ])("%j to a size of %j: %s, once", (old, wish, words) => {
    const verdict = impactOf(old, wish, { asSize: true });
    expect(verdict.reasons).toHaveLength(1);
    expect(sentence(verdict).startsWith(`${words}; `)).toBe(true);
  });

  test("several changes are all told, with what the worst of them does", () => {
    const verdict = impactOf(HAS, { ...change("autoscalingLimitMaxCu"), ...change("disabled"), ...change("name") });
    expect(markerOf(verdict)).toMatch(/^yes: disabled false → true, autoscalingLimitMaxCu 4 → 8; the compute stops/);
  });

  test("a long value is cut, an empty one is shown", () => {
    const [old, next] = [{ pgSettings: { a: "" } }, { pgSettings: { a: "x".repeat(500) } }];
    expect(sentence(impactOf(old, next, { showsStrings: true }))).toMatch(/a "" → x{60}…;/);
  });

  test("a replacement that no setting asks for says new host all the same", () => {
    expect(markerOf(replacementOf(HAS, {}))).toMatch(/^yes: .*new host/);
    expect(markerOf(replacementOf(HAS, { branchId: "br-b" }))).toMatch(/^yes: branchId changes.*new host/);
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
        const marker = markerOf(impactOf(old as Live, next as Wish, { secrets: new Set([top!]), ...options }));
        expect(marker).not.toContain(SECRET);
        expect(marker).toContain(name === "restartTriggers" ? "restartTriggers changed" : "a secret value → another");
      }
    }
  });
});

describe("where nobody says which values are secret", () => {
  const strings: Wish = {
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
        [{ ...HAS, ...strings } as Live, HAS],
        [{ ...HAS, ...strings } as Live, Object.fromEntries(NAMES.map((name) => [name, UNKNOWN]))],
      ] as [Live, Wish][]) {
        const verdict = judge(old, next);
        expect(JSON.stringify(verdict)).not.toContain("s3cret");
        expect(verdict.impact).not.toBe("none");
      }
    }
  });

  test.each<[Wish, string]>([
    [{ branchId: "br-b" }, "branchId changes; "],
    [{ branchId: UNKNOWN }, "branchId → known after apply; "],
    [{ projectId: "q" }, "projectId changes; "],
    [{ type: "read_only" }, "type read_write → read_only; "],
    [{ type: "s3cret" as "read_only" }, "type changes; "],
    [
      { pgSettings: { work_mem: "8MB", jit: "on" } },
      "settings.pgSettings.jit changes, settings.pgSettings.work_mem changes; ",
    ],
    [{ autoscalingLimitMaxCu: 8 }, "autoscalingLimitMaxCu 4 → 8; "],
    [{ disabled: true }, "disabled false → true; "],
  ])("%j: %s…", (wish, words) => {
    expect(sentence(impactOf(HAS, wish)).startsWith(words)).toBe(true);
  });
});

test("triggers are never shown, secret or not", () => {
  const verdict = impactOf({ restartTriggers: ["old-13"] }, { restartTriggers: ["new-13"] });
  expect(JSON.stringify(verdict)).not.toContain("13");
});

describe("laws", () => {
  const wishes = fc.record(
    Object.fromEntries(NAMES.map((name) => [name, fc.constantFrom(HAS[name], CHANGES[name][0], UNKNOWN)])),
    { requiredKeys: [] },
  ) as fc.Arbitrary<Wish>;

  test("adding a change never lowers the impact", () => {
    fc.assert(
      fc.property(wishes, fc.constantFrom(...NAMES), (wish, name) => {
        const more = impactOf(HAS, { ...wish, ...change(name) }).impact;
        const { [name]: _, ...without } = wish;
        expect(atLeast(more, impactOf(HAS, without).impact)).toBe(true);
      }),
    );
  });

  test("the impact is the worst of the reasons, and none has no reasons", () => {
    fc.assert(
      fc.property(wishes, fc.boolean(), (wish, asSize) => {
        const { impact, reasons } = impactOf(HAS, wish, { asSize });
        expect(impact).toBe(worst(reasons.map((reason) => reason.impact)));
        expect(impact === "none").toBe(reasons.length === 0);
        expect(markerOf({ impact, reasons, notes: [] })).toMatch(
          impact === "none" ? /^no$/ : impact === "may-restart" ? /^maybe: / : /^yes: /,
        );
      }),
    );
  });

  test("impacts are ordered from harmless to worst", () => {
    expect(IMPACTS).toEqual(["none", "may-restart", "restart", "stop", "new-host", "delete"]);
    expect(worst([])).toBe("none");
    expect(worst(["restart", "new-host", "none"])).toBe("new-host");
  });

  test("a marker is stable: the same change gives the same words, in any order of the settings", () => {
    fc.assert(
      fc.property(wishes, (wish) => {
        const turned = Object.fromEntries(Object.entries(wish).reverse()) as Wish;
        expect(markerOf(impactOf(HAS, turned))).toBe(markerOf(impactOf(HAS, wish)));
      }),
    );
  });
});
