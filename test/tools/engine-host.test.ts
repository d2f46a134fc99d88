import { describe, expect, test } from "vitest";
import { outcomeOf, programConfig, runArguments, runtimeOptions, splitWords } from "../../tools/engine/host/options";

describe("the language host", () => {
  test.each([
    ["", []],
    ["  --a   --b=c ", ["--a", "--b=c"]],
    ["--title='two words' x", ["--title=two words", "x"]],
    ['--title="two words" "a\\"b"', ["--title=two words", 'a"b']],
    ["one\\ word '' two", ["one word", "", "two"]],
  ])("splits nodeargs %j into %j", (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  test("takes the options of Pulumi.yaml, with TypeScript unless it is switched off", () => {
    expect(runtimeOptions({})).toEqual({ typescript: true, tsconfig: undefined, nodeargs: [], packagemanager: "npm" });
    expect(
      runtimeOptions({ typescript: false, tsconfig: "t.json", nodeargs: "--a --b", packagemanager: "pnpm" }),
    ).toEqual({ typescript: false, tsconfig: "t.json", nodeargs: ["--a", "--b"], packagemanager: "pnpm" });
  });

  test.each([
    [{ typescript: "no" }, "typescript option must be a boolean"],
    [{ nodeargs: ["--a"] }, "nodeargs option must be a string"],
  ])("refuses %j", (options, message) => {
    expect(() => runtimeOptions(options)).toThrow(message);
  });

  test("gives the program its config by the keys that the SDK reads", () => {
    expect(
      JSON.parse(
        programConfig([
          ["compute:apiUrl", "http://x:1"],
          ["old:config:key", "v"],
        ]),
      ),
    ).toEqual({ "compute:config:apiUrl": "http://x:1", "old:config:key": "v" });
  });

  test.each([
    [0, null, {}],
    [32, null, { bail: true }],
    [7, null, { error: "Program exited with non-zero exit code: 7" }],
    [null, "SIGKILL", { error: "Program was ended by SIGKILL" }],
  ])("a program that ends with code %j, signal %j means %j", (code, signal, outcome) => {
    expect(outcomeOf(code, signal)).toEqual(outcome);
  });

  test("names only what it knows, and the program after it", () => {
    const request = {
      monitor: "127.0.0.1:1",
      engine: "127.0.0.1:2",
      organization: "",
      project: "p",
      stack: "s",
      rootDirectory: "/p",
      programDirectory: "/p/main",
      entryPoint: ".",
      parallel: 8,
      dryRun: true,
      args: ["--x"],
    };
    expect(runArguments(request).join(" ")).toBe(
      "--monitor 127.0.0.1:1 --engine 127.0.0.1:2 --project p --stack s --root-directory /p --pwd /p/main --parallel 8 " +
        "--dry-run . --x",
    );
    expect(runArguments({ ...request, dryRun: false })).not.toContain("--dry-run");
  });
});
