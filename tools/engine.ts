/**
 * `npm run --silent engine`: finds, downloads or builds a Pulumi engine. The last line on stdout is the folder to put
 * on PATH; everything else goes to stderr.
 */
import { ensureEngine } from "./engine/index";

// An exit ends the processes that we have started (`engine/run.ts`). The signal alone would not.
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const) {
  process.once(signal, () => process.exit(code));
}

ensureEngine().then(
  ({ binDir, version, source }) => {
    if (source === "path" || source === "cache") {
      process.stderr.write(`engine: Pulumi v${version} from ${source === "path" ? "PATH" : "the cache"}\n`);
    }
    process.stdout.write(`${binDir}\n`);
  },
  (error: Error) => {
    process.stderr.write(`${error.name === "EngineUnavailable" ? error.message : (error.stack ?? error.message)}\n`);
    process.exitCode = 1;
  },
);
