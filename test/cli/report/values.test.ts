/** Secrets, values that preview does not know, and the sizes before and after. */
import { describe, expect, test } from "vitest";
import { BASE, fixture, oneCompute, preview, report, resize, type StepOptions, step, UNKNOWN } from "./support";

const DROPS = "if the compute is active it restarts, and open connections drop";
const SECRET_OBJECT = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext: "[secret]",
};
const change = (old: object, next: object, more: StepOptions = {}) =>
  step({ old: { ...BASE, restart: "no", ...old }, next: { ...BASE, ...next }, ...more });
const GONE_WORDS = "no longer in the program";
const differs = (...names: string[]) => ({ more: { diffReasons: names } });

describe("what can't be compared is left to the notice, and can't be approved by digest", () => {
  const secretSize = { size: "[secret]", __secret: ["size"], restart: `yes: size a secret value → another; ${DROPS}` };
  test.each<[what: string, step: object, impact: string, why: RegExp]>([
    ["a secret size", change({ size: "[secret]" }, secretSize), "restart", /secret/],
    [
      "a size of another kind beside a change that could be approved",
      change({}, { size: "4", branchId: "br-other", restart: `yes: branchId changes; ${DROPS}` }),
      "restart",
      /not of the kind/,
    ],
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
    expect(found.approval).toEqual({ approved: false, refused: false, why: expect.stringMatching(why) });
    expect(found.fails).toBe(true);
    if (/secret|known only/.test(why.source)) expect(found.notes.join()).not.toContain("versions differ");
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
      refused: false,
      digest: expect.stringMatching(/^[0-9a-f]{32}$/),
      command: expect.any(String),
    });
    expect(found).toMatchObject({ notes: [], changes: [{ property: "branchId" }] });
    expect([found.before, found.after]).toEqual([undefined, undefined]);
  });

  test("a secret that changes and does nothing is harmless", async () => {
    const one = change({ name: "[secret]" }, { name: "[secret]", __secret: ["name"], restart: "no" }, differs("name"));
    expect((await oneCompute(preview([one]))).impact).toBe("none");
  });

  test("a secret type is no other one than the default", async () => {
    const one = change({ type: "read_only" }, { type: "[secret]", __secret: ["type"], restart: "no" });
    expect((await oneCompute(preview([one]))).impact).toBe("none");
  });

  test.each<[what: string, olds: object, news: object]>([
    ["of several kinds", { size: "1" }, { size: { a: 1 }, type: 7, disabled: "true", settings: [] }],
    ["a size as a text", { size: 1 }, { size: "4" }],
    ["an old size as a text", { size: "1" }, { size: 4 }],
    ["a flag as a text", {}, { disabled: "true" }],
    ["a parameter as a number", {}, { settings: { pgSettings: { work_mem: 1 } } }],
    ["libraries as a text", {}, { settings: { preloadLibraries: "a" } }],
    ["a library as a list", {}, { settings: { preloadLibraries: { enabledLibraries: [["a"]] } } }],
  ])("values of another kind than any version writes may restart: %s", async (_what, olds, news) => {
    const one = change(olds, { ...news, restart: "no" });
    expect((await oneCompute(preview([one]))).impact).toBe("may-restart");
  });

  test.each(["size", "settings", "disabled"])("nor can a secret be judged that differs: %s", async (name) => {
    const one = change(
      { [name]: "[secret]" },
      { [name]: "[secret]", restart: "no" },
      { more: { diffReasons: [name] } },
    );
    expect((await oneCompute(preview([one]))).impact).toBe("may-restart");
  });

  test("but not where the engine says that something else differs", async () => {
    const one = change({}, { disabled: "false", name: "b", restart: "no" }, { more: { diffReasons: ["name"] } });
    expect((await oneCompute(preview([one]))).impact).toBe("none");
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
  expect(stdout).toContain("| `secret` | 🟠 **restarts**, if active | `size a secret value → another` |");
  expect(stdout).toContain("not possible: a secret value changes");
});

test.each([
  ["deleted", "the old compute is deleted"],
  ["released", "the old compute is released and keeps its connections"],
])("a replacement whose old compute is %s says so", async (fate, expected) => {
  const replaces = { id: "ep-amber-field-a5x7w3rt", projectId: BASE.projectId, fate };
  const __notice = { impact: "new-host", properties: ["projectId"], replaces };
  const next = { ...BASE, projectId: "other-project-1", restart: "yes: x", __notice };
  const one = await oneCompute(preview([step({ op: "replace", old: BASE, next })]));
  expect(one.effect).toBe(`clients then need the new host; ${expected}`);
});

