/** Runs what stands in the pipelines of examples/gitops as their runners would, with our own command and stubs of the rest. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll } from "vitest";
import { ROOT } from "./snippets";

const PIPELINES = join(ROOT, "examples/gitops");
export const textOf = (...path: string[]) => readFileSync(join(PIPELINES, ...path), "utf8");
export const reportOf = (folder: string) => readFileSync(join(folder, "report.md"), "utf8");

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

export interface Bench {
  folder: string;
  /** A script as the runner writes it into a file. */
  run(script: string, env?: NodeJS.ProcessEnv): { code: number | null; stdout: string; stderr: string };
  /** For programs that a test starts itself. */
  path: string;
  /** What `pulumi` was asked to do. */
  pulumiCalls(): string[];
}

/**
 * @param preview a document in test/fixtures/previews, which `pulumi preview` prints; none: it prints nothing
 * @param code its exit code
 */
export function bench(preview: string | undefined, code = 0): Bench {
  const folder = mkdtempSync(join(tmpdir(), "compute-endpoint-pipeline-"));
  made.push(folder);
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const stub = (name: string, text: string) => {
    writeFileSync(join(bin, name), `#!/usr/bin/env bash\nset -eu\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  if (preview) writeFileSync(join(bin, "preview.json"), documentOf(preview));
  stub(
    "pulumi",
    `for name in COMPUTE_ON_RESTART PULUMI_SKIP_CHECKPOINTS; do
       [ -z "\${!name:-}" ] || printf '%s ' "$name=\${!name}" >> '${bin}/calls'
     done
     echo "$*" >> '${bin}/calls'
     if [ "$1" != preview ]; then exit 0; fi
     if [ -f '${bin}/preview.json' ]; then cat '${bin}/preview.json'; else echo "error: no stack named 'prod' found" >&2; fi
     exit ${code}`,
  );
  // As npx finds the command of an installed package, and nothing else.
  stub(
    "npx",
    `[ "$1 $2" = "--no compute-endpoint" ]; shift 2; exec '${process.execPath}' '${ROOT}/dist/cli/main.js' "$@"`,
  );
  // Globally nothing is installed but one file, and what it brings runs no script.
  stub(
    "npm",
    `if [ "$*" = ci ]; then exit 0; fi
     if [ "$*" = "pack --loglevel=error --ignore-scripts \${PACKAGE:-}" ]; then
       printf packed > package-0.1.0.tgz; echo package-0.1.0.tgz; exit 0
     fi
     [ "$*" = "install --global --ignore-scripts --legacy-peer-deps ./package-0.1.0.tgz" ]
     pwd > '${bin}/installed-in'
     printf '#!/usr/bin/env bash\\nexec "%s" "%s" "$@"\\n' '${process.execPath}' '${ROOT}/dist/cli/main.js' > '${bin}/compute-endpoint'
     chmod +x '${bin}/compute-endpoint'`,
  );
  return {
    folder,
    path: `${bin}${delimiter}${process.env["PATH"]}`,
    run(script, env = {}) {
      const file = join(bin, "script.sh");
      writeFileSync(file, script);
      const { PATH } = process.env;
      const { status, stdout, stderr } = spawnSync("bash", ["-e", file], {
        cwd: folder,
        env: { PATH: `${bin}${delimiter}${PATH}`, HOME: folder, CI_PROJECT_DIR: folder, ...env },
        encoding: "utf8",
      });
      return { code: status, stdout, stderr };
    },
    pulumiCalls: () => readFileSync(join(bin, "calls"), "utf8").trim().split("\n"),
  };
}

/** A fixture as the preview of shop/prod, which the pipelines are of. */
export const documentOf = (fixture: string): string =>
  readFileSync(join(ROOT, "test/fixtures/previews", `${fixture}.json`), "utf8").replace(
    /urn:pulumi:[\w-]+::[\w-]+::/g,
    "urn:pulumi:prod::shop::",
  );

/** The checksum of the file that the stub of npm packs. */
export const INTEGRITY = `sha512-${createHash("sha512").update("packed").digest("base64")}`;

/** Whether bash can read it at all. */
export const syntaxOf = (script: string): string =>
  spawnSync("bash", ["-n"], { input: script, encoding: "utf8" }).stderr;

/** What a preview comes to in the pipeline: its document, Pulumi's exit code, the job's, and a line of the report. */
export const OUTCOMES: [what: string, preview: string | undefined, pulumi: number, job: number, says: RegExp][] = [
  ["a restart that nobody approved", "changes", 0, 3, /not approved/],
  ["nothing", "nothing", 0, 0, /🟢/],
  ["a program that fails", "failed-early", 1, 2, /incomplete/],
  ["a refusal", "refused", 1, 2, /incomplete/],
  ["no document at all", undefined, 6, 2, /⛔/],
];
