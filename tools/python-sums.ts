/**
 * `npx tsx tools/python-sums.ts`: writes `tools/engine/python/requirements.txt` anew, with the checksums of the files for each Python
 * and each kind of machine. Run it for another version of Pulumi's SDK for Python. The new checksums are those that the index states.
 */
import { writeFile } from "node:fs/promises";
import { PYTHON_PACKAGES, REQUIREMENTS } from "./engine/python";
import { run } from "./engine/run";

const VERSIONS = ["3.11", "3.10", "3.12", "3.13", "3.14"];
const linux = (cpu: string) => ["2_34", "2_28", "2_17", "2_5"].map((libc) => `manylinux_${libc}_${cpu}`);
const PLATFORMS = [
  [...linux("x86_64"), "manylinux2014_x86_64", "manylinux1_x86_64"],
  [...linux("aarch64"), "manylinux2014_aarch64"],
  ["macosx_15_0_arm64", "macosx_11_0_arm64", "macosx_11_0_universal2", "macosx_10_9_universal2"],
  ["macosx_15_0_x86_64", "macosx_11_0_x86_64", "macosx_10_9_x86_64", "macosx_10_9_universal2"],
];

interface Resolved {
  metadata: { name: string; version: string };
  download_info: { archive_info: { hashes: { sha256: string } } };
}

/** What pip would install there, without installing it. */
async function resolved(version: string, platforms: string[], wanted: readonly string[]): Promise<Resolved[]> {
  const target = ["--target", "unused", "--only-binary=:all:", "--python-version", version];
  const places = platforms.flatMap((one) => ["--platform", one]);
  const args = ["-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"];
  // Files of this machine could be others than those of the index.
  const env = { ...process.env, PIP_FIND_LINKS: "", PIP_DISABLE_PIP_VERSION_CHECK: "1" };
  const { code, stdout, stderr } = await run("python3", [...args, ...target, ...places, ...wanted], {
    env,
    limitMs: 600_000,
  });
  if (code !== 0) throw new Error(`pip for Python ${version} on ${platforms[0]}: ${stderr.trim()}`);
  return (JSON.parse(stdout) as { install: Resolved[] }).install;
}

async function main(): Promise<void> {
  const hashes = new Map<string, Set<string>>();
  let wanted: readonly string[] = PYTHON_PACKAGES;
  for (const version of VERSIONS) {
    for (const platforms of PLATFORMS) {
      const found = await resolved(version, platforms, wanted);
      for (const { metadata, download_info } of found) {
        const pinned = `${metadata.name.toLowerCase()}==${metadata.version}`;
        hashes.set(pinned, (hashes.get(pinned) ?? new Set()).add(download_info.archive_info.hashes.sha256));
      }
      // All Pythons and platforms use the versions that the first resolution gave.
      if (wanted === PYTHON_PACKAGES) wanted = [...hashes.keys()];
    }
  }
  const lines = [...hashes].map(([pinned, sums]) =>
    [pinned, ...[...sums].sort().map((sum) => `--hash=sha256:${sum}`)].join(" \\\n    "),
  );
  await writeFile(REQUIREMENTS, `${lines.sort().join("\n")}\n`);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
