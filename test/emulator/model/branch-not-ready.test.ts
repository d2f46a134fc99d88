/** What a branch answers that is asked for something before it is ready, by the two readings of public clients. */
import { describe, expect, test } from "vitest";
import type { EmulatorOptions } from "../../../emulator/index.js";
import { type Body, ENDPOINTS, emulator, OPERATION_MS, PROJECT } from "../support.js";

const BRANCHES = `${PROJECT}/branches`;

describe("a request for a branch that is not ready", () => {
  const LOCKED = "project already has running conflicting operations, scheduling of new ones is prohibited";
  const requests: [string, (id: string, project: string) => [string, string, Body?]][] = [
    ["a compute", (id, at) => ["POST", `${at}/endpoints`, { endpoint: { branch_id: id, type: "read_only" } }]],
    ["a branch", (id, at) => ["POST", `${at}/branches`, { branch: { parent_id: id } }]],
    ["a restore", (id, at) => ["POST", `${at}/branches/${id}/restore`, { source_branch_id: id, ...POINT }]],
  ];
  const POINT = { source_lsn: "0/1", preserve_under_name: "before" };

  test.each(requests)("that asks for %s right after the project is 422, or 423 by choice", async (_what, request) => {
    const seen = async (options: EmulatorOptions) => {
      const { call } = emulator(options);
      const { project, branch } = (await call("POST", "/projects", { project: {} })).body;
      const { status, body } = await call(...request(branch.id, `/projects/${project.id}`));
      return [status, body.message];
    };
    expect(await seen({})).toEqual([422, "branch not ready yet"]);
    expect(await seen({ branchNotReadyStatus: 422 })).toEqual([422, "branch not ready yet"]);
    expect(await seen({ branchNotReadyStatus: 423 })).toEqual([423, LOCKED]);
  });

  test("that is no longer locked, but not ready either, has the chosen status, and then it works", async () => {
    const emulated = emulator({ branchNotReadyStatus: 423, branchReadyMs: 2_000 });
    const { id } = (await emulated.call("POST", BRANCHES)).body.branch;
    emulated.time.advance(OPERATION_MS);
    const create = () => emulated.call("POST", ENDPOINTS, { endpoint: { branch_id: id, type: "read_write" } });
    const early = await create();
    expect([early.status, early.body.message]).toEqual([423, "branch not ready yet"]);
    emulated.time.advance(2_000);
    expect((await create()).status).toBe(201);
  });
});
