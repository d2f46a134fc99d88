/** What `--json` prints is as the page on the commands says: scripts depend on the names. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Command } from "../../cli/command.js";
import { actionCommand } from "../../cli/commands/action.js";
import { deleteCommand } from "../../cli/commands/delete.js";
import { emulator } from "../../cli/commands/emulator.js";
import { importFile } from "../../cli/commands/import-file.js";
import { endpoints, operations } from "../../cli/commands/lists.js";
import { textOf } from "../docs/pages";
import { Desk, PLACE, PROJECT, SEED } from "./support.js";

/** The names in the code spans of a command's row: the first span is the answer, the second one an entry of its list. */
function documented(command: string): string[][] {
  const row = textOf("docs/lookups.md")
    .split("\n")
    .find((line) => line.startsWith("| ") && line.split(" | ")[0]!.includes(`\`${command}\``));
  const spans = [...(row ?? "").matchAll(/`\{ ([^}]+) \}`/g)].map(([, names]) => names!.split(", ").sort());
  expect(spans.length).toBeGreaterThan(0);
  return spans;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "compute-endpoint-shapes-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keys = (value: unknown) => Object.keys(value as object).sort();
const run = async (desk: Desk, command: Command, ...args: string[]) =>
  JSON.parse((await desk.run(command, [...args, "--json"])).stdout);

describe("the JSON of", () => {
  test.each(["restart", "start", "suspend"] as const)("%s", async (name) => {
    const answer = await run(new Desk(), actionCommand(name), PLACE);
    expect(keys(answer)).toEqual(documented(name)[0]);
  });

  test("delete", async () => {
    const desk = new Desk();
    desk.emulator.world.endpoints["ep-b"] = { ...structuredClone(desk.primary), id: "ep-b", type: "read_only" };
    const match = { method: "DELETE", path: `/projects/${PROJECT}/endpoints/${SEED.primaryId}` };
    desk.emulator.faults.add({ match, then: { status: 422 } });
    const answer = await run(desk, deleteCommand, PLACE, `${PROJECT}/ep-b`, `${PROJECT}/ep-none`, "--yes");
    const [top, entry] = documented("delete");
    expect(keys(answer)).toEqual(top);
    const outcomes = answer.computes.map(({ outcome }: { outcome: string }) => outcome);
    expect(outcomes).toEqual(["failed", "deleted", "gone"]);
    expect([...new Set(answer.computes.flatMap(keys))].sort()).toEqual(entry);
  });

  test("import-file", async () => {
    const answer = await run(new Desk(), importFile, PLACE, "--out", join(folder, "a.json"));
    const [top, entry] = documented("import-file");
    expect([keys(answer), keys(answer.computes[0])]).toEqual([top, entry]);
  });

  test("emulator stop", async () => {
    // A connection of its own takes real time.
    let stdout = "";
    const write = (text: string) => {
      stdout += text;
    };
    const out = { isTTY: false, write };
    const io = { env: {}, out, err: out, onInterrupt: () => () => {} };
    await emulator.run(["stop", "--port", "1", "--json"], io);
    const answer = JSON.parse(stdout);
    expect([keys(answer), answer.wasRunning]).toEqual([documented("emulator stop")[0], false]);
  });

  test("the lists is what the look-ups return", async () => {
    const desk = new Desk();
    desk.emulator.startOperation({ endpointId: SEED.primaryId, action: "check_availability" });
    const [operation] = await run(desk, operations, PROJECT);
    const [endpoint] = await run(desk, endpoints, PROJECT);
    expect(endpoint).toMatchObject({ id: SEED.primaryId, projectId: PROJECT, currentState: "active" });
    expect(operation).toMatchObject({ projectId: PROJECT, endpointId: SEED.primaryId, action: "check_availability" });
  });
});
