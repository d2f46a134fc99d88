/** The plugin over gRPC: imports, and look-ups as functions. */
import { describe, expect, test } from "vitest";
import { type RunningEmulator, SEED } from "../../../emulator/index.js";
import type { Props } from "../shim";
import { BRANCH, PROJECT } from "../support";
import { failure, made, rig } from "./rig";

describe("an import", () => {
  const primary = (em: RunningEmulator) =>
    Object.values(em.world.endpoints).find(({ branch_id }) => branch_id === SEED.branches.main)!;

  test("takes PROJECT/ep-…, gives the id alone, and the arguments that keep the compute as it is", async () => {
    const it = await rig();
    const { id } = primary(it.em);
    const read = await it.plugin.read(`${PROJECT}/${id}`);
    expect(read).toMatchObject({
      id,
      inputs: { projectId: PROJECT, branchId: SEED.branches.main, restart: "no" },
      outputs: { adopted: true, host: expect.stringContaining(id) },
    });
    const { restart: _, ...args } = read.inputs;
    const { inputs, failures } = await it.plugin.check(read.inputs, args);
    expect(failures).toEqual([]);
    expect(await it.plugin.diff(id, read.outputs, inputs, { oldInputs: read.inputs })).toMatchObject({
      changes: "none",
    });
    await it.plugin.delete(id, read.outputs);
    expect(primary(it.em)).toMatchObject({ id });
  });

  test.each<[string, string, RegExp]>([
    ["an id without its project", "ep-amber-field-a5x7w3rt", /has no project.*PROJECT\/ep-…/],
    [
      "a compute that is not there",
      `${PROJECT}/ep-not-here-a5x7w3rt`,
      /compute ep-not-here-a5x7w3rt is not in project/,
    ],
    ["a project that is not there", "other-project-12345678/ep-a", /project other-project-12345678 does not exist/],
  ])("%s is an error in words", async (_what, id, words) => {
    const it = await rig();
    expect((await failure(it.plugin.read(id))).message).toMatch(words);
  });

  test("a look-up by id manages nothing", async () => {
    const it = await rig();
    const { id } = primary(it.em);
    const read = await it.plugin.read(id, { projectId: PROJECT }, { projectId: PROJECT });
    expect(read).toMatchObject({ id, outputs: { managed: [], host: expect.stringContaining(id) } });
  });
});

test("look-ups are functions, and a connection URI is a secret", async () => {
  const it = await rig();
  const { id } = await made(it);
  expect(await it.plugin.invoke("getEndpoint", { projectId: PROJECT, id })).toMatchObject({
    id,
    capacity: { vcpu: 1 },
  });
  const { endpoints } = await it.plugin.invoke("listEndpoints", { projectId: PROJECT, branchId: BRANCH });
  expect(endpoints).toMatchObject([{ id }]);
  const { operations } = await it.plugin.invoke("listOperations", { projectId: PROJECT, limit: 1 });
  expect(operations).toHaveLength(1);
  const [operation] = operations as Props[];
  expect(await it.plugin.invoke("getOperation", { projectId: PROJECT, id: operation!["id"] })).toEqual(operation);
  expect((await failure(it.plugin.invoke("getEndpoint", { projectId: PROJECT, id: "ep-no" }))).message).toMatch(
    /compute ep-no is not in project/,
  );
  expect((await failure(it.plugin.invoke("getAll", {}))).message).toMatch(/unknown function compute:index:getAll/);
});
