/** What the stories on the real engine share: an emulator, a stack, and something that depends on a compute. */
import { type EmulatorOptions, type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import type { Engine } from "../../tools/engine/index";
import { type CommandOptions, Workspace } from "../../tools/engine/workspace";

export { SEED };
export const PROJECT = SEED.projectId;
export const MAIN = SEED.branches.main;

export interface Story {
  em: RunningEmulator;
  ws: Workspace;
  /** Everything that any command printed so far. */
  printed(): string;
  close(): Promise<void>;
}

export interface StoryOptions extends EmulatorOptions {
  program: string;
  /** More plain config. */
  config?: Record<string, string>;
  /** Key and URL as variables of the environment. @default true */
  account?: boolean;
  /** Folders of further language hosts. */
  hosts?: string[];
  /** Writes to the emulator's world before the first command. */
  before?: (em: RunningEmulator) => void;
}

/** Milliseconds an operation takes: long enough to be waited for, short enough for twenty of them. */
const OPERATION_MS = 50;

export async function startStory(engine: Engine, options: StoryOptions): Promise<Story> {
  const { program, config = {}, account = true, hosts, before, ...rules } = options;
  const em = await startEmulator({ operationMs: OPERATION_MS, apiKey: "key-of-this-story", ...rules });
  before?.(em);
  const env = account ? { COMPUTE_API_KEY: em.apiKey, COMPUTE_API_URL: em.url } : {};
  let said = "";
  let ws: Workspace | undefined;
  const close = async () => {
    await ws?.close();
    await em.close();
  };
  try {
    ws = await Workspace.create(engine, { program: files(program), env, ...(hosts ? { hosts } : {}) });
    const run = ws.pulumi.bind(ws);
    ws.pulumi = async (args: readonly string[], more?: CommandOptions) =>
      run(args, {
        ...more,
        onOutput: (chunk, stream) => {
          said += chunk;
          more?.onOutput?.(chunk, stream);
        },
      });
    await ws.setConfig({ "compute:pollSeconds": "0.2", "compute:liveNotices": "false", ...config });
  } catch (error) {
    await close();
    throw error;
  }
  return { em, ws, printed: () => said, close };
}

/** The program, with `Endpoint`, `Dependant` and the seeded ids at hand. */
export const files = (program: string): Record<string, string> => ({
  "index.js": `
const pulumi = require("@pulumi/pulumi");
const { Endpoint } = require("pulumi-compute-endpoint");
const { Dependant } = require("./dependant");
const projectId = "${PROJECT}", branchId = "${MAIN}";
${program}
`,
  // Any other provider's resource, such as a DNS record: it has an input, and a change of it is an update.
  "dependant.js": `
const pulumi = require("@pulumi/pulumi");
exports.Dependant = class extends pulumi.CustomResource {
  constructor(name, args, opts) {
    super("pulumi-nodejs:dynamic/test:Dependant", name, { ...args, __provider: ${JSON.stringify(DEPENDANT)} }, opts);
  }
};`,
  "node_modules/dependant/package.json": JSON.stringify({ name: "dependant", version: "1.0.0", main: "index.js" }),
  "node_modules/dependant/index.js": `
exports.provider = {
  async diff(id, olds, news) { return JSON.stringify(olds.on) === JSON.stringify(news.on) ? { changes: false } : {}; },
  async create(inputs) { return { id: "dependant", outs: inputs }; },
  async update(id, olds, news) { return { outs: news }; },
  async delete() {},
};`,
});

const DEPENDANT = 'exports.handler = () => require("dependant").provider;';

/** A further branch of the seeded project, ready and without a compute. */
export function addBranch(em: RunningEmulator, id: string, like: string = SEED.branches.dev): string {
  em.world.branches[id] = { ...structuredClone(em.world.branches[like]!), id, name: id };
  return id;
}

/** The requests so far that change something and were not refused for a lock, as "PATCH /projects/…" with their bodies; the record is emptied. */
export function changes(em: RunningEmulator): { line: string; body: unknown; status: unknown }[] {
  return em.requests
    .splice(0)
    .filter(({ method, status }) => method !== "GET" && status !== 423)
    .map(({ method, path, body, status }) => ({ line: `${method} ${path}`, body, status }));
}

/** All requests so far, as lines; the record is emptied. */
export const requests = (em: RunningEmulator): string[] =>
  em.requests.splice(0).map(({ method, path }) => `${method} ${path}`);

export * from "./shown";
