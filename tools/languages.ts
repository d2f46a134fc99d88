/** `npx tsx tools/languages.ts`: gets what the tests of programs in YAML, Python and Go need beside the engine. */
import { ensureEngine } from "./engine/index";
import { ensureLanguage } from "./engine/languages";
import { onSignals } from "./signals";

async function main(): Promise<void> {
  const engine = await ensureEngine();
  for (const language of ["yaml", "python", "go"] as const) {
    await ensureLanguage(language, engine);
    process.stderr.write(`engine: ${language} programs can run\n`);
  }
}

onSignals();
main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
