/** What a preview's warning says of the moment: from one request a project, and never in the marker. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { inJson, type Parsed } from "../cli/report/support";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, files, requests, SEED, type Story, shownInJson, startStory } from "./support";

const LIST = `GET /projects/${SEED.projectId}/endpoints`;
const NAMES = ["used", "idle", "stopped"];
const UNTOLD = Object.fromEntries(
  NAMES.map((name) => [name, "restarts this compute if it is active; open connections drop then."]),
);
const program = (args: string) =>
  files(NAMES.map((name) => `new Endpoint("${name}", { projectId, branchId: "br-${name}", ${args} });`).join("\n"));

describeWithEngine("a preview's warning", (engine) => {
  let story: Story;
  const idOf = async (name: string) => (await story.ws.resource(name)).id!;
  const preview = async () => {
    const { document } = await story.ws.previewJson();
    const shown = shownInJson(document);
    const words = Object.fromEntries(
      NAMES.map((name) => [name, /size 1 → 2 (.*)$/.exec(shown.get(name)!.warnings[0]!)?.[1]]),
    );
    const markers = NAMES.map((name) => shown.get(name)!.restart![1]);
    const stack = (document.diagnostics ?? []).filter(({ message }) => message.includes("could not look"));
    return { words, markers, asked: requests(story.em), document, stack };
  };

  beforeAll(async () => {
    story = await startStory(engine, {
      program: "",
      config: { "compute:liveNotices": "true" },
      before: (em) => {
        for (const name of NAMES) addBranch(em, `br-${name}`);
      },
    });
    const { ws, em } = story;
    await ws.setProgram(program("size: 1"));
    await ws.up({ args: ["--skip-preview"] });
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    Object.assign(em.world.endpoints[await idOf("used")]!, {
      last_active: hourAgo,
      started_at: hourAgo,
      // Else it would be idle by now.
      suspend_timeout_seconds: -1,
    });
    Object.assign(em.world.endpoints[await idOf("idle")]!, { current_state: "idle" });
    em.world.endpoints[await idOf("stopped")]!.last_active = "2000-01-01T00:00:00Z";
    requests(em);
    await ws.setProgram(program("size: 2"));
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "says what is true right now, with one request for the project",
    async () => {
      const { words, markers, asked } = await preview();
      expect(words).toEqual({
        used: expect.stringMatching(
          /^restarts this compute\. It is active \(last used 1 h( \d+ (s|min))? ago\): open connections drop\.$/,
        ),
        idle: "takes effect at the next start. It is idle now: nothing drops.",
        stopped: "restarts this compute. It is active: open connections drop.",
      });
      expect(asked).toEqual([LIST]);
      // The same for all, whatever is true right now.
      expect(new Set(markers)).toEqual(
        new Set([expect.stringMatching(/^yes: size 1 → 2 restarts this compute if it is active/)]),
      );
    },
    ENGINE_TEST_MS,
  );

  test(
    "asks nothing where nothing restarts, and in no up",
    async () => {
      const { ws } = story;
      await ws.setProgram(program("size: 1, suspendTimeoutSeconds: 600"));
      await ws.previewJson();
      expect(requests(story.em)).toEqual([]);
      await ws.setProgram(program("size: 2"));
    },
    ENGINE_TEST_MS,
  );

  test(
    "is silent of it where it is turned off",
    async () => {
      await story.ws.setConfig({ "compute:liveNotices": "false" });
      expect(await preview()).toMatchObject({
        words: UNTOLD,
        asked: [],
      });
      await story.ws.setConfig({ "compute:liveNotices": "true" });
    },
    ENGINE_TEST_MS,
  );

  const failing = [
    ["the service fails", { status: 503 }],
    ["the service is slow", { delayMs: 60_000 }],
    ["something else answers", { status: 200, body: "<html>Sign in</html>" }],
  ] as const;
  test.each(failing)(
    "is silent of it where %s, after one try, and the stack says once that nobody could look",
    async (_rule, then) => {
      const { em } = story;
      em.faults.add({ match: {}, times: 100, then });
      const { words, asked, stack, document } = await preview();
      expect([words, asked]).toEqual([UNTOLD, [LIST]]);
      expect(stack).toEqual([
        expect.objectContaining({
          severity: "warning",
          message: expect.stringMatching(/this preview could not look at the service, so .*: GET \/projects\//),
        }),
      ]);
      expect((await inJson(document)).exitCode).toBe(3);
      em.faults.clear();
    },
    ENGINE_TEST_MS,
  );

  test.each([401, 403])(
    "says that `up` will fail where the key is refused with %i, after one try",
    async (status) => {
      const { em, ws } = story;
      em.faults.add({ match: {}, times: 100, then: { status } });
      const { words, asked, stack, document } = await preview();
      const fails = ` But the service refuses the key (${status}): \`up\` will fail. Check COMPUTE_API_KEY (environment).`;
      expect(words).toEqual(Object.fromEntries(NAMES.map((name) => [name, UNTOLD[name] + fails])));
      expect([asked, stack]).toEqual([[LIST], []]);
      const { stacks, exitCode } = await inJson(document);
      expect(exitCode).toBe(2);
      expect(stacks[0].computes.map(({ upFails }: Parsed) => upFails.why)).toEqual(
        NAMES.map(() => expect.stringContaining(`refuses the key (${status})`)),
      );
      expect((await ws.up({ args: ["--skip-preview"], fails: true })).stdout).toContain(`answered ${status}`);
      em.faults.clear();
      requests(em);
    },
    ENGINE_TEST_MS,
  );

  test(
    "says nothing of a refused key where nothing changes",
    async () => {
      const { em, ws } = story;
      await ws.setProgram(program("size: 1"));
      em.faults.add({ match: {}, times: 100, then: { status: 401 } });
      const { document } = await ws.previewJson();
      expect((await inJson(document)).exitCode).toBe(0);
      em.faults.clear();
      requests(em);
      await ws.setProgram(program("size: 2"));
    },
    ENGINE_TEST_MS,
  );

  test(
    "is silent of it where there is no key",
    async () => {
      const shown = await story.ws.previewJson({ env: { COMPUTE_API_KEY: "", COMPUTE_API_URL: "" } });
      const { warnings } = shownInJson(shown.document).get("used")!;
      expect(warnings).toEqual([expect.stringContaining(UNTOLD["used"]!)]);
      expect(requests(story.em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );
});
