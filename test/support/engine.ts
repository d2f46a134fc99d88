/**
 * The habit of tests on the real engine:
 *
 *     describeWithEngine("a size change", (engine) => {
 *       let ws: Workspace;
 *       beforeAll(async () => { ws = await Workspace.create(engine, { program: `…` }); });
 *       afterAll(() => ws?.close());
 *       test("…", async () => { await ws.up(); … }, ENGINE_TEST_MS);
 *     });
 *
 * One workspace tells one story: a command takes two to four seconds, so steps share a stack, and a rule that can be
 * seen without an engine is tested without one. `Workspace` itself is in `tools/`, for the demo drives it too.
 */
import { describe, test } from "vitest";
import { type Engine, EngineUnavailable, ensureEngine } from "../../tools/engine/index";

export type { Engine } from "../../tools/engine/index";
export * from "../../tools/engine/workspace";

/** A test of some commands, on a machine that is busy with other tests. */
export const ENGINE_TEST_MS = 180_000;

let asked: Promise<Engine | undefined> | undefined;

/**
 * The engine; or, where none can be had, an error in CI, and on a laptop undefined after telling so loudly. The first
 * call may build it, which takes minutes.
 */
export function requireEngine(): Promise<Engine | undefined> {
  asked ??= ensureEngine().catch((error: unknown) => {
    if (!(error instanceof EngineUnavailable) || process.env["CI"]) throw error;
    const line = "!".repeat(100);
    process.stderr.write(
      `\n${line}\nSKIPPED: everything that needs a real Pulumi engine. ${error.message}\n${line}\n\n`,
    );
    return undefined;
  });
  return asked;
}

/** `describe` for tests that need the engine: skipped, or failing in CI, where there is none. */
export function describeWithEngine(name: string, body: (engine: Engine) => void): void {
  describe(name, async () => {
    const engine = await requireEngine();
    if (engine) body(engine);
    else test.skip("needs a Pulumi engine, and none can be had here", () => {});
  });
}
