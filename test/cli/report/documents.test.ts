/** Documents that the real engine made with our provider; steps that mean nothing here, and paths of the machine, are taken out. */
import { describe, expect, test } from "vitest";
import { ENDPOINT_TYPE, NATIVE_TYPE } from "../../../provider/rules/urn.js";
import { fixture, inJson, oneCompute, type Parsed } from "./support";

const NEW_HOST = "a compute with another id and host takes its place";

describe("documents of the real engine", () => {
  const short = ({ name, impact }: Parsed) => `${name} ${impact}`;

  test("changes of every kind, worst first", async () => {
    const { stacks, exitCode } = await inJson(fixture("changes.json"));
    expect(exitCode).toBe(3);
    const found = stacks[0].computes.map(short);
    expect(found.slice(0, 4)).toEqual(["gone delete", "move new-host", "rocs new-host", "stop stop"]);
    expect(found.slice(4).sort()).toEqual(
      [
        ...["branch restart", "resize restart", "secret restart"],
        ...["adopt may-restart", "params may-restart", "unknown may-restart"],
        ...["kept none", "rename none"],
      ].sort(),
    );
  });

  test.each<[name: string, impacts: string[], exitCode: number]>([
    ["create.json", Array(12).fill("none"), 0],
    ["nothing.json", [], 0],
    ["destroy.json", [...Array(11).fill("delete"), "none"], 0],
    ["sames-and-halves.json", ["new-host", "restart"], 3],
    ["refreshed.json", ["new-host", "restart"], 3],
    ["replace-asked.json", ["new-host"], 3],
    ["alias-and-get.json", ["restart"], 3],
    ["get-is-gone.json", ["none", "delete", "none"], 2],
  ])("%s", async (name, impacts, exitCode) => {
    const found = await inJson(fixture(name));
    expect(found.stacks[0].computes.map(({ impact }: Parsed) => impact)).toEqual(impacts);
    expect(found.exitCode).toBe(exitCode);
  });

  test("a replacement says which host goes, also where no setting is the reason", async () => {
    const found = await oneCompute(fixture("replace-asked.json"));
    expect(found).toMatchObject({
      effect: expect.stringContaining(NEW_HOST),
      changes: [],
      oldHost: expect.stringMatching(/^ep-.*neon\.tech$/),
    });
    expect(found.notes).toEqual([expect.stringContaining("--replace")]);
  });
});

test("a document of the plugin: every effect is found, an import is none, and the approvals are those of the class", async () => {
  const text = fixture("native.json");
  const { stacks, exitCode } = await inJson(text);
  expect(exitCode).toBe(3);
  expect(stacks[0].incomplete).toEqual([]);
  const short = ({ name, impact, what }: Parsed) => `${name} ${impact}: ${what}`;
  expect(stacks[0].computes.map(short)).toEqual([
    "gone delete: is deleted",
    "reader new-host: new host",
    "child stop: stops",
    "moved restart: restarts",
    "primary restart: restarts",
    "pinned none: is imported: nothing changes on the service",
  ]);
  expect(stacks[0].computes.flatMap(({ notes }: Parsed) => notes)).toEqual([]);
  const dynamic = await inJson(text.replaceAll(NATIVE_TYPE, ENDPOINT_TYPE));
  const digests = ({ stacks: [one] }: Parsed) => one.computes.map(({ approval }: Parsed) => approval?.digest);
  expect(digests({ stacks }).filter((one: unknown) => one !== undefined)).toHaveLength(4);
  expect(digests(dynamic)).toEqual(digests({ stacks }));
});
