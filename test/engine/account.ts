/** What the stories about accounts share: services with keys that change, and a stack that remembers what it printed. */
import { type Key, type RunningEmulator, startEmulator } from "../../emulator/index.js";
import type { Engine } from "../../tools/engine/index";
import { Workspace } from "../../tools/engine/workspace";
import { files } from "./support";

/** A service with an account whose key can be exchanged, as somebody does on its console: the old one works no more. */
export interface Account {
  em: RunningEmulator;
  key: Key;
  url: string;
}

export async function startAccount(key: string, projectId?: string): Promise<Account> {
  const own: Key = projectId === undefined ? { key } : { key, projectId };
  const em = await startEmulator({ operationMs: 50, keys: [own] });
  return { em, key: own, url: em.url };
}

export interface Stack {
  ws: Workspace;
  use(program: string): Promise<void>;
  printed(): string;
}

export async function startStack(engine: Engine, env: NodeJS.ProcessEnv = {}): Promise<Stack> {
  const ws = await Workspace.create(engine, { env });
  await ws.setConfig({ "compute:pollSeconds": "0.2" });
  let said = "";
  const run = ws.pulumi.bind(ws);
  const onOutput = (chunk: string) => {
    said += chunk;
  };
  ws.pulumi = (args, options) => run(args, { ...options, onOutput });
  const use = (program: string) =>
    ws.setProgram(
      files(`const { Provider, getEndpointOutput, listEndpoints } = require("pulumi-compute-endpoint");\n${program}`),
    );
  return { ws, use, printed: () => said };
}
