/** Two copies of Pulumi's SDK: an inline program of the Automation API would wait for ever, and one of the CLI does not mind. */
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../../emulator/index.js";
import { run } from "../../../tools/engine/run";
import { describeWithEngine, ENGINE_TEST_MS } from "../../support/engine";
import { ROOT } from "./trees";

const USES: Record<string, string> = {
  "a compute": `new Endpoint("one", at)`,
  "a provider": `new Provider("own", { apiKey: "some-key" })`,
  "a look-up": `listEndpointsOutput({ projectId: at.projectId })`,
  "a look-up that is awaited": `await listEndpoints({ projectId: at.projectId })`,
};
const HEAD = `
const { Endpoint, Provider, listEndpoints, listEndpointsOutput } = require("pulumi-compute-endpoint");
const at = { projectId: "${SEED.projectId}", branchId: "${SEED.branches.dev}", size: 1 };
`;
const INLINE = `${HEAD}
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const program = async () => { ${"USE"}; };
(async () => {
  const stack = await LocalWorkspace.createOrSelectStack({ stackName: "dev", projectName: "inline", program }, {
    projectSettings: { name: "inline", runtime: "nodejs", main: __dirname },
  });
  await stack.preview();
})().then(() => console.log("done"), (error) => { console.log(error.message); process.exit(1); });`;

describeWithEngine("two copies of @pulumi/pulumi", (engine) => {
  let folder: string;
  let em: RunningEmulator;
  const program = () => join(folder, "program");

  beforeAll(async () => {
    em = await startEmulator();
    folder = await realpath(await mkdtemp(join(tmpdir(), "compute-endpoint-copies-")));
    const modules = join(program(), "node_modules");
    for (const name of ["state", "home", "program/node_modules/@pulumi"]) {
      await mkdir(join(folder, name), { recursive: true });
    }
    // The package is linked, so it finds the repository's copy; the program has one of its own.
    for (const name of await readdir(join(ROOT, "node_modules"))) {
      if (name !== "@pulumi" && name !== ".bin") await symlink(join(ROOT, "node_modules", name), join(modules, name));
    }
    await cp(join(ROOT, "node_modules/@pulumi/pulumi"), join(modules, "@pulumi/pulumi"), {
      recursive: true,
      dereference: true,
    });
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await em?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const start = (command: string, args: string[]) =>
    run(command, args, {
      cwd: program(),
      env: {
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PULUMI|COMPUTE|NEON)_/.test(name))),
        PATH: `${engine.binDir}${delimiter}${process.env["PATH"]}`,
        PULUMI_BACKEND_URL: `file://${folder}/state`,
        PULUMI_HOME: join(folder, "home"),
        PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
        PULUMI_SKIP_UPDATE_CHECK: "true",
        COMPUTE_API_KEY: em.apiKey,
        COMPUTE_API_URL: em.url,
      },
      limitMs: 60_000,
    });

  test.each(Object.entries(USES))(
    "inline, for %s: an error that names both",
    async (_what, use) => {
      await writeFile(join(program(), "inline.js"), INLINE.replace("USE", use));
      const { code, stdout } = await start(process.execPath, ["inline.js"]);
      const paths = [join(program(), "node_modules/@pulumi/pulumi"), join(ROOT, "node_modules/@pulumi/pulumi")];
      expect([code, stdout]).toEqual([1, expect.stringContaining("two copies of @pulumi/pulumi")]);
      for (const path of paths) expect(stdout).toContain(path);
    },
    ENGINE_TEST_MS,
  );

  test(
    "under the CLI: each has its own connection, and all is well",
    async () => {
      await writeFile(join(program(), "package.json"), JSON.stringify({ private: true, main: "index.js" }));
      await writeFile(
        join(program(), "index.js"),
        `${HEAD}module.exports = async () => { ${Object.values(USES).join(";\n")}; };`,
      );
      await writeFile(
        join(program(), "Pulumi.yaml"),
        "name: cli\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n",
      );
      await start("pulumi", ["stack", "init", "dev"]);
      const { code, stdout, stderr } = await start("pulumi", ["preview", "--non-interactive"]);
      expect(code, stdout + stderr).toBe(0);
      expect(stdout).toContain("3 to create");
    },
    ENGINE_TEST_MS,
  );
});
