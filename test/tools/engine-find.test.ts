import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findOnPath } from "../../tools/engine/find";
import { ensureEngine } from "../../tools/engine/index";
import { COMPANIONS, ENGINE_VERSION, NEWEST_ENGINE, OLDEST_ENGINE } from "../../tools/engine/recipe";

describe("an engine on PATH", () => {
  let root: string;
  let cache: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "engine-find-"));
    cache = join(root, "cache");
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  /** A folder with commands in it; `pulumi` tells the version. */
  async function folder(name: string, version: string | undefined, commands: readonly string[] = COMPANIONS) {
    const path = join(root, name);
    await mkdir(path, { recursive: true });
    for (const command of [...(version === undefined ? [] : ["pulumi"]), ...commands]) {
      await writeFile(join(path, command), `#!/bin/sh\necho ${version}\n`);
      await chmod(join(path, command), 0o755);
    }
    return path;
  }
  const find = (...folders: string[]) => findOnPath(folders.join(delimiter), cache);

  test("is used when it is new enough and complete", async () => {
    const bin = await folder("bin", `v${OLDEST_ENGINE}`);
    expect(await find("", join(root, "missing"), bin)).toEqual({ engine: { binDir: bin, version: OLDEST_ENGINE } });
    const said: string[] = [];
    const engine = await ensureEngine({ env: { PATH: bin }, say: (line) => said.push(line) });
    expect({ engine, said }).toEqual({ engine: { binDir: bin, version: OLDEST_ENGINE, source: "path" }, said: [] });
  });

  test("may have its companions elsewhere on PATH", async () => {
    const bin = await folder("bin", "v3.220.0", []);
    const others = await folder("others", undefined);
    expect((await find(bin, others)).engine?.binDir).toBe(bin);
  });

  test("may be a link into the folder that has the companions", async () => {
    const real = await folder("real", "v3.220.0");
    const bin = await folder("bin", undefined, []);
    await symlink(join(real, "pulumi"), join(bin, "pulumi"));
    expect((await find(bin)).engine?.binDir).toBe(bin);
  });

  test("is passed over when it is too old, and the next one is taken", async () => {
    const old = await folder("old", "v3.100.0");
    const good = await folder("good", "v3.300.0");
    expect((await find(old, good)).engine?.binDir).toBe(good);
    expect(await find(old)).toEqual({
      instead: `the pulumi in ${old} is v3.100.0, needed is ${OLDEST_ENGINE} or newer`,
    });
  });

  test("is passed over when it lacks a companion, or does not run", async () => {
    const bare = await folder("bare", "v3.220.0", ["pulumi-language-nodejs"]);
    expect(await find(bare)).toEqual({ instead: `the pulumi in ${bare} has no pulumi-resource-pulumi-nodejs` });
    const broken = await folder("broken", "v3.220.0");
    await writeFile(join(broken, "pulumi"), "#!/bin/sh\nexit 1\n");
    expect((await find(broken)).instead).toContain("of an unknown version");
  });

  test("is no engine of PATH's when it stands in our cache, which knows better whether it is the right one", async () => {
    const earlier = await folder("cache/engine-3.250.0-00000000/bin", "v3.250.0");
    expect(await find(earlier)).toEqual({ instead: undefined });
  });

  test("is left alone where another version is asked for, which must be one that we have the checksums of", async () => {
    const bin = await folder("bin", "v3.300.0");
    const env = { PATH: bin, COMPUTE_ENDPOINT_ENGINE_VERSION: "3.300.0" };
    await expect(ensureEngine({ env, say: () => {} })).rejects.toThrow(
      `COMPUTE_ENDPOINT_ENGINE_VERSION is 3.300.0; it can be ${OLDEST_ENGINE}, ${ENGINE_VERSION}, ${NEWEST_ENGINE}, or unset.`,
    );
  });
});
