/**
 * What each kind of change shows in each kind of preview: the step, the marker, the warning, and that what depends on
 * the host stays as it is. One compute a row, all rows in one program, so that few commands show the whole table.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { lastMarker, otherBranch, type Phase, ROWS, size } from "./preview-rows";
import {
  addBranch,
  changes,
  files,
  nameOf,
  PROJECT,
  type Shown,
  type Story,
  shownInDiff,
  shownInJson,
  shownInPlain,
  startStory,
  withoutSeen,
} from "./support";

const STATES = { calm: "was no restart", restarted: "was a restart" } as const;
const KINDS = ["preview", "preview --diff", "preview --json"] as const;

const NAMES = Object.keys(ROWS);

function program(phase: Phase, changed: boolean): Record<string, string> {
  const computes = NAMES.map((name) => {
    const { before = size, after, options = {} } = ROWS[name]!;
    const args = { projectId: PROJECT, branchId: `br-${name}`, ...before(phase) };
    return [name, changed ? { ...args, ...after(args) } : args, options];
  });
  return files(`
for (const [name, args, options] of ${JSON.stringify(computes)}) {
  const compute = new Endpoint(name, args, options);
  new Dependant("dns-" + name, { on: compute.host });
}`);
}

describeWithEngine("a preview tells the truth", (engine) => {
  let story: Story;
  const seen = new Map<string, Map<string, Shown>>();
  /** The warnings of `--diff` stand in one list, without their resources. */
  const loose = new Map<Phase, string[]>();
  const sent = new Map<Phase, string[]>();
  const idOf = new Map<string, string>();

  async function previews(phase: Phase) {
    const { ws, em } = story;
    em.requests.length = 0;
    await ws.setProgram(program(phase, true));
    const key = (kind: (typeof KINDS)[number]) => `${phase} ${kind}`;
    seen.set(key("preview"), shownInPlain((await ws.preview()).stdout));
    const diff = await ws.previewDiff();
    seen.set(key("preview --diff"), shownInDiff(diff.stdout));
    loose.set(
      phase,
      [...`${diff.stdout}\n${diff.stderr}`.matchAll(/^\s*warning: (.*)$/gm)].map(([, text]) => withoutSeen(text!)),
    );
    seen.set(key("preview --json"), shownInJson((await ws.previewJson()).document));
    sent.set(
      phase,
      em.requests.map(({ method, path }) => `${method} ${path}`),
    );
  }

  /** The row of each compute, by the branch it was made on. */
  const rowsById = () =>
    new Map(Object.values(story.em.world.endpoints).map(({ id, branch_id }) => [id, branch_id.replace("br-", "")]));

  beforeAll(async () => {
    story = await startStory(engine, {
      program: "",
      config: { "compute:liveNotices": "true" },
      before: (em) => {
        for (const name of NAMES) for (const id of [`br-${name}`, otherBranch(`br-${name}`)]) addBranch(em, id);
      },
    });
    const { ws } = story;
    await ws.setProgram(program("calm", false));
    await ws.up({ args: ["--skip-preview"] });
    for (const [id, name] of rowsById()) idOf.set(name, id);
    await previews("calm");
    await ws.setProgram(program("restarted", false));
    await ws.up({ args: ["--skip-preview"] });
    await previews("restarted");
  }, 2 * ENGINE_TEST_MS);
  afterAll(() => story?.close());

  describe.each(Object.entries(STATES) as [Phase, string][])("%s: the last step %s", (phase) => {
    // One replacement goes to the other project, and one to a branch without a compute.
    const LOOKS = [PROJECT, SEED.second.projectId].flatMap((project) =>
      ["branches?limit=1000", "endpoints"].map((list) => `GET /projects/${project}/${list}`),
    );
    test("each preview asks once how its projects are right now, and sends nothing else", () =>
      expect(sent.get(phase)!.sort()).toEqual(LOOKS.flatMap((look) => KINDS.map(() => look)).sort()));

    describe.each(KINDS)("pulumi %s", (kind) => {
      const shown = (name: string): Shown =>
        seen.get(`${phase} ${kind}`)!.get(name) ?? { op: "same", changed: [], warnings: [] };

      test.each(NAMES.map((name) => [ROWS[name]!.rule, name]))("%s", (_rule, name) => {
        const { op, says, warns, notes, does } = ROWS[name]!;
        const row = shown(name);
        const text = says?.(phase);
        const next = text === undefined ? "no" : `${does === "may restart" ? "maybe" : "yes"}: ${text}`;
        // After a restart its marker stands in the state until the next step: then only the new value speaks.
        const old = phase === "calm" ? "no" : lastMarker(name);
        expect(row.op).toBe(op);
        const marked = op !== "same" && old !== next;
        expect(row.changed.includes("restart")).toBe(marked);
        if (marked && kind !== "preview") expect(row.restart).toEqual([old, next]);

        const told = warns ?? text?.replace(" if it is active; open connections drop then", ". It is active");
        const id = idOf.get(name)!;
        // The warnings of `--diff` name no resource.
        const isOurs = (warning: string) => warning.startsWith(`${id}: `);
        const warnings = kind === "preview --diff" ? loose.get(phase)!.filter(isOurs) : row.warnings;
        expect(warnings).toEqual(told === undefined ? [] : [expect.stringContaining(told)]);
        if (told)
          expect(warnings[0]).toMatch(new RegExp(`^${id}: .* It is active.*: open connections drop( then)?\\.$`));

        if (told && kind !== "preview --diff") expect(row.seen).toBe("active");

        if (kind === "preview --json") expect(row.notes ?? []).toEqual(notes === undefined ? [] : [notes]);

        const dependant = shown(`dns-${name}`);
        expect(dependant).toMatchObject({ op: op === "replace" ? "update" : "same", warnings: [] });
      });

      test("nothing else is shown, and no other warning", () => {
        const all = [...seen.get(`${phase} ${kind}`)!];
        const known = new Set([...NAMES, ...NAMES.map((name) => `dns-${name}`), "test-dev"]);
        expect(all.filter(([name, { op }]) => op !== "same" && !known.has(name))).toEqual([]);
        const warnings = kind === "preview --diff" ? loose.get(phase)! : all.flatMap(([, one]) => one.warnings);
        const sum = `3 computes get a new host, 1 compute stops, ${NAMES.filter((name) => ROWS[name]!.says).length - 5} active computes restart, 1 compute may restart.`;
        expect(warnings.filter((one) => one === sum)).toHaveLength(1);
        expect(warnings).toHaveLength(NAMES.filter((name) => ROWS[name]!.says).length + 1);
      });
    });
  });

  describe("the update itself", () => {
    let requests: Map<string, { line: string; body: unknown }[]>;
    type Hosts = Record<string, { host: unknown; dependant: unknown }>;
    let [before, after]: [Hosts, Hosts] = [{}, {}];

    async function hostsNow(): Promise<Hosts> {
      const resources = (await story.ws.export()).deployment.resources!;
      const of = (name: string) => resources.find(({ urn }) => nameOf(urn) === name)!.outputs!;
      return Object.fromEntries(
        NAMES.map((name) => [name, { host: of(name)["host"], dependant: of(`dns-${name}`)["on"] }]),
      );
    }

    beforeAll(async () => {
      const { ws, em } = story;
      before = await hostsNow();
      const rowOf = rowsById();
      em.requests.length = 0;
      await ws.up({ args: ["--skip-preview"] });
      requests = new Map(NAMES.map((name) => [name, []]));
      for (const { line, body } of changes(em)) {
        const branch = (body as { endpoint?: { branch_id?: string } } | undefined)?.endpoint?.branch_id;
        const ofPost = branch === SEED.second.branchId ? "project" : branch?.replace(/^br-|-2$/g, "");
        requests.get(rowOf.get(line.split("/").at(-1)!) ?? ofPost ?? "")!.push({ line, body });
      }
      after = await hostsNow();
    }, ENGINE_TEST_MS);

    test.each(NAMES.map((name) => [ROWS[name]!.rule, name]))("%s: the requests", (_rule, name) => {
      const { sends } = ROWS[name]!;
      const got = requests.get(name) ?? [];
      const methods = got.map(({ line }) => line.split(" ")[0]);
      if (sends === "nothing") expect(got).toEqual([]);
      else if (sends === "DELETE and POST") expect(methods).toEqual(["DELETE", "POST"]);
      else expect(got).toEqual([{ line: expect.stringMatching(/^PATCH/), body: { endpoint: sends } }]);
    });

    test.each(NAMES.map((name) => [ROWS[name]!.rule, name]))("%s: the host", (_rule, name) => {
      const [was, is] = [before[name]!, after[name]!];
      expect(is.dependant).toBe(is.host);
      expect(is.host).toMatch(/^ep-/);
      if (ROWS[name]!.op === "replace") expect(is.host).not.toBe(was.host);
      else expect(is).toEqual(was);
    });

    test(
      "then there is nothing to do",
      async () => {
        const { ws, em } = story;
        em.requests.length = 0;
        await ws.preview({ args: ["--expect-no-changes"] });
        expect(em.requests).toEqual([]);
      },
      ENGINE_TEST_MS,
    );
  });
});
