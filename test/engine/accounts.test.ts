/** Accounts as programs have them: several in one stack, keys that change, keys that reach one project, and bad pairs. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { describeWithEngine, ENGINE_TEST_MS, type PreviewStep } from "../support/engine";
import { type Account, type Stack, startAccount, startStack } from "./account";
import { requests } from "./support";

const opsIn = (steps: PreviewStep[] = []) =>
  Object.fromEntries(steps.filter(({ op }) => op !== "same").map(({ urn, op }) => [urn.split("::").at(-1), op]));

const REFUSED = /the service answered 401: supplied credentials do not pass authentication \(the key comes from /;

describeWithEngine("two accounts in one stack", (engine) => {
  let home: Account;
  let away: Account;
  let stack: Stack;

  beforeAll(async () => {
    [home, away] = await Promise.all([startAccount("key-of-home-1"), startAccount("key-of-away-1")]);
    stack = await startStack(engine, { COMPUTE_API_KEY: home.key.key, COMPUTE_API_URL: home.url });
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await stack?.ws.close();
    await Promise.all([home?.em.close(), away?.em.close()]);
  });

  /** `here` is a compute of home's and `there` one of away's: both accounts hold the same ids. */
  const program = ({ max = 2, here = "{}", there = "{ provider: away }", more = "" } = {}) => `
const home = () => new Provider("home", { apiKey: "${home.key.key}", apiUrl: "${home.url}" });
const away = new Provider("away", { apiKey: "${away.key.key}", apiUrl: "${away.url}" });
const args = { projectId, branchId, adopt: true, autoscalingLimitMinCu: 1 };
new Endpoint("here", { ...args, autoscalingLimitMaxCu: 2 }, ${here});
const there = new Endpoint("there", { ...args, autoscalingLimitMaxCu: ${max} }, ${there});
new Endpoint("made", { projectId, branchId, type: "read_only", size: 1 }, { provider: away });
new Dependant("on-there", { on: there.host });
${more}`;
  const IN_COMPONENT = `
class Shop extends pulumi.ComponentResource {
  constructor(name, opts) {
    super("test:index:Shop", name, {}, opts);
    new Endpoint("replica", { projectId, branchId, type: "read_only", size: 2 }, { parent: this });
    this.size = getEndpointOutput({ projectId, id: "${SEED.primaryId}" }, { parent: this }).autoscalingLimitMaxCu;
    this.registerOutputs({ size: this.size });
  }
}
exports.awaySize = new Shop("shop", { providers: [away] }).size;
exports.homeSize = getEndpointOutput({ projectId, id: "${SEED.primaryId}" }).autoscalingLimitMaxCu;
`;
  const limits = ({ em }: Account) => {
    const { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max } = em.world.endpoints[SEED.primaryId]!;
    return [min, max];
  };
  const quiet = () => expect([requests(home.em), requests(away.em)]).toEqual([[], []]);

  test(
    "each compute is changed with its own key, and a second up asks nobody",
    async () => {
      await stack.use(program({ max: 4 }));
      await stack.ws.up({ args: ["--skip-preview"] });
      expect([limits(home), limits(away)]).toEqual([
        [1, 2],
        [1, 4],
      ]);
      for (const { em } of [home, away]) {
        expect(em.requests.map(({ status }) => status)).not.toContain(401);
        expect(em.requests.filter(({ method }) => method === "PATCH")).toHaveLength(1);
        requests(em);
      }
      await stack.ws.up({ args: ["--expect-no-changes"] });
      quiet();
      expect(JSON.stringify(await stack.ws.export())).not.toMatch(/key-of-/);
    },
    ENGINE_TEST_MS,
  );

  test(
    "a restart of an instance's compute is announced, refused by the stack's config, and leaves its dependant alone",
    async () => {
      await stack.use(program({ max: 8 }));
      const { document } = await stack.ws.previewJson();
      expect(opsIn(document.steps)).toEqual({ there: "update" });
      expect(document.diagnostics).toMatchObject([
        { severity: "warning", message: expect.stringMatching(/autoscalingLimitMaxCu 4 → 8.* It is active/) },
      ]);
      // Asked with the instance's key.
      expect([requests(home.em), requests(away.em)]).toEqual([[], [`GET /projects/${SEED.projectId}/endpoints`]]);
      await stack.ws.setConfig({ "compute:onRestart": "refuse" });
      const { stdout } = await stack.ws.preview({ fails: true });
      expect(stdout).toContain('onRestart is "refuse"');
      await stack.ws.removeConfig("compute:onRestart");
      quiet();
    },
    ENGINE_TEST_MS,
  );

  test(
    "a component hands its instance to its computes, and with `parent` to its look-ups",
    async () => {
      await stack.use(program({ max: 4, more: IN_COMPONENT }));
      await stack.ws.up({ args: ["--skip-preview"] });
      expect(await stack.ws.outputs()).toEqual({ awaySize: 4, homeSize: 2 });
      const replicas = ({ em }: Account) =>
        Object.values(em.world.endpoints).filter(({ type }) => type === "read_only").length;
      expect([replicas(home), replicas(away)]).toEqual([0, 2]);
      await stack.use(program({ max: 4 }));
      await stack.ws.up({ args: ["--skip-preview"] });
      expect([replicas(home), replicas(away)]).toEqual([0, 1]);
      for (const { em } of [home, away]) requests(em);
    },
    ENGINE_TEST_MS,
  );

  test(
    "a move to an instance of the same account, and back, is no change of the compute",
    async () => {
      for (const [here, op] of [
        ["{ provider: home() }", "create"],
        ["{}", "delete"],
      ] as const) {
        await stack.use(program({ max: 4, here }));
        const { document } = await stack.ws.previewJson();
        expect(opsIn(document.steps)).toEqual({ home: op });
        await stack.ws.up({ args: ["--skip-preview"] });
        quiet();
      }
      await stack.ws.refresh({ args: ["--skip-preview"] });
      expect(home.em.requests.map(({ status }) => status)).toEqual([200]);
      for (const { em } of [home, away]) requests(em);
    },
    ENGINE_TEST_MS,
  );

  test(
    "a new key is an update of the instance alone; what runs without the program has the old one, and says so",
    async () => {
      away.key.key = "key-of-away-2";
      const refreshed = await stack.ws.refresh({ fails: true });
      expect(refreshed.stdout).toMatch(REFUSED);
      expect(refreshed.stdout).toContain(
        'apiKey of the Provider "away"; `pulumi refresh` and `pulumi destroy` use the key of the last `pulumi up`',
      );
      expect(requests(away.em)).toHaveLength(1);
      requests(home.em);

      await stack.use(program({ max: 4 }));
      const { document } = await stack.ws.previewJson();
      expect(opsIn(document.steps)).toEqual({ away: "update" });
      // Still the old one in the state, but the program is asked for the new one.
      await stack.ws.refresh({ args: ["--skip-preview", "--run-program"] });
      expect(requests(away.em)).toHaveLength(1);
      await stack.ws.up({ args: ["--skip-preview"] });
      await stack.ws.refresh({ args: ["--skip-preview"] });
      expect(away.em.requests.map(({ status }) => status)).toEqual([200]);
      for (const { em } of [home, away]) requests(em);
    },
    ENGINE_TEST_MS,
  );

  test(
    "a key that the preview does not know leaves the warning, and the dependants in peace",
    async () => {
      const unknown = (on: number, max: number) =>
        program({ max })
          .replace("const away", `const source = new Dependant("source", { on: ${on}, echo: undefined });\nconst away`)
          .replace(`apiKey: "${away.key.key}"`, `apiKey: source.echo.apply(() => "${away.key.key}")`);
      await stack.use(unknown(1, 4));
      await stack.ws.up({ args: ["--skip-preview"] });
      await stack.use(unknown(2, 8));
      const { document } = await stack.ws.previewJson();
      expect(opsIn(document.steps)).toEqual({ source: "update", away: "update", there: "update", made: "update" });
      expect(document.diagnostics?.map(({ message }) => message)).toEqual(
        expect.arrayContaining([
          expect.stringContaining("restarts this compute"),
          expect.stringContaining("inputs that are not known during preview"),
        ]),
      );
      const plain = `listEndpoints({ projectId }, { provider: away });`;
      await stack.use(unknown(2, 8) + plain);
      const { stdout } = await stack.ws.preview({ fails: true });
      expect(stdout).toContain("is not known in this preview yet: use the look-up's …Output form");
      await stack.use(unknown(1, 4));
      for (const { em } of [home, away]) requests(em);
    },
    ENGINE_TEST_MS,
  );

  test(
    "destroy after another new key gets it from the program",
    async () => {
      away.key.key = "key-of-away-3";
      const refused = await stack.ws.destroy({ args: ["--skip-preview"], fails: true });
      expect(refused.stdout).toMatch(REFUSED);
      expect((await stack.ws.resource("made")).id).toMatch(/^ep-/);
      await stack.use(program({ max: 4 }));
      await stack.ws.destroy({ args: ["--skip-preview", "--run-program"] });
      expect((await stack.ws.export()).deployment.resources ?? []).toEqual([]);
      expect(Object.keys(away.em.world.endpoints)).toEqual([SEED.primaryId]);
    },
    ENGINE_TEST_MS,
  );

  test("no key stands in anything that was printed", () => {
    expect(stack.printed()).toContain("compute:instanceApiKey");
    expect(stack.printed()).not.toMatch(/key-of-/);
  });
});
