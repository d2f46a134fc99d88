/**
 * `npm run demo`: the real engine and the emulator, in a story that a person can follow on the terminal. Also a test:
 * a step that does not do what it should ends it with exit code 1. The story itself is in `demo/story.ts`. With `--watch` it also
 * opens the emulator's console page in a browser, and waits for a key before the first step and after the last.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type RunningEmulator, startEmulator } from "../emulator/index";
import { Page } from "./demo/page";
import { StepFailed, showComputes, tellStory } from "./demo/runner";
import { changesIn } from "./demo/service";
import { BEFORE, STORY } from "./demo/story";
import { beginWatching, endWatching } from "./demo/watch";
import { type Engine, ensureEngine } from "./engine/index";
import { kill, processesWith } from "./engine/processes";
import { Workspace } from "./engine/workspace";
import { onSignals } from "./signals";

const PROGRAM = join(__dirname, "demo", "program");

const FROM: { [source in Engine["source"]]: string } = {
  path: "the one on PATH",
  cache: "cached earlier",
  installed: "just downloaded",
  built: "just built",
};

/** Long enough to see the waiting. */
const OPERATION_MS = 2_000;

// All processes that start here put their temporary files into this folder. It is removed at the end.
const folder = mkdtempSync(join(tmpdir(), "compute-endpoint-demo-"));
process.env["TMPDIR"] = folder;

const cleanUp = () => {
  for (const pid of processesWith("TMPDIR", folder)) kill(pid);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
};

const leave = (code: number) => {
  // Added last, so that it runs last: earlier exit listeners end the running commands first (`engine/run.ts`).
  process.once("exit", cleanUp);
  process.exit(code);
};

onSignals(leave);
process.stdout.once("error", () => leave(1)); // nobody reads on, as in `npm run demo | head`

const isTerminal = process.stdout.isTTY && !process.env["NO_COLOR"];
const { watch } = parseArgs({ options: { watch: { type: "boolean" } } }).values;
const page = new Page(process.stdout, isTerminal);

main()
  .catch((error: Error) => {
    const isOurs = error instanceof StepFailed || error.name === "EngineUnavailable";
    page.line(`\ndemo: ${isOurs ? error.message : (error.stack ?? error.message)}`);
    process.exitCode = 1;
  })
  .finally(cleanUp);

async function main(): Promise<void> {
  page.heading("pulumi-compute-endpoint: what it does, on the real Pulumi engine");
  const engine = await ensureEngine({ say: (line) => page.line(line) });
  const emulator = await startEmulator({ operationMs: OPERATION_MS });
  try {
    const address = `${emulator.origin}/`;
    if (watch) await beginWatching(page, address);
    await tell(engine, emulator);
    if (watch) await endWatching(page, address);
  } finally {
    await emulator.close();
  }
}

async function tell(engine: Engine, emulator: RunningEmulator): Promise<void> {
  const started = performance.now();
  page.text(
    `Pulumi v${engine.version} (${FROM[engine.source]}), with its state in a temporary folder. The service is the emulator of ` +
      "this package, on this machine: nothing here needs an account. The lines below a $ line are Pulumi's " +
      "own, unchanged. The demo takes about a minute.",
  );
  showComputes(BEFORE, { page, emulator });
  page.command(`export COMPUTE_API_URL=${emulator.url} COMPUTE_API_KEY=…`);
  page.command("cat index.ts");
  page.code(readFileSync(join(PROGRAM, "index.ts"), "utf8").trimEnd().split("\n"));

  const workspace = await Workspace.create(engine, {
    from: PROGRAM,
    color: isTerminal ? "always" : "never",
    env: {
      COMPUTE_API_URL: emulator.url,
      COMPUTE_API_KEY: emulator.apiKey,
      PULUMI_NODEJS_TRANSPILE_ONLY: "true", // the tests check the types; this saves seconds a command
    },
  });
  try {
    await tellStory(STORY, { page, emulator, workspace });
    const left = await workspace.leftBehind();
    if (left.length > 0) throw new Error(`these processes were left behind: ${left.join(", ")}`);
  } finally {
    await workspace.close();
  }
  summary(emulator, performance.now() - started);
}

function summary({ requests }: RunningEmulator, ms: number): void {
  const changes = changesIn(requests).length;
  page.heading("That was it");
  page.text(
    `${STORY.length} steps in ${Math.round(ms / 1000)} s. The service got ${requests.length} requests, ${changes} of them changes; ` +
      "previews changed nothing.",
  );
  for (const { heading } of STORY) page.line(`  ✓ ${heading}`);
  page.line("\nNext: README.md, and whole programs to copy in examples/.");
}
