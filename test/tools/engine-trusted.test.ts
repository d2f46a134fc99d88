/** The cache holds programs that tests and the demo run: what somebody else may have changed is not used. */
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cacheFolder, fillOnce } from "../../tools/engine/cache";
import { EngineUnavailable, ensureEngine } from "../../tools/engine/index";
import { ENGINE_VERSION, recipeRevision } from "../../tools/engine/recipe";
import { assertTrusted, assertTrustedFolder, closeToOthers, type Files, ownFolder } from "../../tools/engine/trusted";

const ME = 1000;
const FOLDER = 0o040755;
const FILE = 0o100755;
const LINK = 0o120777;
type Entries = Record<string, [mode: number, uid?: number, target?: string]>;

/** A tree of files as the system would tell it, with owners that only root could make. */
function files(entries: Entries, me: number | undefined = ME): Files {
  const kind = (path: string) => (entries[path]?.[0] ?? 0) & 0o170000;
  return {
    me,
    look: async (path) => {
      const [mode, uid = ME] = entries[path] ?? [];
      if (mode === undefined) return undefined;
      return {
        uid,
        mode,
        isSymbolicLink: () => kind(path) === 0o120000,
        isDirectory: () => kind(path) === 0o040000,
      };
    },
    list: async (path) =>
      Object.keys(entries)
        .filter((one) => one !== path && one.slice(0, one.lastIndexOf("/")) === path)
        .map((one) => one.slice(path.length + 1)),
    target: async (path) => entries[path]![2]!,
  };
}

const GOOD: Entries = {
  "/": [FOLDER, 0],
  "/homes": [FOLDER, 0],
  "/homes/me": [FOLDER],
  "/homes/me/cache": [0o040700],
  "/homes/me/cache/engine": [0o040700],
  "/homes/me/cache/engine/bin": [FOLDER],
  "/homes/me/cache/engine/bin/pulumi": [FILE],
};
const ENGINE = "/homes/me/cache/engine";
const BIN = `${ENGINE}/bin/pulumi`;

describe.skipIf(platform() === "win32")("the cache", () => {
  test.each<[what: string, change: Entries]>([
    ["is one's own", {}],
    ["is root's, as an administrator puts it there", { [ENGINE]: [FOLDER, 0], [BIN]: [FILE, 0] }],
    ["is in a folder for everybody's files, with the sticky bit", { "/homes": [0o041777, 0] }],
    ["is in a folder of a group", { "/homes": [0o040775, 0] }],
    ["is in a home that is a link", { "/homes/me": [LINK, 0, "../var/me"], "/var": [FOLDER, 0], "/var/me": [FOLDER] }],
    ["is in a container whose / is nobody's", { "/": [FOLDER, 65534] }],
  ])("is used where it %s", async (_what, change) => {
    await expect(assertTrusted(ENGINE, files({ ...GOOD, ...change }))).resolves.toBeUndefined();
  });

  test.each<[what: string, change: Entries, says: string]>([
    [
      "the folder is another user's",
      { [ENGINE]: [FOLDER, 1001] },
      `${ENGINE} belongs to user 1001, and you are user ${ME}.\nRemove it: rm -r ${ENGINE}`,
    ],
    ["the binary is another user's", { [BIN]: [FILE, 1001] }, `${BIN} belongs to user 1001`],
    [
      "every user may write the folder",
      { [ENGINE]: [0o040757] },
      `${ENGINE} may be written by every user (mode 0757).\nLook at what is in it, then run: chmod go-w ${ENGINE}`,
    ],
    ["its group may write the folder", { [ENGINE]: [0o040775] }, `${ENGINE} may be written by its group (mode 0775).`],
    [
      "every user may write a folder in it",
      { [`${ENGINE}/bin`]: [0o041777] },
      `${ENGINE}/bin may be written by every user`,
    ],
    ["every user may write the binary", { [BIN]: [0o100777] }, `chmod go-w ${BIN}`],
    [
      "its group may write the language host",
      { [`${ENGINE}/host`]: [FOLDER], [`${ENGINE}/host/main.js`]: [0o100664] },
      `${ENGINE}/host/main.js may be written by its group (mode 0664)`,
    ],
    ["the binary is a link", { [BIN]: [LINK, ME, "/tmp/x"] }, `${BIN} is a symbolic link`],
    ["the folder is a link", { [ENGINE]: [LINK, ME, "/tmp/x"] }, `${ENGINE} is a symbolic link`],
    [
      "a folder above is everybody's, without the sticky bit",
      { "/homes": [0o040777, 0] },
      "/homes may be written by every user (mode 0777, without the sticky bit).\nLook at what is in it, then run: chmod go-w /homes",
    ],
    ["a folder above is another user's", { "/homes/me": [FOLDER, 1001] }, "/homes/me belongs to user 1001"],
    ["a link above is another user's", { "/homes/me": [LINK, 1001, "/var/me"] }, "/homes/me belongs to user 1001"],
    [
      "a link above leads to everybody's",
      { "/homes/me": [LINK, 0, "/var/me"], "/var": [0o040777, 0], "/var/me": [FOLDER] },
      "/var may be written by every user",
    ],
    [
      "a link behind a link leads to everybody's",
      {
        "/homes/me": [LINK, 0, "/mnt/a/b"],
        "/mnt": [FOLDER, 0],
        "/mnt/a": [FOLDER, 0],
        "/mnt/a/b": [FOLDER],
        "/mnt/a/b/cache": [LINK, ME, "../c"],
        "/mnt/a/c": [0o040777],
        "/homes/c": [FOLDER],
      },
      "/mnt/a/c may be written by every user",
    ],
    [
      "a link leads over a link to everybody's",
      {
        "/homes/me": [LINK, 0, "/mnt/../var/me"],
        "/mnt": [LINK, 0, "/srv/a"],
        "/srv": [FOLDER, 0],
        "/srv/a": [FOLDER, 0],
        "/srv/var": [0o040777, 0],
        "/var": [FOLDER, 0],
      },
      "/srv/var may be written by every user",
    ],
    ["links lead round in a circle", { "/homes/me": [LINK, 0, "/homes/me"] }, "a symbolic link that leads to itself"],
  ])("is not used where %s", async (_what, change, says) => {
    const error = await assertTrusted(ENGINE, files({ ...GOOD, ...change })).catch((one: Error) => one);
    expect(error).toMatchObject({ name: "UntrustedCache", message: expect.stringContaining(says) });
    expect((error as Error).message).toMatch(
      /set COMPUTE_ENDPOINT_ENGINE_CACHE to a folder that only you can write\.$/,
    );
  });

  test("has a path that a shell can take", async () => {
    const change: Entries = { "/a b'c": [0o040777] };
    await expect(assertTrusted("/a b'c", files({ "/": [FOLDER, 0], ...change }))).rejects.toThrow(
      "chmod go-w '/a b'\\''c'",
    );
  });

  test("is not looked at where files have no owners", async () => {
    await expect(assertTrusted(ENGINE, { ...files({ [ENGINE]: [0o040777] }), me: undefined })).resolves.toBeUndefined();
  });

  test("is not there yet", async () => {
    await expect(assertTrustedFolder(ENGINE, files({ "/": [FOLDER, 0] }))).resolves.toBeUndefined();
  });
});

