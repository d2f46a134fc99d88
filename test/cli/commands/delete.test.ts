import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deleteCommand } from "../../../cli/commands/delete.js";
import { Desk, type DeskOptions, PLACE, PROJECT, SEED, writes } from "../support.js";

const ID = SEED.primaryId;
const READERS = ["ep-reader-1", "ep-reader-2", "ep-reader-10"] as const;
const place = (id: string) => `${PROJECT}/${id}`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "compute-endpoint-keep-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A desk with three replicas beside its primary. */
async function desk(options: DeskOptions = {}): Promise<Desk> {
  const made = new Desk({ operationMs: 4000, ...options });
  await made.clock.advance(120_000);
  for (const id of READERS) {
    const like = structuredClone(made.primary);
    made.emulator.world.endpoints[id] = { ...like, id, type: "read_only", name: id.replace("ep-", "") };
  }
  return made;
}

const left = ({ emulator }: Desk) => Object.keys(emulator.world.endpoints).sort();
const WITHOUT_FIRST = [ID, "ep-reader-10", "ep-reader-2"].sort();

describe("delete", () => {
  test("shows what it is, deletes it, and waits until it is gone", async () => {
    const one = await desk();
    one.emulator.world.endpoints[READERS[0]]!.last_active = new Date(one.clock.wall() - 12_000).toISOString();
    const ended = await one.run(deleteCommand, [place(READERS[0]), "--yes"]);
    expect([ended.code, ended.stdout]).toEqual([0, "compute ep-reader-1 is deleted\n"]);
    expect(ended.stderr).toMatch(
      new RegExp(
        `^compute ep-reader-1 of project ${PROJECT}: read_only on branch br-\\S+, 0.25 CU, named reader-1, active, last used 12 s ago\n`,
      ),
    );
    expect(left(one)).toEqual(WITHOUT_FIRST);
    expect(one.emulator.world.operations.at(-1)).toMatchObject({ action: "suspend_compute", status: "finished" });
  });

  test("several: each is deleted, one after the other, and one list confirms them", async () => {
    const one = await desk();
    const ended = await one.run(deleteCommand, [...READERS.map(place), "--yes"]);
    expect([ended.code, writes(ended).length, left(one)]).toEqual([0, 3, [ID]]);
    expect(ended.sent.some(({ status }) => status === 423)).toBe(false);
    expect(ended.stdout.trimEnd().split("\n")).toHaveLength(3);
  });

  test("one that is gone already is no error", async () => {
    const one = await desk();
    const ended = await one.run(deleteCommand, [place("ep-none"), "--yes"]);
    expect([ended.code, writes(ended)]).toEqual([0, []]);
    expect(ended.stdout).toBe(`compute ep-none is not in project ${PROJECT}: it is gone already\n`);
  });

  test("one that somebody else deletes just then is no error", async () => {
    const one: Desk = await desk({
      between: (request, go) => {
        if (request.method === "DELETE") delete one.emulator.world.endpoints[READERS[0]];
        return go(request);
      },
    });
    expect(await one.run(deleteCommand, [place(READERS[0]), "--yes"])).toMatchObject({ code: 0 });
  });

  test("a busy project is waited for", async () => {
    const one = await desk();
    one.emulator.startOperation({ branchId: one.primary.branch_id });
    const ended = await one.run(deleteCommand, [place(READERS[0]), "--yes"]);
    expect([ended.code, left(one)]).toEqual([0, WITHOUT_FIRST]);
  });

  test("--json: the computes as they were, and what became of each", async () => {
    const one = await desk();
    const { stdout } = await one.run(deleteCommand, [place(READERS[0]), place("ep-none"), "--yes", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      action: "delete",
      computes: [
        {
          projectId: PROJECT,
          id: READERS[0],
          outcome: "deleted",
          endpoint: expect.objectContaining({ id: READERS[0], type: "read_only", currentState: "active" }),
        },
        { projectId: PROJECT, id: "ep-none", outcome: "gone" },
      ],
    });
  });
});

describe("it asks", () => {
  test.each(["yes", " YES "])("and deletes after %j", async (answer) => {
    const one = await desk({ terminal: true, answer });
    const ended = await one.run(deleteCommand, [place(READERS[0])]);
    expect(ended.stderr).toContain(
      "Delete this compute? Its host is gone for good, and open connections drop. Type yes: ",
    );
    expect([ended.code, left(one)]).toEqual([0, WITHOUT_FIRST]);
  });

  test.each(["", "y", "no", "yes please"])("and deletes nothing after %j", async (answer) => {
    const one = await desk({ terminal: true, answer });
    const ended = await one.run(deleteCommand, READERS.map(place));
    expect(ended.stderr).toContain("Delete these 3 computes?");
    expect(ended.stderr).toContain("nothing was deleted\n");
    expect([ended.code, writes(ended)]).toEqual([2, []]);
  });

  test("not where nobody can answer: then it refuses, before it asks the service", async () => {
    const ended = await (await desk()).run(deleteCommand, [place(READERS[0])]);
    expect([ended.code, ended.sent]).toEqual([2, []]);
    expect(ended.stderr).toContain("--yes deletes without asking");
  });

  test("not about computes that are all gone", async () => {
    const ended = await (await desk({ answer: "no" })).run(deleteCommand, [place("ep-none")]);
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
  });
});

