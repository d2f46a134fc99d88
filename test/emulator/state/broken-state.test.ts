import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEmulator, SEED } from "../../../emulator/index.js";
import { type Body, emulator, PRIMARY } from "../support.js";

let folder: string;
let state: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "compute-endpoint-state-"));
  state = join(folder, "world.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const onDisk = (): Body => JSON.parse(readFileSync(state, "utf8"));

describe("a file that can't be used is said in one line, and left alone", () => {
  const good = async (change: (file: Body) => void) => {
    await emulator({ state }).call("GET", PRIMARY);
    const file = onDisk();
    change(file);
    return JSON.stringify(file);
  };
  test.each<[string, () => string | Promise<string>, string]>([
    ["an empty one", () => "", "it is empty"],
    ["half of one", async () => (await good(() => {})).slice(0, 500), "JSON"],
    ["another kind of file", () => "projects:\n  - one\n", "JSON"],
    ["a list", () => "[]", "expected object"],
    [
      "one from another version",
      () => good((file) => Object.assign(file, { format: 2 })),
      "format: another format than 1",
    ],
    ["one without a key", () => good((file) => delete file.apiKey), "apiKey: "],
    ["one without a clock", () => good((file) => delete file.clock), "clock"],
    ["one with a broken row", () => good((file) => delete file.world.endpoints[SEED.primaryId].host), "host: "],
    [
      "one with a lost branch",
      () => good((file) => delete file.world.branches[SEED.branches.main]),
      "there is no branch br-copper-lagoon-a5n7v3hd",
    ],
  ])("%s", async (_what, make, reason) => {
    const text = await make();
    writeFileSync(state, text);
    let message = "";
    try {
      createEmulator({ state });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(`the state in ${state} can't be used: `);
    expect(message).toContain(reason);
    expect(message).toMatch(/^.*; remove the file to start anew$/);
    expect(readFileSync(state, "utf8")).toBe(text);
  });

  test.each([
    ["a folder", () => folder],
    ["a device without an end", () => "/dev/zero"],
  ])("%s", (_what, path) => {
    expect(() => createEmulator({ state: path() })).toThrow(`can't use the state in ${path()}: it is no file`);
  });
});
