/** Where a language's programs can't be run, the error says what is missing and what to install. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureHost, type HostRecipe } from "../../tools/engine/built-host";
import { EngineUnavailable } from "../../tools/engine/index";
import { ensureLanguage, type LanguageName } from "../../tools/engine/languages";

let folder: string;
const said: string[] = [];
/** The only programs are those of `bin`. */
const ensure = (language: LanguageName) =>
  ensureLanguage(
    language,
    { binDir: join(folder, "engine") },
    {
      env: { PATH: join(folder, "bin"), COMPUTE_ENDPOINT_ENGINE_CACHE: join(folder, "cache") },
      say: (line) => said.push(line),
    },
  ).catch((error: Error) => error);
function program(where: string, text: string): void {
  writeFileSync(join(folder, where), `#!/bin/sh\n${text}\n`);
  chmodSync(join(folder, where), 0o755);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "compute-endpoint-languages-"));
  for (const one of ["bin", "engine"]) mkdirSync(join(folder, one));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ["python", /^Pulumi's SDK for Python can't be had here: python3 can't be used .*Install Python 3\.10 or newer/],
  ["go", /^No Go program can be run here: there is no Go\. Install Go/],
] as const)("without %s", async (language, words) => {
  const error = await ensure(language);
  expect(error).toBeInstanceOf(EngineUnavailable);
  expect((error as Error).message).toMatch(words);
});

test("with a Python that is too old or has no venv, in Python's words", async () => {
  program("bin/python3", "echo 'ModuleNotFoundError: No module named ensurepip' >&2; exit 1");
  const error = await ensure("python");
  expect((error as Error).message).toContain("python3 can't be used (ModuleNotFoundError: No module named ensurepip)");
});

test("with a pip that finds nothing: the cache stays without the folder", async () => {
  // As Debian's without a network: it makes the virtual environment, whose pip then fails.
  const venv =
    'mkdir -p "$3/bin"; printf "#!/bin/sh\\necho no index >&2; exit 1\\n" > "$3/bin/python"; chmod +x "$3/bin/python"';
  program("bin/python3", `PATH=/usr/bin:/bin; if [ "$1" = -c ]; then echo 3.12-linux-x86_64; else ${venv}; fi`);
  const error = await ensure("python");
  expect((error as Error).message).toMatch(/can't be had here: \S+bin\/python -m pip download: no index\. /);
  expect(said).toEqual([expect.stringContaining("downloading Pulumi's SDK for Python")]);
});

test("with Pulumi's own host beside the engine, nothing is built", async () => {
  program("engine/pulumi-language-go", "exit 0");
  program("bin/go", "echo go version");
  expect(await ensure("go")).toEqual({ hosts: [join(folder, "engine")], env: { GOWORK: "off" } });
});

test("a host on PATH inside the cache is not taken from there: only the cache decides what of it is run", async () => {
  mkdirSync(join(folder, "cache", "planted"), { recursive: true });
  program("cache/planted/pulumi-language-other", "exit 0");
  const env = { PATH: join(folder, "cache", "planted"), COMPUTE_ENDPOINT_ENGINE_CACHE: join(folder, "cache") };
  const nowhere: HostRecipe = {
    ...{
      languages: "other",
      takes: "no time",
      cache: "other-host",
      module: join(folder, "no-module"),
      files: ["go.mod"],
    },
    ...{ package: ".", versionVariable: "main.version", version: "1.0.0", output: "bin/other" },
  };
  const finding = ensureHost("pulumi-language-other", nowhere, { binDir: join(folder, "engine") }, { env });
  await expect(finding).rejects.toThrow(/no-module/);
  const elsewhere = { env: { ...env, COMPUTE_ENDPOINT_ENGINE_CACHE: join(folder, "another-cache") } };
  expect(await ensureHost("pulumi-language-other", nowhere, { binDir: join(folder, "engine") }, elsewhere)).toBe(
    env.PATH,
  );
});