describe.skipIf(platform() === "win32")("on this system", () => {
  let root: string;
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "engine-trusted-")));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const fillAs = (umask: number) => {
    const before = process.umask(umask);
    return fillOnce(join(root, "cache/engine-1"), async (staging) => {
      await mkdir(join(staging, "bin"));
      await writeFile(join(staging, "bin/pulumi"), "", { mode: 0o777 });
    }).finally(() => process.umask(before));
  };
  const modeOf = async (path: string) => (await stat(join(root, path))).mode & 0o777;

  // The umask of a process is one for all its threads, so the runner's workers have to be processes, as they are.
  test.each([0o022, 0o002, 0o000])("what is made under umask %o is closed to others", async (umask) => {
    await fillAs(umask);
    expect(await modeOf("cache")).toBe(0o700);
    expect(await modeOf("cache/engine-1")).toBe(0o700);
    expect((await modeOf("cache/engine-1/bin")) & 0o022).toBe(0);
    expect((await modeOf("cache/engine-1/bin/pulumi")) & 0o122).toBe(0o100);
    await assertTrusted(join(root, "cache/engine-1"));
  });

  test("a folder that somebody else makes between the look and ours is not used", async () => {
    const cache = join(root, "cache");
    let looks = 0;
    const system: Files = {
      me: process.getuid!(),
      look: async (path) => {
        const found = await lstat(path).catch(() => undefined);
        // Right after the first look, in which there was nothing.
        if (path === cache && looks++ === 0) {
          await mkdir(cache);
          await chmod(cache, 0o777);
        }
        return found;
      },
      list: (path) => readdir(path),
      target: (path) => readlink(path),
    };
    await expect(ownFolder(cache, system)).rejects.toThrow(`${cache} may be written by every user (mode 0777)`);
    expect(looks).toBe(2);
  });

  test("a folder that is not there is made for its owner alone", async () => {
    await ownFolder(join(root, "new/cache"));
    expect([await modeOf("new"), await modeOf("new/cache")]).toEqual([0o700, 0o700]);
  });

  test("a link in what was made is not followed", async () => {
    await writeFile(join(root, "elsewhere"), "");
    await chmod(join(root, "elsewhere"), 0o666);
    await mkdir(join(root, "made"));
    await symlink(join(root, "elsewhere"), join(root, "made/link"));
    await closeToOthers(join(root, "made"));
    expect(await modeOf("elsewhere")).toBe(0o666);
    await expect(assertTrusted(join(root, "made"))).rejects.toThrow("is a symbolic link");
  });

  test("nothing in a cache that others may write is run, and nothing is built into it", async () => {
    const cache = join(root, "cache");
    await mkdir(cache);
    await chmod(cache, 0o777);
    const env = { PATH: join(root, "nothing"), COMPUTE_ENDPOINT_ENGINE_CACHE: cache };
    const error = await ensureEngine({ env, say: () => {} }).catch((one: Error) => one);
    expect(error).toBeInstanceOf(EngineUnavailable);
    expect((error as Error).message).toContain(`${cache} may be written by every user (mode 0777).`);
    expect((error as Error).message).toContain(`chmod go-w ${cache}`);
  });

  test("a cached engine that others may write is not started", async () => {
    const folder = cacheFolder(join(root, "cache"), ENGINE_VERSION, recipeRevision());
    const binary = join(folder, "bin/pulumi");
    await mkdir(join(folder, "bin"), { recursive: true, mode: 0o700 });
    await writeFile(binary, `#!/bin/sh\ntouch '${root}/started'\necho v${ENGINE_VERSION}\n`);
    await chmod(binary, 0o757);
    const env = { PATH: join(root, "nothing"), COMPUTE_ENDPOINT_ENGINE_CACHE: join(root, "cache") };
    await expect(ensureEngine({ env, say: () => {} })).rejects.toThrow(
      `${binary} may be written by every user (mode 0757)`,
    );
    await expect(stat(join(root, "started"))).rejects.toThrow("ENOENT");
    await chmod(binary, 0o700);
    expect(await ensureEngine({ env, say: () => {} })).toMatchObject({ source: "cache" });
    await stat(join(root, "started"));
  });
});
