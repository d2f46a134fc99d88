/** Pulumi's resource options: one compute a row, all rows in one program, so that few commands show the whole table. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../../support/engine";
import { addBranch, changes, files, nameOf, type Shown, type Story, shownInJson, startStory } from "../support";
import { ROWS } from "./option-rows";

const NAMES = Object.keys(ROWS);

const program = (when: "before" | "after") =>
  files(`
class Group extends pulumi.ComponentResource {
  constructor(name, args, opts) { super("test:index:Group", name, args, opts); }
}
${NAMES.map(
  (row) => `{
  const one = (args, options, name = "${row}") =>
    new Dependant("on-" + name, { on: new Endpoint(name, { projectId, branchId: "br-${row}", ...args }, options).host });
  ${ROWS[row]![when]}
}`,
).join("\n")}`);

describeWithEngine("resource options", (engine) => {
  let story: Story;
  let shown: Map<string, Shown>;
  let printed = "";
  let again: string[];
  const sent = new Map<string, string[]>();
  const hosts: Record<"before" | "after", Map<string, unknown>> = { before: new Map(), after: new Map() };

  const hostsNow = async () =>
    new Map(
      ((await story.ws.export({ args: ["--show-secrets"] })).deployment.resources ?? [])
        .filter(({ type }) => type.endsWith(":Endpoint"))
        .map(({ urn, outputs }) => [nameOf(urn), outputs?.["host"]]),
    );

  beforeAll(async () => {
    story = await startStory(engine, {
      program: "",
      before: (em) => {
        for (const name of NAMES) addBranch(em, `br-${name}`);
      },
    });
    const { ws, em } = story;
    await ws.setProgram(program("before"));
    await ws.up({ args: ["--skip-preview"] });
    hosts.before = await hostsNow();
    const rowOf = new Map(Object.values(em.world.endpoints).map(({ id, branch_id }) => [id, branch_id]));
    await ws.setProgram(program("after"));
    em.requests.length = 0;
    const preview = await ws.previewJson();
    printed = preview.stdout + preview.stderr;
    shown = shownInJson(preview.document);
    expect(em.requests).toEqual([]);
    await ws.up({ args: ["--skip-preview"] });
    for (const { line, body } of changes(em)) {
      const [method, path] = line.split(" ") as [string, string];
      const { endpoint } = (body ?? {}) as { endpoint?: { branch_id?: string } };
      const row = (endpoint?.branch_id ?? rowOf.get(path.split("/").at(-1)!) ?? path).replace(/^br-/, "");
      const text = method === "PATCH" ? `${method} ${JSON.stringify(endpoint)}` : method;
      sent.set(row, [...(sent.get(row) ?? []), text]);
    }
    hosts.after = await hostsNow();
    em.requests.length = 0;
    await ws.up({ args: ["--skip-preview", "--expect-no-changes"] });
    again = em.requests.map(({ path }) => path);
  }, 2 * ENGINE_TEST_MS);
  afterAll(() => story?.close());

  describe("in the preview", () => {
    test.each(NAMES.map((name) => [ROWS[name]!.rule, name]))("%s", (_rule, name) => {
      const { op = "same", says, warns } = ROWS[name]!;
      const row: Partial<Shown> = shown.get(name === "renamed" ? "renamed-after" : name) ?? {};
      expect(row.op ?? "same").toBe(op);
      if (says) expect(row.restart).toEqual(["no", expect.stringContaining(says)]);
      else expect(row.restart?.[1] ?? "no").toBe("no");
      expect(row.warnings ?? []).toEqual(warns === undefined ? [] : [expect.stringContaining(warns)]);
    });

    test("a hook of the program's own ran as well", () => expect(printed).toContain("own hook runs"));
  });

  test.each(NAMES.map((name) => [ROWS[name]!.rule, name]))("the requests of: %s", (_rule, name) => {
    expect(sent.get(name) ?? []).toEqual(ROWS[name]!.sends ?? []);
  });

  test("the host stays but where the preview said that it does not", () => {
    for (const name of NAMES) {
      const { op = "same" } = ROWS[name]!;
      const [before, after] = [hosts.before.get(name), hosts.after.get(name === "renamed" ? "renamed-after" : name)];
      if (op === "delete") expect(after, name).toBeUndefined();
      else if (op === "replace") expect(after, name).not.toBe(before);
      else expect(after, name).toEqual(before);
    }
  });

  test("then there is nothing to do, and nothing is asked", () => expect(again).toEqual([]));
});
