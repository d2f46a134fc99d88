// What the tests of the plugin share: an emulator, an engine that takes messages, and the plugin's process.

import { afterEach } from "vitest";
import { type EmulatorOptions, type RunningEmulator, startEmulator } from "../../../emulator/index.js";
import type { CallFailed, Props } from "../shim";
import { BRANCH, folder, KEY, PROJECT } from "../support";
import { Plugin, type Said, secret, startEngineLog } from "./plugin";

export const BASE = { projectId: PROJECT, branchId: BRANCH, size: 1 };

export interface Rig {
  em: RunningEmulator;
  plugin: Plugin;
  /** What was said so far, and forgets it. */
  said(): Said[];
  /** Requests that change something, as "PATCH 200", and forgets all requests. */
  changes(): string[];
  /** The process of a further command, which has an engine of its own. */
  again(args?: Props): Promise<Plugin>;
  args: Props;
}

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

export async function rig(options: EmulatorOptions = {}, args: Props = {}, env: NodeJS.ProcessEnv = {}): Promise<Rig> {
  const em = await startEmulator({ apiKey: KEY, operationMs: 100, ...options });
  open.push(() => em.close());
  const said: Said[] = [];
  const all = { apiKey: secret(KEY), apiUrl: em.url, pollSeconds: "0.2", ...args };
  const again = async (own: Props = all) => {
    const engine = await startEngineLog(said);
    open.push(engine.kill);
    const plugin = await Plugin.start(engine.address, await folder(), env);
    open.push(() => plugin.close());
    await plugin.configure(own);
    return plugin;
  };
  const changes = () =>
    em.requests
      .splice(0)
      .filter(({ method }) => method !== "GET")
      .map(({ method, status }) => `${method} ${status}`);
  return { em, plugin: await again(), said: () => said.splice(0), changes, again, args: all };
}

/** A compute as `pulumi up` makes it. */
export async function made({ plugin, changes }: Rig, news: Props = BASE) {
  const { inputs } = await plugin.check({}, news);
  const { id, outputs } = await plugin.create(inputs);
  changes();
  return { id, inputs, outputs };
}

export const failure = (work: Promise<unknown>): Promise<CallFailed> =>
  work.then(
    () => Promise.reject(new Error("it was to fail")),
    (error: unknown) => error as CallFailed,
  );