describe("changes without an impact", () => {
  test("have old and new values, each once", async () => {
    const document = preview([
      change(
        { suspendTimeoutSeconds: 300, name: "a" },
        { suspendTimeoutSeconds: 600, name: "b", onDelete: "release", size: 4, restart: `yes: size 1 → 4; ${DROPS}` },
        differs("size", "suspendTimeoutSeconds", "name", "onDelete"),
      ),
    ]);
    const { others, otherChanges } = await oneCompute(document);
    expect(others).toEqual(["suspendTimeoutSeconds", "name", "onDelete"]);
    expect(otherChanges).toEqual([
      { property: "suspendTimeoutSeconds", old: "300", new: "600" },
      { property: "name", old: "a", new: "b" },
      { property: "onDelete", old: "not set", new: "release" },
    ]);
    const { stdout } = await report([], JSON.stringify(document));
    expect(stdout).toContain(
      "also `suspendTimeoutSeconds` `300` → `600`, `name` `a` → `b`, `onDelete` `not set` → `release` |",
    );
  });

  describe("beside a cause in `settings`, all the others there are shown", () => {
    const work = (work_mem: string, more: object = {}) => ({ settings: { pgSettings: { work_mem }, ...more } });
    const libraries = (...enabledLibraries: string[]) => ({ preloadLibraries: { enabledLibraries } });
    const loud = { pgSettings: { work_mem: "4MB", log_statement: "all" } };
    test.each<[what: string, old: object, next: object, others: object[]]>([
      [
        "another library",
        work("4MB", libraries("pgaudit")),
        work("8MB", libraries("other_lib")),
        [
          {
            property: "settings.preloadLibraries",
            old: '{"enabledLibraries":["pgaudit"]}',
            new: '{"enabledLibraries":["other_lib"]}',
          },
        ],
      ],
      [
        "a parameter that is dropped",
        { settings: loud },
        work("8MB"),
        [{ property: "settings.pgSettings.log_statement", old: "all", new: GONE_WORDS }],
      ],
      [
        "libraries that are dropped",
        work("4MB", libraries("pgaudit")),
        work("8MB"),
        [{ property: "settings.preloadLibraries.enabledLibraries", old: '["pgaudit"]', new: GONE_WORDS }],
      ],
      ["nothing else", work("4MB", libraries("a")), work("8MB", libraries("a")), []],
    ])("%s", async (_what, old, next, others) => {
      for (const more of [differs("settings"), {}]) {
        const one = change(old, { ...next, restart: "maybe: x" }, more);
        const document = preview([one]);
        const { changes, otherChanges } = await oneCompute(document);
        expect(changes).toMatchObject([{ property: "settings.pgSettings.work_mem", old: "4MB", new: "8MB" }]);
        expect(otherChanges).toEqual(others);
        const { stdout } = await report(["--fail-on", "may-restart"], JSON.stringify(document));
        expect(stdout).toContain("approve --stack prod");
        for (const { property } of others as { property: string }[]) expect(stdout).toContain(`also \`${property}\``);
      }
    });
  });

  test("what a replacement drops has its old value: the digest covers it", async () => {
    const old = { suspendTimeoutSeconds: 300, restartTriggers: ["s"], name: "a" };
    const next = { projectId: "other-project-1", name: "a", restart: "yes: x" };
    const one = change(old, next, {
      op: "replace",
      ...differs("projectId", "suspendTimeoutSeconds", "restartTriggers"),
    });
    const { otherChanges } = await oneCompute(preview([one]));
    expect(otherChanges).toEqual([
      { property: "restartTriggers", old: "other values", new: GONE_WORDS, words: GONE_WORDS },
      { property: "suspendTimeoutSeconds", old: "300", new: GONE_WORDS },
    ]);
  });

  describe("a replacement shows which compute it adopts, and what becomes of it: the digest covers both", () => {
    test.each<[what: string, old: object, next: object, others: object[]]>([
      [
        "asked anew",
        {},
        { adopt: "ep-prod-primary-1234", onDelete: "delete" },
        [
          { property: "adopt", old: "not set", new: "ep-prod-primary-1234" },
          { property: "onDelete", old: "not set", new: "delete" },
        ],
      ],
      [
        "changed",
        { adopt: true, onDelete: "release" },
        { adopt: "ep-b", onDelete: "delete" },
        [
          { property: "adopt", old: "true", new: "ep-b" },
          { property: "onDelete", old: "release", new: "delete" },
        ],
      ],
      ["dropped", { adopt: "ep-a" }, {}, [{ property: "adopt", old: "ep-a", new: "not set" }]],
      ["the same", { adopt: "ep-a", onDelete: "delete" }, { adopt: "ep-a", onDelete: "delete" }, []],
      ["no adoption either way", {}, { adopt: false }, []],
      ["known later", {}, { adopt: UNKNOWN }, [{ property: "adopt", old: "not set", new: "known after apply" }]],
      ["secret", { adopt: "[secret]" }, { adopt: "[secret]" }, []],
      ["secret to the engine", { adopt: "ep-a" }, { adopt: "ep-b", __secret: ["adopt"] }, []],
      ["of another kind", {}, { adopt: { a: 1 } }, []],
    ])("%s", async (_what, old, next, others) => {
      for (const more of [differs("projectId", "adopt", "onDelete"), {}]) {
        const one = change(
          old,
          { projectId: "other-project-1", ...next, restart: "yes: x" },
          { op: "replace", ...more },
        );
        expect((await oneCompute(preview([one]))).otherChanges).toEqual(others);
      }
    });
  });

  test("a secret value is not shown", async () => {
    const one = change({ name: "[secret]" }, { name: "[secret]", restart: "no" }, differs("name"));
    expect(await oneCompute(preview([one]))).toMatchObject({ others: ["name"], otherChanges: [] });
  });

  test("a range that becomes a size, as after a refresh, is told limit by limit and in no other form", async () => {
    const range = { autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 8 };
    const one = step({
      old: { projectId: BASE.projectId, branchId: BASE.branchId, ...range, restart: "no" },
      next: {
        ...BASE,
        size: 4,
        restart: `yes: autoscalingLimitMinCu 1 → 4, autoscalingLimitMaxCu 8 → 4 restart; ${DROPS}`,
      },
      more: { diffReasons: ["autoscalingLimitMinCu", "autoscalingLimitMaxCu", "size"] },
    });
    expect((await report([], JSON.stringify(preview([one])))).stdout).toContain(
      "| `autoscalingLimitMinCu` `1` → `4`<br>`autoscalingLimitMaxCu` `8` → `4` |",
    );
  });
});
