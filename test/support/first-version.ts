/** The first version of the package and a state that it wrote: `test/fixtures/upgrade`. */
import { execFile } from "node:child_process";
import { mkdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import type { Workspace } from "../../tools/engine/workspace";

const FIXTURE = resolve(__dirname, "../fixtures/upgrade");

/** The stack's program, the same for all versions: a primary, a replica of an account of its own, and secrets. */
export const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const { Endpoint, Provider } = require("pulumi-compute-endpoint");
const memory = new pulumi.Config("app").requireSecret("memory");
const projectId = "${SEED.projectId}";
const eu = new Provider("eu", { apiKey: process.env.COMPUTE_API_KEY, apiUrl: process.env.COMPUTE_API_URL });
const primary = new Endpoint("primary", {
  projectId, branchId: "${SEED.branches.dev}",
  autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2, suspendTimeoutSeconds: 600,
  settings: { pgSettings: { work_mem: memory } },
  restartTriggers: ["first", { maintenance: 1 }],
}, { customTimeouts: { update: "5m" } });
new Endpoint("adopted", { projectId, branchId: "${SEED.branches.main}", adopt: true });
new Endpoint("replica", { projectId: primary.projectId, branchId: primary.branchId, type: "read_only", size: 1, name: "replica" }, { provider: eu });
exports.host = primary.host;
exports.secretHost = pulumi.secret(primary.poolerHost);
`;

export const startService = (): Promise<RunningEmulator> =>
  startEmulator({ operationMs: 50, apiKey: "key-of-the-first-version" });

/** Puts the computes that the state names into the service. */
export async function restore(em: RunningEmulator): Promise<void> {
  em.world.endpoints = JSON.parse(await readFile(join(FIXTURE, "endpoints.json"), "utf8"));
}

/** The state that the first version wrote, with the address of this service. */
export async function stateOf(em: RunningEmulator): Promise<string> {
  return (await readFile(join(FIXTURE, "state.json"), "utf8")).replaceAll("URL_OF_THE_SERVICE", em.url);
}

/** Unpacks the first version where Node.js finds it from the program's folder, or from a folder above it. */
export async function installTarball(ws: Workspace, above = false): Promise<string> {
  const folder = join(above ? ws.folder : ws.programFolder, "node_modules", "pulumi-compute-endpoint");
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const tarball = join(FIXTURE, "pulumi-compute-endpoint-0.1.0.tgz");
  await promisify(execFile)("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
  return folder;
}
