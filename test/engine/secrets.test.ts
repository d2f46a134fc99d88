/** A whole run with a secret key and secret values, and a look into everything that is written or printed. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, changes, files, type Shown, type Story, shownInJson, shownInPlain, startStory } from "./support";

const KEY = "napi_3f9c61e7secretofthisstory";
const MEMORY = "73MB";
const NAME = "a-name-nobody-may-see";
const REGION = "wrong-region-nobody-may-see";

const program = (memory: string, more = "") => `
const config = new pulumi.Config("app");
const db = new Endpoint("db", {
  projectId, branchId: "br-db",
  size: config.requireSecretNumber("size"),
  name: pulumi.secret("${NAME}"),
  settings: { pgSettings: { work_mem: pulumi.secret("${memory}"), maintenance_work_mem: "128MB" } },
  ${more}
});
new Dependant("dns", { on: db.host });
new Endpoint("plain", { projectId, branchId: "br-plain", size: 1 });
exports.host = db.host;`;

describeWithEngine("secrets", (engine) => {
  let story: Story;
  const shown: Record<string, Shown | undefined> = {};
  const states: string[] = [];
  const failures: string[] = [];
  /** Of commands without `-v=9`, in which Pulumi's own SDK writes all inputs down. */
  let plainly = "";
  let sent: ReturnType<typeof changes>;
  let refreshed: string;
  const verbose = ["-v=9", "--logtostderr"];

  const keepState = async () => states.push(JSON.stringify(await story.ws.export()));

  beforeAll(async () => {
    story = await startStory(engine, {
      program: program(MEMORY),
      apiKey: KEY,
      account: false,
      before: (em) => {
        for (const id of ["br-db", "br-plain"]) addBranch(em, id);
      },
    });
    const { ws, em } = story;
    await ws.setConfig({ "compute:apiUrl": em.url }, { "compute:apiKey": KEY, "app:size": "13" });
    await ws.preview({ args: verbose });
    await ws.up({ args: ["--skip-preview", ...verbose] });
    await keepState();
    refreshed = (await ws.refresh({ args: ["--skip-preview", ...verbose] })).stdout;
    await keepState();
    const loud = story.printed().length;
    await ws.setConfig({}, { "app:size": "14" });
    em.requests.length = 0;
    shown["size"] = shownInJson((await ws.previewJson()).document).get("db");
    await ws.setProgram(files(program("74MB")));
    shown["both"] = shownInPlain((await ws.preview()).stdout).get("db");
    await ws.previewDiff();
    await ws.up({ args: ["--skip-preview"] });
    sent = changes(em);
    await keepState();
    // Failures repeat what the program says: one of the check, one of the update.
    for (const more of ["suspendTimeoutSeconds: pulumi.secret(59)", `regionId: pulumi.secret("${REGION}")`]) {
      await ws.setProgram(files(program("74MB", more)));
      failures.push((await ws.up({ args: ["--skip-preview"], fails: true })).stdout);
    }
    await keepState();
    plainly = story.printed().slice(loud);
    await ws.destroy({ args: ["--skip-preview", ...verbose] });
  }, 2 * ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test("the run did its work, with the secret values", () => {
    expect(sent).toEqual([
      expect.objectContaining({
        body: {
          endpoint: {
            autoscaling_limit_min_cu: 14,
            autoscaling_limit_max_cu: 14,
            settings: { pg_settings: { work_mem: "74MB", maintenance_work_mem: "128MB" } },
          },
        },
        status: 200,
      }),
    ]);
    expect(refreshed).toMatch(/Resources:\n {4}4 unchanged/);
  });

  describe.each([
    ["the key", KEY],
    ["a secret setting", MEMORY],
    ["a secret setting, changed", "74MB"],
    ["a secret name", NAME],
    ["a secret value that was refused", REGION],
  ])("%s", (_what, secret) => {
    test("is not in the state in clear", () => {
      expect(states).toHaveLength(4);
      for (const state of states) expect(state).not.toContain(secret);
    });

    test("is not in what any command printed", () => {
      expect(plainly).toContain("ep-");
      const text = secret === KEY ? story.printed() : plainly;
      expect(text.split("\n").find((line) => line.includes(secret))).toBeUndefined();
    });

    test("is not in the stack's file, nor in any that the engine keeps", async () => {
      const { folder, programFolder } = story.ws;
      const paths = [...(await filesIn(join(folder, "state"))), join(programFolder, "Pulumi.dev.yaml")];
      expect(paths.length).toBeGreaterThan(3);
      for (const path of paths) expect(await readFile(path, "utf8"), path).not.toContain(secret);
    });
  });

  test("a secret size stands nowhere in the state, and as no limit either", () => {
    for (const state of states) {
      const { inputs, outputs } = JSON.parse(state).deployment.resources.find((one: { urn: string }) =>
        one.urn.endsWith("::db"),
      );
      for (const values of [inputs, outputs]) {
        expect(values.size).toHaveProperty("ciphertext");
        expect(values).not.toHaveProperty("autoscalingLimitMaxCu");
        expect(values).not.toHaveProperty("autoscalingLimitMinCu");
      }
    }
  });

  test("marker and warning say that a secret value changes, and not from what to what", () => {
    const text = "size a secret value → another restarts this compute if it is active; open connections drop then";
    expect(shown["size"]).toMatchObject({
      op: "update",
      restart: ["no", `yes: ${text}`],
      warnings: [expect.stringContaining(": size a secret value → another restarts this compute")],
    });
    expect(shown["both"]?.warnings).toEqual([
      expect.stringMatching(
        /: size a secret value → another, settings\.pgSettings a secret value → another restart this compute/,
      ),
    ]);
  });

  test(
    "the key in plain config is warned of, and so is a name that is not known",
    async () => {
      const { ws } = story;
      await ws.setProgram(files(program("74MB")));
      await ws.setConfig({ "compute:apiKey": "a-key-in-plain-text", "compute:onRestrat": "refuse" });
      const { stdout } = await ws.preview();
      expect(stdout).toContain("compute:apiKey is in plain text in the stack's config and state.");
      expect(stdout).toContain(
        "compute:onRestrat in the stack's config is not known, and has no effect. Known settings: apiKey, apiUrl, onRestart,",
      );
    },
    ENGINE_TEST_MS,
  );
});

describeWithEngine("a secret value that the service repeats", (engine) => {
  test(
    "is hidden in what is printed and in what the state keeps of a failure",
    async () => {
      const token = "token-nobody-may-see";
      const db = (value: string) => `
new Endpoint("db", { projectId, branchId: "br-db", settings: { pgSettings: { "app.token": ${value} } } },
  { customTimeouts: { update: "4s" } });`;
      const story = await startStory(engine, { program: db('"x"'), before: (em) => addBranch(em, "br-db") });
      try {
        const { ws, em } = story;
        await ws.up({ args: ["--skip-preview"] });
        await ws.setProgram(files(db(`pulumi.secret("${token}")`)));
        const body = { message: `can't apply app.token = "${token}"` };
        em.faults.add({ match: { method: "PATCH" }, times: 100, then: { status: 500, body } });
        const { stdout } = await ws.up({ args: ["--skip-preview"], fails: true });
        const state = JSON.stringify(await ws.export());
        for (const text of [stdout, state]) {
          expect(text).toContain("can't apply app.token = ");
          expect(text).not.toContain(token);
        }
      } finally {
        await story.close();
      }
    },
    ENGINE_TEST_MS,
  );
});

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}
