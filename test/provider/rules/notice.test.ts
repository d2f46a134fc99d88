import { describe, expect, test } from "vitest";
import { IMPACTS, impactOf, replacementOf, sentence } from "../../../provider/rules/impact.js";
import {
  announces,
  type ImpactNotice,
  noticeOf,
  readNotice,
  withNotice,
  withoutFirstWord,
} from "../../../provider/rules/notice.js";
import { type DesiredSettings, UNKNOWN } from "../../../provider/rules/settings.js";

const HAS: DesiredSettings = {
  projectId: "p",
  branchId: "br-a",
  type: "read_write",
  autoscalingLimitMinCu: 1,
  autoscalingLimitMaxCu: 1,
};

describe("the notice of a verdict", () => {
  test.each<[string, DesiredSettings, ImpactNotice | undefined]>([
    ["nothing", {}, undefined],
    ["what nobody feels", { name: "x", suspendTimeoutSeconds: 60 }, undefined],
    ["a limit", { autoscalingLimitMaxCu: 2 }, { impact: "restart", properties: ["autoscalingLimitMaxCu"] }],
    [
      "a stop beside a limit",
      { autoscalingLimitMaxCu: 2, disabled: true },
      { impact: "stop", properties: ["disabled", "autoscalingLimitMaxCu"] },
    ],
    [
      "Postgres settings",
      { pgSettings: { b: "1", a: "2" } },
      { impact: "may-restart", properties: ["settings.pgSettings.a", "settings.pgSettings.b"] },
    ],
    ["a value that is not known", { branchId: UNKNOWN }, { impact: "may-restart", properties: ["branchId"] }],
  ])("of %s", (_what, wish, notice) => {
    expect(noticeOf(impactOf(HAS, wish))).toEqual(notice);
  });

  test("of a replacement that an option asks for has no properties", () => {
    expect(noticeOf(replacementOf(HAS, {}))).toEqual({ impact: "new-host", properties: [] });
  });
});

describe("reading a notice", () => {
  test.each<[string, Record<string, unknown> | undefined, ImpactNotice | undefined]>([
    [
      "the data",
      { __notice: { impact: "stop", properties: ["disabled"] } },
      { impact: "stop", properties: ["disabled"] },
    ],
    [
      "the data and not the text beside it",
      { __notice: { impact: "restart", properties: [] }, restart: "no" },
      { impact: "restart", properties: [] },
    ],
    ["the text alone, where it says no", { restart: "no" }, { impact: "none", properties: [] }],
    ["no inputs", undefined, undefined],
    ["inputs that check has not seen", { size: 1 }, undefined],
    ["a number", { __notice: 7, restart: "no" }, undefined],
    ["null", { __notice: null, restart: "no" }, undefined],
    ["a mask", { __notice: "[secret]", restart: "no" }, undefined],
    ["another word", { __notice: { impact: "explodes", properties: [] }, restart: "no" }, undefined],
    ["a deletion, which no check can announce", { __notice: { impact: "delete", properties: [] } }, undefined],
    ["no list", { __notice: { impact: "restart", properties: "size" } }, undefined],
    ["a list of something else", { __notice: { impact: "restart", properties: [1] } }, undefined],
  ])("%s", (_what, inputs, notice) => {
    expect(readNotice(inputs)).toEqual(notice);
  });
});

