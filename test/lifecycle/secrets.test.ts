import { describe, expect, test } from "vitest";
import { adopted, ignoring, Lab, labWith, type Props, primary, replica, SEED, spoil } from "./support.js";

/** Arguments whose named properties are secret, as the class tells the provider. */
const secret = (names: string[], args: Props): Props => ({ ...args, __secret: names });
const limits = (min: number, max: number) => ({ autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max });

/** Everything that could be read by somebody who must not see the value. */
function heard(
  lab: Lab,
  outcome: { marker: string; warnings: string[]; said: string[]; error?: Error; failures: object[] },
) {
  const { marker, warnings, said, error, failures } = outcome;
  const initErrors = [...lab.state.values()].flatMap((one) => one.initErrors);
  return JSON.stringify([marker, warnings, said, error?.message, failures, initErrors]);
}

/** Values that stand in no other text. */
const [OLD, NEW] = [7, 13];

describe("a secret value is in no marker, warning, failure or error", () => {
  test.each<[string, Props, Props]>([
    ["size", secret(["size"], { size: OLD }), secret(["size"], { size: NEW })],
    ["size that was plain", { size: OLD }, secret(["size"], { size: NEW })],
    ["size that is no longer secret", secret(["size"], { size: OLD }), { size: NEW }],
    ["size, replaced by plain limits", secret(["size"], { size: OLD }), limits(NEW, NEW)],
    [
      "limits, replaced by a plain size",
      secret(["autoscalingLimitMinCu", "autoscalingLimitMaxCu"], limits(OLD, OLD)),
      { size: NEW },
    ],
    [
      "the upper limit alone",
      secret(["autoscalingLimitMaxCu"], limits(OLD, OLD)),
      secret(["autoscalingLimitMaxCu"], limits(NEW, NEW)),
    ],
    [
      "a Postgres setting",
      secret(["settings"], { settings: { pgSettings: { a: "old-7" } } }),
      secret(["settings"], { settings: { pgSettings: { a: "new-13" } } }),
    ],
    ["a branch", secret(["branchId"], {}), secret(["branchId"], { branchId: "br-new-13" })],
  ])("%s", async (_rule, before, after) => {
    const lab = await labWith("db", primary(before));
    const [preview, refused] = [
      await lab.preview("db", primary(after)),
      await lab.preview("db", primary({ ...after, onRestart: "refuse" })),
    ];
    expect(preview.marker).toMatch(/^(yes|maybe): /);
    for (const outcome of [preview, refused]) expect(heard(lab, outcome)).not.toMatch(/\b(7|13)\b/);
  });

  test.each<[string, Props]>([
    ["a size off the ladder", secret(["size"], { size: 13.5 })],
    ["a range whose lower limit is secret", secret(["autoscalingLimitMinCu"], limits(13.5, 1))],
    ["a range that is too wide, whose lower limit is secret", secret(["autoscalingLimitMinCu"], limits(1.35, 16))],
    ["swapped limits, the lower one secret", secret(["autoscalingLimitMinCu"], limits(13, 12))],
    ["a name that is too long", secret(["name"], { name: "13.5".repeat(20) })],
    ["a setting that is no string", secret(["settings"], { settings: { pgSettings: { a: 13.5 } } })],
    ["a timeout", secret(["suspendTimeoutSeconds"], { suspendTimeoutSeconds: 13 })],
  ])("refused: %s", async (_rule, args) => {
    for (const sizes of ["checked", "unchecked"] as const) {
      const lab = new Lab({ config: { sizes } });
      const outcome = await lab.preview("db", primary(args));
      expect(outcome.failures.length + outcome.warnings.length).toBeGreaterThan(0);
      expect(heard(lab, outcome)).not.toMatch(/13|1\.35/);
    }
  });

  test.each<[string, Props]>([
    ["size", secret(["size"], { size: NEW })],
    ["limits", secret(["autoscalingLimitMaxCu"], limits(NEW, NEW))],
    ["settings", secret(["settings"], { settings: { pgSettings: { a: "13" } } })],
  ])("an adoption with a secret %s, also where refuse stops it", async (_rule, args) => {
    const lab = new Lab();
    expect(heard(lab, await lab.preview("db", adopted(args)))).toMatch(/maybe: takes over.*secret/);
    expect(heard(lab, await lab.preview("db", adopted(args)))).not.toMatch(/\b13\b/);
    expect(heard(lab, await lab.attempt("db", adopted({ ...args, onRestart: "refuse" })))).not.toMatch(/\b13\b/);
  });

  test("a namesake with a secret name is told by its id", async () => {
    const lab = new Lab();
    await new Lab({ beside: lab, stack: "other" }).up("r", replica({ name: "hidden-13" }));
    const outcome = await lab.fails("db", replica(secret(["name"], { name: "hidden-13" })));
    expect(outcome.error.message).toContain("ep-");
    expect(heard(lab, outcome)).not.toContain("hidden-13");
  });

  test("another region", async () => {
    const lab = new Lab();
    const outcome = await lab.fails("db", primary(secret(["regionId"], { regionId: "aws-hidden-13" })));
    expect(heard(lab, outcome)).not.toContain("aws-hidden-13");
  });
});

describe("a secret value that the service did not apply", () => {
  test.each<[string, string, Props]>([
    ["limits", "autoscaling_limit_min_cu", secret(["autoscalingLimitMinCu"], limits(0.5, 1))],
    ["a timeout", "suspend_timeout_seconds", secret(["suspendTimeoutSeconds"], { suspendTimeoutSeconds: 1313 })],
  ])("%s is named without it, and its record is where Pulumi hides it", async (_rule, field, args) => {
    const lab = new Lab({ between: ignoring(field) });
    const outcome = await lab.up("db", primary(args));
    expect(outcome.warnings.join()).toContain("did not apply");
    expect(heard(lab, outcome)).not.toMatch(/0\.5|1313/);
    const { notTaken, __asked } = lab.resource("db").outputs;
    expect(Object.keys(__asked as object)).toEqual(notTaken);
    expect((await lab.up("db", primary(args))).op).toBe("same");
    await lab.refresh();
    const honest = new Lab({ beside: lab, config: { askAgain: true } });
    honest.state.set("db", lab.resource("db"));
    await honest.up("db", primary(args));
    expect(await honest.up("db", primary(args))).toMatchObject({ op: "same", sent: [] });
  });
});

describe("outputs", () => {
  test("repeat a secret under its own name only, where Pulumi hides it", async () => {
    const lab = await labWith("db", primary(secret(["size"], { size: NEW })));
    const { size, ...others } = lab.resource("db").outputs;
    expect(size).toBe(NEW);
    expect(Object.values(others)).not.toContain(NEW);
    await lab.refresh();
    expect(Object.keys(lab.resource("db").outputs)).not.toContain("autoscalingLimitMaxCu");
  });

  test("the key is in no state, and in no error", async () => {
    const lab = new Lab();
    const { apiKey } = lab.emulator;
    spoil(lab, {
      match: { method: "POST" },
      then: { status: 400, body: { message: `bad ${apiKey} ${SEED.projectId}` } },
    });
    const outcome = await lab.fails("db", primary());
    expect(heard(lab, outcome)).not.toContain(apiKey);
    await lab.up("db", primary());
    expect(JSON.stringify([...lab.state.values()])).not.toContain(apiKey);
  });
});
