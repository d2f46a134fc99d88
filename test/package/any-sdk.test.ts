/**
 * The packed package with the clone's `@pulumi/pulumi`, on the real engine: what a user of that version gets. `.ci/run` runs
 * it with the oldest and the newest version of the peer range as well.
 */
import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import { PROVIDER_TEXT } from "../../sdk/literal.js";
import { changes, requests, shownInJson } from "../engine/support";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../support/engine";
import { install } from "./installed";
import { ROOT } from "./snippets";

const program = (size: number, type = "read_only") => `
import * as pulumi from "@pulumi/pulumi";
import { Endpoint, type EndpointArgs, getEndpointOutput, Provider } from "pulumi-compute-endpoint";

const at = { projectId: "${SEED.projectId}", branchId: "${SEED.branches.main}" };
const account = new Provider("account", {
  apiKey: pulumi.secret(process.env["INSTANCE_KEY"] ?? ""),
  apiUrl: process.env["INSTANCE_URL"],
});
const args: EndpointArgs = { ...at, adopt: true, size: ${size}, onDelete: "release" };
const primary = new Endpoint("primary", args, { customTimeouts: { update: "5m" } });
class Service extends pulumi.ComponentResource {
  readonly host: pulumi.Output<string>;
  constructor(name: string) {
    super("test:index:Service", name);
    const replica = new Endpoint("replica", { projectId: primary.projectId, branchId: "${SEED.branches.dev}", type: "${type}" },
      { parent: this, provider: account });
    this.host = replica.host;
  }
}
export const host = primary.host;
export const uri = pulumi.secret(pulumi.interpolate\`postgres://\${new Service("service").host}/db\`);
export const state = getEndpointOutput({ projectId: primary.projectId, id: primary.id }).currentState;
`;

describeWithEngine("the packed package", (engine) => {
  let em: RunningEmulator;
  let ws: Workspace;
  let version: string;
  const restarts = "size 1 → 2 restarts this compute";

  beforeAll(async () => {
    em = await startEmulator({ operationMs: 50 });
    ({ version } = JSON.parse(await readFile(join(ROOT, "node_modules/@pulumi/pulumi/package.json"), "utf8")));
    const account = { INSTANCE_KEY: em.apiKey, INSTANCE_URL: em.url };
    const env = { COMPUTE_API_URL: em.url, COMPUTE_API_KEY: em.apiKey, ...account };
    ws = await Workspace.create(engine, { program: program(1), typescript: true, env });
    const modules = join(ws.programFolder, "node_modules");
    const it = await install();
    await rm(join(modules, "pulumi-compute-endpoint"));
    for (const name of ["pulumi-compute-endpoint", "undici", "zod"]) {
      await cp(join(it.folder, "node_modules", name), join(modules, name), { recursive: true });
    }
    await it.remove();
  }, 2 * ENGINE_TEST_MS);
  afterAll(async () => {
    await ws?.close();
    await em?.close();
  });

  test(
    "comes up, type-checked, and a second time there is nothing to do",
    async () => {
      console.log(`@pulumi/pulumi ${version} on Node.js ${process.version}`);
      const { document } = await ws.previewJson();
      expect(document.changeSummary).toEqual({ create: 5 });
      await ws.up({ args: ["--skip-preview"] });
      expect(
        changes(em)
          .map(({ line }) => line.split(" ")[0])
          .sort(),
      ).toEqual(["PATCH", "POST"]);
      expect((await ws.resource("primary")).inputs).toMatchObject({
        __provider: PROVIDER_TEXT,
        restart: expect.any(String),
      });
      await ws.up({ args: ["--skip-preview", "--expect-no-changes"] });
      // The look-up asks for what is live at each run; the computes themselves ask nothing.
      expect(requests(em)).toEqual([`GET /projects/${SEED.projectId}/endpoints/${SEED.primaryId}`]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "announces a restart in the diff and at the resource, and nothing that depends on the host changes",
    async () => {
      await ws.setProgram({ "index.ts": program(2) });
      const { document } = await ws.previewJson();
      const shown = shownInJson(document);
      expect(document.changeSummary).toEqual({ same: 4, update: 1 });
      expect(shown.get("primary")).toMatchObject({
        op: "update",
        changed: ["restart", "size"],
        restart: [expect.stringMatching(/^(no|maybe)/), `yes: ${restarts} if it is active; open connections drop then`],
        warnings: [expect.stringContaining(`${SEED.primaryId}: ${restarts}. It is active`)],
      });
      em.requests.length = 0;
      await ws.up({ args: ["--skip-preview"] });
      expect(changes(em).map(({ line, body }) => [line.split(" ")[0], body])).toEqual([
        ["PATCH", { endpoint: { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 } }],
      ]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "announces a new host, sees what drifted, and goes away again",
    async () => {
      await ws.setProgram({ "index.ts": program(2, "read_write") });
      const shown = shownInJson((await ws.previewJson()).document).get("replica");
      expect(shown).toMatchObject({
        op: "replace",
        restart: ["no", expect.stringMatching(/^yes: type read_only → read_write replaces this compute/)],
        warnings: [expect.stringMatching(/: type read_only → read_write replaces this compute/)],
      });
      Object.assign(em.world.endpoints[SEED.primaryId]!, { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 });
      await ws.refresh({ args: ["--skip-preview"] });
      expect((await ws.resource("primary")).inputs).toMatchObject({ size: 4 });
      changes(em);
      await ws.destroy({ args: ["--skip-preview"] });
      expect(changes(em).map(({ line }) => line.split(" ")[0])).toEqual(["DELETE"]);
      expect(await ws.leftBehind()).toEqual([]);
    },
    ENGINE_TEST_MS,
  );
});
