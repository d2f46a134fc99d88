/**
 * `npm run --silent engine`: finds, downloads or builds a Pulumi engine. The last line on stdout is the folder to put
 * on PATH; everything else goes to stderr.
 */
import { ensureEngine } from "./engine/index";
import { onSignals } from "./signals";

onSignals();

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
