/** A stack with an emulator, for a program in one language. */
import { type RunningEmulator, startEmulator } from "../../../emulator/index.js";
import { type Engine, type LanguageSupport, Workspace } from "../../support/engine";
import { PROJECT } from "../support";
import type { Compute, Language, Program } from "./program";

export const NATIVE = "compute:index:Endpoint";

export interface LanguageStory {
  em: RunningEmulator;
  ws: Workspace;
  /** Another program for the same stack. */
  use(program: Program): Promise<void>;
  close(): Promise<void>;
}

export async function startLanguage(
  engine: Engine,
  support: LanguageSupport,
  language: Language,
  program: Program,
): Promise<LanguageStory> {
  const em = await startEmulator({ operationMs: 50, apiKey: "key-of-this-story" });
  let ws: Workspace | undefined;
  const close = async () => {
    await ws?.close();
    await em.close();
  };
  try {
    ws = await Workspace.create(engine, {
      program: { ...language.project, ...language.files(program) },
      hosts: support.hosts,
      env: { ...support.env, COMPUTE_API_KEY: em.apiKey, COMPUTE_API_URL: em.url },
    });
    await language.addPackage(ws);
  } catch (error) {
    await close();
    throw error;
  }
  return { em, ws, use: (next) => ws.setProgram(language.files(next)), close };
}

export const compute = (
  name: string,
  properties: Compute["properties"],
  options: Compute["options"] = {},
): Compute => ({ name, properties: { projectId: PROJECT, ...properties }, options });
