import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UsageError } from "../../../cli/arguments.js";
import { HELP, parseEmulatorOptions } from "../../../cli/commands/emulator-options.js";
import { createEmulator, type EmulatorOptions } from "../../../emulator/index.js";

describe("each flag is the option of the same name", () => {
  const CASES: [flag: string, text: string, options: EmulatorOptions][] = [
    ["--port", "4010", { port: 4010 }],
    ["--hosts", "emulator.test:8080,[fd00::1]:80", { hosts: ["emulator.test:8080", "[fd00::1]:80"] }],
    ["--api-key", "k-1", { apiKey: "k-1" }],
    ["--state", "world.json", { state: "world.json" }],
    ["--operation-ms", "0", { operationMs: 0 }],
    ["--time", "virtual", { time: "virtual" }],
    ["--lock", "branch", { lock: "branch" }],
    ["--failed", "retried", { failed: "retried" }],
    ["--failed-retry-ms", "5", { failedRetryMs: 5 }],
    ["--idle-update", "none", { idleUpdate: "none" }],
    ["--restart-idle-status", "423", { restartIdleStatus: 423 }],
    ["--branch-not-ready-status", "423", { branchNotReadyStatus: 423 }],
    ["--keep-alive-ms", "5000", { keepAliveMs: 5000 }],
    ["--settings-patch", "merge", { settingsPatch: "merge" }],
    ["--ignored-fields", "name,settings.pg_settings.a", { ignoredFields: ["name", "settings.pg_settings.a"] }],
    ["--list-order", "random", { listOrder: "random" }],
    ["--restored-branch", "same", { restoredBranch: "same" }],
    ["--branch-ready-ms", "100", { branchReadyMs: 100 }],
    ["--availability-check-ms", "60000", { availabilityCheckMs: 60_000 }],
    ["--rate-limit", "public", { rateLimit: "public" }],
    ["--rate-limit", "700", { rateLimit: { perMinute: 700 } }],
    ["--rate-limit", "700/40", { rateLimit: { perMinute: 700, perRouteAndSecond: 40 } }],
    ["--retry-after", "date", { retryAfter: "date" }],
    ["--suspend-default-seconds", "60", { suspendDefaultSeconds: 60 }],
  ];
  test.each(CASES)("%s %s", (flag, text, options) => {
    expect(parseEmulatorOptions([flag, text])).toEqual({ options, opens: false });
    expect(parseEmulatorOptions([`${flag}=${text}`])).toEqual({ options, opens: false });
    if (flag !== "--state") expect(() => createEmulator(options)).not.toThrow();
    expect(HELP).toContain(`  ${flag} `);
  });

  test("and each flag of the help is in this table", () => {
    const flags = [...HELP.matchAll(/^ {2}(--[\w-]+) \S/gm)].map(([, flag]) => flag);
    expect(new Set(flags)).toEqual(new Set(CASES.map(([flag]) => flag)));
  });

  test("and the page on the emulator names each", () => {
    const page = readFileSync(join(__dirname, "../../../docs/emulator.md"), "utf8");
    expect(CASES.map(([flag]) => flag).filter((flag) => !page.includes(`${flag} `))).toEqual([]);
  });

  test("without flags there are no options", () => {
    expect(parseEmulatorOptions([])).toEqual({ options: {}, opens: false });
  });

  test("--open asks for the page, and is in the help and on the page", () => {
    expect(parseEmulatorOptions(["--open"])).toEqual({ options: {}, opens: true });
    for (const text of [HELP, readFileSync(join(__dirname, "../../../docs/emulator.md"), "utf8")]) {
      expect(text).toContain("--open");
    }
  });

  test.each([
    [["--lock", "table"], '--lock must be one of project, branch, not "table"'],
    [["--rate-limit", "many"], '--rate-limit must be public, or like 700 or 700/40, not "many"'],
    [["--rate-limit", "0"], '--rate-limit must be a whole number from 1 to 1000000, not "0"'],
    [["--restart-idle-status", "404"], '--restart-idle-status must be one of 412, 423, not "404"'],
    [["--branch-not-ready-status", "409"], '--branch-not-ready-status must be one of 422, 423, not "409"'],
    [["--keep-alive-ms", "5s"], "--keep-alive-ms must be a whole number from 0"],
    [["--suspend-default-seconds", "0"], "--suspend-default-seconds must be a whole number from 1"],
    [["--hosts", ","], '--hosts must be hosts as clients send them, as in emulator.test:8080, not ","'],
    [
      ["--hosts", "a.test,*.test"],
      '--hosts must be hosts as clients send them, as in emulator.test:8080, not "*.test"',
    ],
    [["--ignored-fields", ","], '--ignored-fields must name a field, not ","'],
    [["--state", ""], "--state must be the path of a file"],
    [["--state"], "--state <value>"],
    [["--locks", "branch"], "Unknown option '--locks'"],
    [["branch"], 'only options are allowed, not "branch"'],
  ])("%j is refused, by name", (args, reason) => {
    expect(() => parseEmulatorOptions(args)).toThrow(UsageError);
    expect(() => parseEmulatorOptions(args)).toThrow(reason);
  });
});