describe("computes to keep", () => {
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const state = () =>
    JSON.stringify({
      deployment: { resources: [{ id: "ep-reader-2", outputs: { host: "ep-reader-1-pooler.x.test" } }] },
    });

  test.each<[string, () => string[]]>([
    ["an id", () => ["--keep", READERS[1]]],
    ["a name", () => ["--keep", "reader-2"]],
    ["a list of both", () => ["--keep", `ep-a,reader-2`]],
    ["a state", () => ["--keep-from", file("state.json", state())]],
    ["a list in a file", () => ["--keep-from", file("names.txt", "# mine\n\nreader-2\n")]],
  ])("%s: none is deleted, also not the others", async (_what, flags) => {
    const one = await desk();
    const ended = await one.run(deleteCommand, [place(READERS[2]), place(READERS[1]), "--yes", ...flags()]);
    expect([ended.code, writes(ended), ended.stdout]).toEqual([2, [], ""]);
    expect(ended.stderr).toMatch(/^compute ep-reader-2 of project \S+ is to be kept \(.+\)\. Nothing was deleted/);
  });

  test("the others may go", async () => {
    const one = await desk();
    const flags = ["--keep-from", file("state.json", state()), "--keep", ID];
    expect(await one.run(deleteCommand, [place(READERS[2]), "--yes", ...flags])).toMatchObject({ code: 0 });
  });

  test.each<[string, () => string, RegExp]>([
    ["is not there", () => join(folder, "none.json"), /can't read .*none\.json/],
    ["is empty", () => file("empty.txt", "\n"), /names no compute, so it would keep none/],
    ["has none", () => file("other.json", "{}"), /names no compute, so it would keep none/],
  ])("a file that %s protects nothing, so it is an error", async (_what, path, reason) => {
    const ended = await (await desk()).run(deleteCommand, [PLACE, "--yes", "--keep-from", path()]);
    expect([ended.code, ended.sent]).toEqual([2, []]);
    expect(ended.stderr).toMatch(reason);
  });
});

describe("what goes wrong is 1", () => {
  test("the service protects the branch: its words, and the others are deleted", async () => {
    const one = await desk();
    one.emulator.world.branches[one.primary.branch_id]!.protected = true;
    const dev = { ...structuredClone(one.primary), id: "ep-dev", branch_id: SEED.branches.dev };
    one.emulator.world.endpoints["ep-dev"] = dev;
    const ended = await one.run(deleteCommand, [place(READERS[0]), place("ep-dev"), "--yes"]);
    expect([ended.code, ended.stdout]).toEqual([1, "compute ep-dev is deleted\n"]);
    expect(ended.stderr).toMatch(
      /\ncompute-endpoint delete: compute ep-reader-1 was not deleted: DELETE .* 422: endpoint cannot be deleted: branch main is protected/,
    );
  });

  test("the service says that it is deleted, and keeps it: nothing about Pulumi's state", async () => {
    const one = await desk();
    const match = { method: "DELETE", path: `/projects/${PROJECT}/endpoints/*` };
    one.emulator.faults.add({ match, times: 9, then: { status: 200, body: {} } });
    const ended = await one.run(deleteCommand, [place(READERS[0]), "--yes"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /still has it .* Run the command again; if it stays, delete it in the service's console/,
    );
    expect(ended.stderr).not.toMatch(/in the state|customTimeouts|pulumi/);
  });

  test("time is up: how to see the end", async () => {
    const one = await desk({ operationMs: 600_000 });
    const ended = await one.run(deleteCommand, [place(READERS[0]), "--yes", "--timeout", "30s"]);
    expect([ended.code, left(one)]).toEqual([0, WITHOUT_FIRST]);
    expect(ended.stderr).toContain(
      `\`compute-endpoint operations ${PROJECT}\` shows how it ends; --timeout gives it more time`,
    );
  });

  test.each<[string, string, DeskOptions, RegExp]>([
    [
      "a project that is not there",
      "no-project/ep-none",
      {},
      /^project no-project does not exist, or the key \(from COMPUTE_API/,
    ],
    [
      "a key that is refused",
      PLACE,
      { env: { COMPUTE_API_KEY: "wrong" } },
      /401: .*the key comes from COMPUTE_API_KEY/,
    ],
  ])("%s", async (_what, target, options, reason) => {
    const ended = await (await desk(options)).run(deleteCommand, [target, "--yes"]);
    expect([ended.code, ended.stdout, writes(ended)]).toEqual([1, "", []]);
    expect(ended.stderr).toMatch(reason);
    expect(ended.stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("bad usage is 2, and nothing is sent", () => {
  test.each<[string[], RegExp]>([
    [[], /^which computes\? give PROJECT\/ENDPOINT/],
    [[PROJECT], /^which compute\? give PROJECT\/ENDPOINT; `compute-endpoint endpoints quiet-/],
    [[PLACE, PROJECT], /^which compute\?/],
    [["ep-a"], /^ep-a is a compute, and its project comes first/],
    [[PLACE, "--keep", ""], /^--keep needs/],
    [[PLACE, "--timeout", "0s"], /^--timeout/],
  ])("%j", async (args, reason) => {
    const ended = await new Desk().run(deleteCommand, [...args, "--yes"]);
    expect([ended.code, ended.stdout, ended.sent]).toEqual([2, "", []]);
    expect(ended.stderr).toMatch(reason);
  });
});

test("Ctrl-C says what may go on", async () => {
  const one = await desk();
  expect(await one.interrupt(deleteCommand, [place(READERS[0]), "--yes"], 2000)).toBe(
    `interrupted: the deletion of ${place(READERS[0])} may have reached the service; \`compute-endpoint endpoints ${PROJECT}\` shows what is there`,
  );
});