/** Written by version 0.1.0. */
const FROZEN: [restart: string, notice: ImpactNotice][] = [
  ["no", { impact: "none", properties: [] }],
  [
    "yes: size 1 → 2; if the compute is active it restarts, and open connections drop",
    { impact: "restart", properties: ["size"] },
  ],
  [
    "yes: autoscalingLimitMinCu 1 → 2, autoscalingLimitMaxCu 4 → 8; if the compute is active it restarts, and open connections drop",
    { impact: "restart", properties: ["autoscalingLimitMinCu", "autoscalingLimitMaxCu"] },
  ],
  [
    "maybe: size not set → 2; unless the compute has this size already: if the compute is active it restarts, and open connections drop",
    { impact: "may-restart", properties: ["size"] },
  ],
  [
    "yes: size a secret value → another; if the compute is active it restarts, and open connections drop",
    { impact: "restart", properties: ["size"] },
  ],
  [
    "yes: size 1 → 2, restartTriggers changed; if the compute is active it restarts, and open connections drop",
    { impact: "restart", properties: ["size", "restartTriggers"] },
  ],
  [
    "yes: branchId br-a → br-b; the compute is reconfigured for the other branch; if it is active, open connections drop",
    { impact: "restart", properties: ["branchId"] },
  ],
  [
    "maybe: settings.pgSettings.work_mem 4MB → 64MB; some Postgres settings need a restart; then open connections drop if the compute is active",
    { impact: "may-restart", properties: ["settings.pgSettings.work_mem"] },
  ],
  [
    "maybe: branchId br-a → known after apply; depending on the value: the compute is reconfigured for the other branch; if it is active, open connections drop",
    { impact: "may-restart", properties: ["branchId"] },
  ],
  [
    "yes: disabled false → true, size 1 → 2; the compute stops, open connections drop, and nothing can connect while it is disabled",
    { impact: "stop", properties: ["disabled", "size"] },
  ],
  [
    "yes: type read_write → read_only; a compute with another id and host takes its place: clients need the new host; the old one is deleted and its connections drop, unless it is released",
    { impact: "new-host", properties: ["type"] },
  ],
  [
    "yes: a compute with another id and host takes its place: clients need the new host; the old one is deleted and its connections drop, unless it is released",
    { impact: "new-host", properties: [] },
  ],
  [
    "maybe: adopts the branch's primary, if there is one, and sets size 2, disabled true; where it has other values it may restart, and open connections drop",
    { impact: "may-restart", properties: ["size", "disabled"] },
  ],
  ["yes: something new", { impact: "restart", properties: [] }],
];

describe("a state of version 0.1.0 has the text alone", () => {
  test.each(FROZEN)("%s", (restart, notice) => {
    expect(readNotice({ restart })).toEqual(notice);
  });

  test.each([7, null, "", "perhaps", "yes", "yesterday: a", "[secret]"])("%j can't be read", (restart) => {
    expect(readNotice({ restart })).toBeUndefined();
  });

  test("a text of megabytes costs nothing", () => {
    const restart = `yes: ${", size ".repeat(1_000_000)}`;
    expect(readNotice({ restart })?.impact).toBe("restart");
  });
});

describe("a notice speaks of", () => {
  test.each<[properties: string[], property: string, isTold: boolean]>([
    [["size"], "size", true],
    [["size"], "autoscalingLimitMinCu", true],
    [["autoscalingLimitMinCu", "autoscalingLimitMaxCu"], "size", true],
    [["autoscalingLimitMaxCu"], "size", false],
    [["size"], "branchId", false],
    [["settings.pgSettings"], "settings.pgSettings.work_mem", true],
    [["settings.pgSettings.work_mem"], "settings.pgSettings.work_mem_more", false],
    [["settings.pgSettings.a"], "settings.pgSettings", false],
    [[], "size", false],
  ])("%j: %s: %s", (properties, property, isTold) => {
    for (const impact of ["may-restart", "restart", "stop"] as const)
      expect(announces({ impact, properties }, property)).toBe(isTold);
    expect(announces({ impact: "new-host", properties }, property)).toBe(true);
  });
});

describe("the worst of a verdict and a notice", () => {
  const own = impactOf(HAS, { pgSettings: { a: "1" } });

  test("is the verdict where the notice is missing or says no worse", () => {
    for (const notice of [
      undefined,
      { impact: "none", properties: [] },
      { impact: "may-restart", properties: ["branchId"] },
    ] as const)
      expect(withNotice(own, notice)).toEqual(own);
  });

  test("is the notice where that is worse, with the properties of both", () => {
    const { impact, reasons } = withNotice(own, { impact: "restart", properties: ["restartTriggers"] });
    expect([impact, reasons.map((one) => [one.property, one.impact])]).toEqual([
      "restart",
      [
        ["settings.pgSettings.a", "may-restart"],
        ["restartTriggers", "restart"],
      ],
    ]);
  });

  test("raises a property of both", () => {
    const may = impactOf({}, { autoscalingLimitMaxCu: 2 });
    const worse = withNotice(may, { impact: "restart", properties: ["autoscalingLimitMaxCu"] });
    expect(worse.reasons).toHaveLength(1);
    expect(sentence(worse)).toBe(
      "autoscalingLimitMaxCu not set → 2 restarts this compute if it is active; open connections drop then",
    );
  });
});

test("the text is shown without its first word", () => {
  expect(withoutFirstWord("yes: size 1 → 2; …")).toBe("size 1 → 2; …");
  expect(withoutFirstWord("no")).toBe("no");
  expect(withoutFirstWord(7)).toBe("");
  expect(IMPACTS).toContain("none");
});
