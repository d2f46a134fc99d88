/** Keys that lose their rights while a stack lives: the state keeps what is there, and a good key finishes without a second one. */
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { describeWithEngine, ENGINE_TEST_MS, type StateResource } from "../support/engine";
import { type Account, type Stack, startAccount, startStack } from "./account";
import { addBranch, changes, PROJECT } from "./support";

const SKIP = ["--skip-preview"];
const isEndpoint = ({ type }: StateResource) => type.endsWith(":Endpoint");

describeWithEngine("a key that loses its rights", (engine) => {
  let home: Account;
  let away: Account;
  let stack: Stack;
  const env = () => ({ COMPUTE_API_KEY: home.key.key, COMPUTE_API_URL: home.url });
  const up = async (fails = false, args: string[] = []) =>
    (await stack.ws.up({ args: [...SKIP, ...args], env: env(), fails })).stdout;
  const on = ({ em }: Account, branch: string) =>
    Object.values(em.world.endpoints).filter((one) => one.branch_id === branch);
  const inState = async () =>
    ((await stack.ws.export()).deployment.resources ?? []).filter(isEndpoint).sort((a, b) => (a.urn < b.urn ? -1 : 1));
  const made = (name: string, args = "size: 1") =>
    `new Endpoint("${name}", { projectId, branchId: "br-${name}", ${args} });`;
  const there = (size: number) => `
const away = new Provider("away", { apiKey: "${away.key.key}", apiUrl: "${away.url}" });
new Endpoint("there", { projectId, branchId: "br-there", size: ${size} }, { provider: away });`;

  beforeAll(async () => {
    [home, away] = await Promise.all([startAccount("key-of-home-1"), startAccount("key-of-away-1")]);
    for (const name of ["a", "b", "c"]) addBranch(home.em, `br-${name}`);
    addBranch(away.em, "br-there");
    stack = await startStack(engine);
  }, ENGINE_TEST_MS);
  beforeEach(() => void changes(home.em));
  afterAll(async () => {
    await stack?.ws.close();
    await Promise.all([home?.em.close(), away?.em.close()]);
  });

  test(
    "revoked in the middle of a create's wait: the error says what the state holds, and a good key finishes it",
    async () => {
      const { em, key } = home;
      em.faults.add({ operation: { action: "start_compute", then: "never" } });
      await stack.use(made("a"));
      const run = up(true);
      while (!em.requests.some(({ path }) => path.includes("/operations/"))) await sleep(25);
      key.key = "key-of-home-2";
      const stdout = await run;
      const { id } = on(home, "br-a")[0]!;
      expect(stdout).toMatch(
        /the service answered 401: supplied credentials do not pass authentication \(the key comes from COMPUTE_API_KEY/,
      );
      expect(stdout).toContain(`Compute ${id} of project ${PROJECT} is kept in the state`);
      expect(await inState()).toMatchObject([{ id, outputs: { unfinished: [expect.any(String)] } }]);
      em.faults.clear();
      await up();
      expect(changes(em).map(({ line }) => line)).toEqual([`POST /projects/${PROJECT}/endpoints`]);
      expect(on(home, "br-a")).toMatchObject([{ id, current_state: "active" }]);
      expect((await inState())[0]!.outputs).not.toHaveProperty("unfinished");
    },
    ENGINE_TEST_MS,
  );

  test(
    "that may only read: refresh works, create, update and delete change neither service nor state, a good key does each once",
    async () => {
      const { em } = home;
      await stack.use(made("a") + made("b"));
      await up();
      changes(em);
      const before = await inState();
      for (const method of ["POST", "PATCH", "DELETE"]) {
        em.faults.add({
          match: { method },
          times: 100,
          then: { status: 403, body: { code: "", message: "read only" } },
        });
      }
      await stack.ws.refresh({ args: SKIP, env: env() });
      for (const program of [made("a", "size: 2") + made("b") + made("c"), made("b")]) {
        await stack.use(program);
        expect(await up(true)).toMatch(/the service answered 403: read only/);
      }
      expect((await inState()).map(({ id, inputs }) => [id, inputs])).toEqual(
        before.map(({ id, inputs }) => [id, inputs]),
      );
      expect(on(home, "br-c")).toEqual([]);
      em.faults.clear();
      changes(em);
      await stack.use(made("b", "size: 2") + made("c"));
      await up();
      expect(
        changes(em)
          .map(({ line }) => line.split(" ")[0])
          .sort(),
      ).toEqual(["DELETE", "PATCH", "POST"]);
      expect((await inState()).map(({ id }) => id).sort()).toEqual(
        [on(home, "br-b")[0]!.id, on(home, "br-c")[0]!.id].sort(),
      );
    },
    ENGINE_TEST_MS,
  );

  test(
    "beside another one, each of an instance of its own: what the good one reaches is done, and the rest with the next up",
    async () => {
      await stack.use(made("b", "size: 2") + made("c") + there(1));
      await up();
      const { id } = on(away, "br-there")[0]!;
      away.key.key = "key-of-away-2";
      const stale = there(2).replace("key-of-away-2", "key-of-away-1");
      await stack.use(made("b", "size: 2") + made("c", "size: 2") + stale);
      // Without the flag the engine starts nothing more after the first failure, whichever of the two comes first.
      expect(await up(true, ["--continue-on-error"])).toMatch(
        /401: supplied credentials .* apiKey of the Provider "away"/,
      );
      expect(on(home, "br-c")).toMatchObject([{ autoscaling_limit_max_cu: 2 }]);
      expect(on(away, "br-there")).toMatchObject([{ id, autoscaling_limit_max_cu: 1 }]);
      await stack.use(made("b", "size: 2") + made("c", "size: 2") + there(2));
      changes(home.em);
      await up();
      expect(changes(home.em)).toEqual([]);
      expect(on(away, "br-there")).toMatchObject([{ id, autoscaling_limit_max_cu: 2 }]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "a destroy without the program's files gets a new key from the environment; without the package it changes nothing",
    async () => {
      const { ws } = stack;
      await stack.use(made("b", "size: 2") + made("c", "size: 2"));
      await up();
      home.key.key = "key-of-home-3";
      for (const file of ["index.js", "dependant.js"]) await rm(join(ws.programFolder, file));
      const [modules, aside] = [join(ws.programFolder, "node_modules"), join(ws.folder, "aside")];
      await rename(modules, aside);
      changes(home.em);
      const { stdout } = await ws.destroy({ args: SKIP, env: env(), fails: true });
      expect(stdout).toMatch(/Cannot find module|could not find|not found/);
      expect(changes(home.em)).toEqual([]);
      expect(await inState()).toHaveLength(2);
      await rename(aside, modules);
      await ws.destroy({ args: SKIP, env: env() });
      expect(Object.keys(home.em.world.endpoints)).toEqual([SEED.primaryId]);
      expect(await inState()).toEqual([]);
      expect(stack.printed()).not.toMatch(/key-of-/);
    },
    ENGINE_TEST_MS,
  );
});
