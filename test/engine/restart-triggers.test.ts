/** `restartTriggers` on the real engine: what previews show, and that `up` sends one restart. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import {
  addBranch,
  changes,
  files,
  PROJECT,
  requests,
  type Story,
  shownInDiff,
  shownInJson,
  shownInPlain,
  startStory,
} from "./support";

const MARKER = "yes: restartTriggers (changed) restarts this compute if it is active; open connections drop then";
const NAMES = ["plain", "first", "sized", "hidden", "late", "calm"];

interface Say {
  plain?: string;
  first?: string;
  size?: number;
  hidden?: string;
  /** Names a resource whose id no preview knows before it is made. */
  source?: string;
}

const program = ({ plain = '["a"]', first = "", size = 1, hidden = "s3cret-a", source = "1" }: Say = {}) => `
new Endpoint("plain", { projectId, branchId: "br-plain", size: 1, restartTriggers: ${plain} });
new Endpoint("first", { projectId, branchId: "br-first", size: 1, ${first} });
new Endpoint("sized", { projectId, branchId: "br-sized", size: ${size}, restartTriggers: [${size}] });
new Endpoint("hidden", { projectId, branchId: "br-hidden", size: 1, restartTriggers: [{ key: pulumi.secret("${hidden}") }] });
const source = new Dependant("source-${source}", {});
new Endpoint("late", { projectId, branchId: "br-late", size: 1, restartTriggers: [source.id, "${source}"] });
const calm = new Endpoint("calm", { projectId, branchId: "br-calm", size: 1, restartTriggers: [1, "x", { y: null }] });
new Dependant("dns", { on: calm.host });`;

const CHANGED: Say = { plain: '["b"]', first: 'restartTriggers: ["a"],', size: 2, hidden: "s3cret-b", source: "2" };

describeWithEngine("restartTriggers", (engine) => {
  let story: Story;
  const use = (say?: Say) => story.ws.setProgram(files(program(say)));
  const idOf = async (name: string) => (await story.ws.resource(name)).id!;

  beforeAll(async () => {
    story = await startStory(engine, {
      program: program(),
      before: (em) => {
        for (const name of NAMES) addBranch(em, `br-${name}`);
      },
    });
    await story.ws.up({ args: ["--skip-preview"] });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test("making a compute with triggers restarts nothing", () => {
    expect(changes(story.em).map(({ line }) => line.split(" ")[0])).toEqual(NAMES.map(() => "POST"));
  });

  test(
    "then nothing is to do, also after a refresh",
    async () => {
      await story.ws.refresh({ args: ["--skip-preview"] });
      await story.ws.preview({ args: ["--expect-no-changes"] });
      expect(requests(story.em)).toEqual([`GET /projects/${PROJECT}/endpoints`]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "each kind of preview shows the change, with marker and warning, and no value in them",
    async () => {
      await use(CHANGED);
      const { ws, em } = story;
      const plain = shownInPlain((await ws.preview()).stdout);
      const diff = await ws.previewDiff();
      const { document } = await ws.previewJson();
      const json = shownInJson(document);
      expect(requests(em)).toEqual([]);

      for (const name of ["plain", "first", "hidden"]) {
        expect(plain.get(name)).toMatchObject({ op: "update", changed: ["restart", "restartTriggers"] });
        expect(shownInDiff(diff.stdout).get(name)?.restart).toEqual(["no", MARKER]);
        expect(json.get(name)?.restart).toEqual(["no", MARKER]);
        const warning = `${await idOf(name)}: ${MARKER.slice(5)}.`;
        expect(plain.get(name)?.warnings).toEqual([warning]);
        expect(json.get(name)?.warnings).toEqual([warning]);
      }
      expect(json.get("sized")?.restart?.[1]).toBe(
        "yes: size 1 → 2, restartTriggers (changed) restart this compute if it is active; open connections drop then",
      );
      expect(json.get("late")?.restart?.[1]).toMatch(/^maybe: restartTriggers → known after apply may restart/);
      expect(json.get("late")?.warnings).toEqual([expect.stringMatching(/^ep-\S+: .* may restart this compute/)]);
      for (const name of ["calm", "dns"]) expect(plain.get(name)).toBeUndefined();
      expect(diff.stdout + diff.stderr + JSON.stringify(document.diagnostics)).not.toContain("s3cret");
    },
    ENGINE_TEST_MS,
  );

  test(
    "refuse fails the preview, names the property and not the value",
    async () => {
      await story.ws.setConfig({ "compute:onRestart": "refuse" });
      const { stdout, stderr } = await story.ws.preview({ fails: true });
      expect(stdout + stderr).toContain("restartTriggers changed: if the compute is active it restarts");
      expect(stdout + stderr).not.toContain("s3cret");
      expect(requests(story.em)).toEqual([]);
      await story.ws.removeConfig("compute:onRestart");
    },
    ENGINE_TEST_MS,
  );

  test(
    "up sends one restart each, none beside a size, and waits",
    async () => {
      const { ws, em } = story;
      await ws.up({ args: ["--skip-preview"] });
      const ids = Object.fromEntries(await Promise.all(NAMES.map(async (name) => [await idOf(name), name])));
      const done = changes(em).filter(({ status }) => status !== 423);
      const short = done.map(({ line }) => line.replace(/ .*\/(ep-[^/]+)/, (_, id) => ` ${ids[id]}`)).sort();
      expect(short).toEqual([
        "PATCH sized",
        "POST first/restart",
        "POST hidden/restart",
        "POST late/restart",
        "POST plain/restart",
      ]);
      for (const id of Object.keys(ids)) {
        expect(em.world.endpoints[id]).toMatchObject({ current_state: "active" });
        expect(em.world.endpoints[id]!.pending_state).toBeUndefined();
      }
      await ws.preview({ args: ["--expect-no-changes"] });
      expect(requests(em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "a restart whose answer is lost for good is in the state, without a value, and the next up does not repeat it",
    async () => {
      const { ws, em } = story;
      const path = `/projects/*/endpoints/${await idOf("hidden")}/restart`;
      em.faults.add({ match: { method: "POST", path }, then: { status: 500, work: true } });
      em.faults.add({ match: { method: "POST", path }, times: 1000, then: { status: 500, work: false } });
      em.faults.add({ match: { method: "GET" }, times: 2, then: { headers: {} } });
      em.faults.add({ match: { method: "GET" }, times: 1000, then: { status: 503 } });
      const again = { ...CHANGED, hidden: "s3cret-c" };
      const text = program(again).replace(
        '[{ key: pulumi.secret("s3cret-c") }] });',
        '[{ key: pulumi.secret("s3cret-c") }] }, { customTimeouts: { update: "4s" } });',
      );
      await ws.setProgram(files(text));
      const failed = await ws.up({ args: ["--skip-preview"], fails: true });
      expect(failed.stdout + failed.stderr).toContain("run `pulumi up` again");
      em.faults.clear();
      const exported = await ws.export();
      expect(JSON.stringify(exported)).not.toContain("s3cret");
      const kept = await ws.resource("hidden");
      expect(kept.outputs).toMatchObject({ restartOwed: { wanted: "secret" } });
      em.requests.length = 0;
      const { stdout } = await ws.up({ args: ["--skip-preview"] });
      expect(stdout).toContain("is not restarted again");
      expect(changes(em)).toEqual([]);
      expect((await ws.resource("hidden")).outputs).not.toHaveProperty("restartOwed");
      await ws.preview({ args: ["--expect-no-changes"] });
      expect(story.printed()).not.toContain("s3cret");
    },
    ENGINE_TEST_MS,
  );
});
