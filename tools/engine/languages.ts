/** What programs in a language other than those of Node.js need beside the engine. */
import { ensureHost } from "./built-host";
import { type Engine, EngineUnavailable, type EnsureOptions } from "./index";
import { LANGUAGES_RECIPE } from "./language-host";
import { ensurePythonPackages } from "./python";
import { run } from "./run";
import { YAML_HOST, YAML_RECIPE } from "./yaml-host";

export type LanguageName = "yaml" | "python" | "go";

/** For `Workspace`. */
export interface LanguageSupport {
  hosts: string[];
  env: NodeJS.ProcessEnv;
}

/** @throws EngineUnavailable if such programs can't be run here */
export async function ensureLanguage(
  language: LanguageName,
  engine: Pick<Engine, "binDir">,
  options: EnsureOptions = {},
): Promise<LanguageSupport> {
  if (language === "yaml") return { hosts: [await ensureHost(YAML_HOST, YAML_RECIPE, engine, options)], env: {} };
  // Asked first: without it, nothing needs to be built.
  const env = language === "python" ? await ensurePythonPackages(options) : await ensureGo(options);
  return { hosts: [await ensureHost(`pulumi-language-${language}`, LANGUAGES_RECIPE, engine, options)], env };
}

async function ensureGo({ env = process.env }: EnsureOptions): Promise<NodeJS.ProcessEnv> {
  const { code } = await run("go", ["version"], { env, limitMs: 20_000 }).catch(() => ({ code: 1 }));
  if (code !== 0)
    throw new EngineUnavailable("No Go program can be run here: there is no Go. Install Go 1.26 or newer.");
  // A workspace file of the user's would hide the program's own module.
  return { GOWORK: "off" };
}
