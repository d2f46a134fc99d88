/**
 * For tests on the real engine:
 *
 *     describeWithEngine("a size change", (engine) => {
 *       let ws: Workspace;
 *       beforeAll(async () => { ws = await Workspace.create(engine, { program: `…` }); });
 *       afterAll(() => ws?.close());
 *       test("…", async () => { await ws.up(); … }, ENGINE_TEST_MS);
 *     });
 *
 * A command takes two to four seconds. So the tests of a file share one workspace and its stack, and a rule that shows
 * without an engine is tested without an engine. `Workspace` is in `tools/` because the demo uses it too.
 */
import { describe, test } from "vitest";
import { type Engine, EngineUnavailable, ensureEngine } from "../../tools/engine/index";
import { ensureLanguage, type LanguageName, type LanguageSupport } from "../../tools/engine/languages";

export type { Engine } from "../../tools/engine/index";
export type { LanguageName, LanguageSupport } from "../../tools/engine/languages";
export * from "../../tools/engine/workspace";

/** The time limit of a test with a few commands, on a machine that is busy with other tests. */
export const ENGINE_TEST_MS = 180_000;

let ensured: Promise<Engine | undefined> | undefined;

/**
 * The engine. If there is none: an error in CI, elsewhere a loud message and undefined. The first call may build it,
 * which takes minutes.
 */
function requireEngine(): Promise<Engine | undefined> {
  ensured ??= orSkipped("everything that needs a real Pulumi engine", ensureEngine());
  return ensured;
}

function orSkipped<T>(what: string, getting: Promise<T>): Promise<T | undefined> {
  return getting.catch((error: unknown) => {
    if (!(error instanceof EngineUnavailable) || process.env["CI"]) throw error;
    const line = "!".repeat(100);
    process.stderr.write(`\n${line}\nSKIPPED: ${what}. ${error.message}\n${line}\n\n`);
    return undefined;
  });
}

/** `describe` for tests that need the engine: skipped, or failing in CI, where there is none. */
export function describeWithEngine(name: string, body: (engine: Engine) => void): void {
  describe(name, async () => {
    const engine = await requireEngine();
    if (engine) body(engine);
    else test.skip("needs a Pulumi engine, and none can be had here", () => {});
  });
}

/** The same for programs in another language. @param body gets what `Workspace` needs for it */
export function describeWithLanguage(
  language: LanguageName,
  name: string,
  body: (engine: Engine, support: LanguageSupport) => void,
): void {
  describe(name, async () => {
    const engine = await requireEngine();
    const what = `everything that runs a program in the language ${language}`;
    const support = engine && (await orSkipped(what, ensureLanguage(language, engine)));
    if (engine && support) body(engine, support);
    else test.skip(`needs what runs programs in the language ${language}, and that can't be had here`, () => {});
  });
}
