import { describe, expect, test } from "vitest";
import { canonical, differences, fingerprint, satisfies } from "../../../provider/rules/equality.js";
import {
  type DesiredSettings,
  desiredSettings,
  isSecret,
  type ObservedSettings,
  propertyOf,
  type SettingName,
  type SettingsInput,
  UNKNOWN,
} from "../../../provider/rules/settings.js";

describe("whether a compute is as wanted", () => {
  test.each<[SettingName, unknown, unknown, boolean]>([
    ["suspendTimeoutSeconds", undefined, 0, true],
    ["suspendTimeoutSeconds", 0, 0, true],
    ["suspendTimeoutSeconds", 600, 0, false],
    ["suspendTimeoutSeconds", undefined, 300, false],
    ["suspendTimeoutSeconds", 0, -1, false],
    ["autoscalingLimitMaxCu", 1, 1.0, true],
    ["autoscalingLimitMaxCu", undefined, 1, false],
    ["disabled", undefined, false, false],
    ["pgSettings", undefined, {}, true],
    ["pgSettings", { a: "1", b: "2" }, { a: "1" }, true],
    ["pgSettings", { a: "1" }, { a: "1", b: "2" }, false],
    ["pgSettings", { a: "1" }, { a: "2" }, false],
    ["preloadLibraries", undefined, { useDefaults: false, enabledLibraries: [] }, true],
    ["preloadLibraries", { useDefaults: true }, { enabledLibraries: [] }, true],
    ["preloadLibraries", { enabledLibraries: ["a", "b"] }, { enabledLibraries: ["b", "a"] }, true],
    ["preloadLibraries", { enabledLibraries: ["a", "b"] }, { enabledLibraries: ["a"] }, false],
    ["preloadLibraries", { enabledLibraries: ["a"] }, { enabledLibraries: ["a", "b"] }, false],
    ["preloadLibraries", { enabledLibraries: ["a", "a"] }, { enabledLibraries: ["a", "b"] }, false],
    ["preloadLibraries", { useDefaults: true }, { useDefaults: false }, false],
  ])("%s: has %j, wanted %j: %s", (name, has, wanted, expected) => {
    expect(satisfies(name, has as never, wanted as never)).toBe(expected);
  });

  test("only a setting that the program names differs, and no setting whose value is not known", () => {
    const live: ObservedSettings = { branchId: "br-1", name: "x", disabled: true };
    expect(differences({}, live)).toEqual([]);
    expect(differences({ name: "x", branchId: "br-2" }, live)).toEqual(["branchId"]);
    expect(differences({ name: UNKNOWN, disabled: false }, live)).toEqual(["disabled"]);
  });
});

describe("the desired settings of a program", () => {
  test.each<[string, SettingsInput, string[], DesiredSettings]>([
    ["the default type, and nothing else that is not said", {}, [], { type: "read_write" }],
    [
      "size as both limits",
      { size: 2 },
      [],
      { type: "read_write", autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 2 },
    ],
    [
      "a size not known as both limits",
      {},
      ["size"],
      { type: "read_write", autoscalingLimitMinCu: UNKNOWN, autoscalingLimitMaxCu: UNKNOWN },
    ],
    [
      "settings not known as both parts",
      {},
      ["settings"],
      { type: "read_write", pgSettings: UNKNOWN, preloadLibraries: UNKNOWN },
    ],
    [
      "one Postgres setting not known as all of them",
      { settings: { pgSettings: { a: "1" } } },
      ["settings.pgSettings.b.c"],
      { type: "read_write", pgSettings: UNKNOWN },
    ],
    ["nothing for what is no setting", {}, ["adopt", "customTimeouts.create", "onDelete"], { type: "read_write" }],
    [
      "a value of 0 or false as a value",
      { suspendTimeoutSeconds: 0, disabled: false },
      [],
      { type: "read_write", suspendTimeoutSeconds: 0, disabled: false },
    ],
  ])("is %s", (_rule, asked, unknown, expected) => {
    expect(desiredSettings(asked, new Set(unknown))).toEqual(expected);
  });
});

describe("comparing and keeping values", () => {
  test("keys in any order are the same, items of a list are not", () => {
    expect(canonical({ a: 1, b: { c: 2, d: 3 } })).toBe(canonical({ b: { d: 3, c: 2 }, a: 1 }));
    expect(canonical([1, 2])).not.toBe(canonical([2, 1]));
    expect([canonical(undefined), canonical(null)]).toEqual(["null", "null"]);
  });

  test("a digest tells equal values and not the value", () => {
    expect(fingerprint({ a: "secret", b: 1 })).toBe(fingerprint({ b: 1, a: "secret" }));
    expect(fingerprint("a")).not.toBe(fingerprint("b"));
    expect(fingerprint("secret")).toMatch(/^[0-9a-f]{12}$/);
  });

  test.each([
    ["name", ["name"], true],
    ["name", ["size"], false],
    ["settings.pgSettings.a", ["settings"], true],
    ["autoscalingLimitMinCu", ["size"], true],
    ["size", ["autoscalingLimitMaxCu"], true],
    ["autoscalingLimitMaxCu", ["autoscalingLimitMinCu"], true],
    ["size", [], false],
  ])("%s is hidden where %j are secret: %s", (path, secrets, expected) => {
    expect(isSecret(path, new Set(secrets))).toBe(expected);
    expect(isSecret(path, undefined)).toBe(false);
  });

  test("settings are spoken of by the program's paths", () => {
    expect(propertyOf("pgSettings")).toBe("settings.pgSettings");
    expect(propertyOf("autoscalingLimitMinCu")).toBe("autoscalingLimitMinCu");
  });
});

describe("an asset or archive is its content", () => {
  const SIGNATURE = "4dabf18193072939515e22adb298388d";
  const [ASSET, ARCHIVE] = ["c44067f5952c0a294b673a41bacd8c17", "0def7320c3a5731c473e5ecbe6d01bc7"];
  const asset = (hash: string, more: object) => ({ [SIGNATURE]: ASSET, hash, ...more });

  test("wherever it lies, and whether it is a file, a text or what an address gives", () => {
    const same = [{ path: "a" }, { path: "/other/a" }, { text: "a" }, { uri: "https://a" }, {}];
    expect(new Set(same.map((more) => canonical([{ deep: [asset("1", more)] }]))).size).toBe(1);
    expect(canonical([asset("1", { path: "a" })])).not.toBe(canonical([asset("2", { path: "a" })]));
  });

  test("an archive of assets too", () => {
    const archive = (hash: string, inner: string) => ({
      [SIGNATURE]: ARCHIVE,
      hash,
      assets: { "a.txt": asset(inner, { text: inner }) },
    });
    expect(canonical(archive("1", "a"))).toBe(canonical(archive("1", "b")));
    expect(canonical(archive("1", "a"))).not.toBe(canonical(archive("2", "a")));
  });

  test("and is neither its hash as a text nor any object with a hash", () => {
    const all = [asset("1", {}), "1", { hash: "1" }, { [SIGNATURE]: "something else", hash: "1", text: "x" }];
    expect(new Set(all.map((one) => canonical(one))).size).toBe(all.length);
    // Without a hash it is compared as any other object.
    expect(canonical({ [SIGNATURE]: ASSET, text: "a" })).not.toBe(canonical({ [SIGNATURE]: ASSET, text: "b" }));
  });
});
