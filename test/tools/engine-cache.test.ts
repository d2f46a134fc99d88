import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { homedir, hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cacheFolder, cacheRoot, fillOnce } from "../../tools/engine/cache";
import { recipeRevision } from "../../tools/engine/recipe";

describe("where engines are kept", () => {
  test.each([
    [{ COMPUTE_ENDPOINT_ENGINE_CACHE: "/own", XDG_CACHE_HOME: "/xdg" }, "linux", "/own"],
    [{ XDG_CACHE_HOME: "/xdg" }, "linux", "/xdg/pulumi-compute-endpoint"],
    [{ XDG_CACHE_HOME: "/xdg" }, "darwin", "/xdg/pulumi-compute-endpoint"],
    [{}, "linux", join(homedir(), ".cache", "pulumi-compute-endpoint")],
    [{}, "darwin", join(homedir(), "Library", "Caches", "pulumi-compute-endpoint")],
  ])("with %j on %s: %s", (env, os, root) => {
    expect(cacheRoot(env, os)).toBe(root);
  });

  test("each version and recipe has a folder of its own", () => {
    expect(cacheFolder("/cache", "3.274.1", "abcd1234")).toBe("/cache/engine-3.274.1-abcd1234");
  });

  test("the recipe's revision is stable", () => {
    expect(recipeRevision()).toMatch(/^[0-9a-f]{8}$/);
    expect(recipeRevision()).toBe(recipeRevision());
  });
});

describe("filling the cache", () => {
  let root: string;
  let folder: string;
  const QUICK = { everyMs: 5 };
  const put =
    (text: string, afterMs = 0) =>
    async (staging: string) => {
      await sleep(afterMs);
      await writeFile(join(staging, "file"), text);
    };
  const content = () => readFile(join(folder, "file"), "utf8");
  const lockOf = (pid: number, host = hostname()) => JSON.stringify({ pid, host, token: "other" });
  /** A process id that is certainly free: no system gives so high a one. */
  const NOBODY = 2 ** 30;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "engine-cache-"));
    folder = join(root, "cache", "engine-1");
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  test("leaves the folder and nothing beside it", async () => {
    await fillOnce(folder, put("a"));
    expect(await content()).toBe("a");
    expect(await readdir(join(root, "cache"))).toEqual(["engine-1"]);
  });

  test("what is there stays", async () => {
    await fillOnce(folder, put("a"));
    await fillOnce(folder, put("b"));
    expect(await content()).toBe("a");
  });

  test("of five at the same time one fills and four wait for it", async () => {
    let fills = 0;
    let waits = 0;
    const fill = async (staging: string) => {
      fills++;
      expect(existsSync(folder)).toBe(false);
      await put("once", 60)(staging);
    };
    await Promise.all(Array.from({ length: 5 }, () => fillOnce(folder, fill, () => waits++, QUICK)));
    expect({ fills, waits }).toEqual({ fills: 1, waits: 4 });
  });

  test("after a failure there is neither folder nor lock, and the next one tries again", async () => {
    const failing = async (staging: string) => {
      await put("half")(staging);
      throw new Error("no network");
    };
    await expect(fillOnce(folder, failing)).rejects.toThrow("no network");
    expect(await readdir(join(root, "cache"))).toEqual([]);
    await fillOnce(folder, put("whole"));
    expect(await content()).toBe("whole");
  });

  test("a lock whose owner is dead is taken over, and its half cache removed", async () => {
    await mkdir(`${folder}.tmp-dead`, { recursive: true });
    await writeFile(`${folder}.lock`, lockOf(NOBODY));
    await fillOnce(folder, put("a"), undefined, QUICK);
    expect(await readdir(join(root, "cache"))).toEqual(["engine-1"]);
  });

  test("a lock that nobody has touched for long is taken over, whoever holds it", async () => {
    await mkdir(join(root, "cache"));
    await writeFile(`${folder}.lock`, lockOf(process.pid, "another machine"));
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(`${folder}.lock`, longAgo, longAgo);
    await fillOnce(folder, put("a"), undefined, QUICK);
    expect(await content()).toBe("a");
  });

  test.each([
    ["of a living process", process.pid, hostname()],
    ["of a process on another machine", NOBODY, "another machine"],
  ])("a fresh lock %s is waited for", async (_, pid, host) => {
    await mkdir(join(root, "cache"));
    await writeFile(`${folder}.lock`, lockOf(pid, host));
    let waited = false;
    const filling = fillOnce(folder, put("mine"), () => (waited = true), QUICK);
    await expect.poll(() => waited).toBe(true);
    expect(existsSync(folder)).toBe(false);
    await rm(`${folder}.lock`);
    await filling;
    expect(await content()).toBe("mine");
  });

  test("where two fill all the same, the first one wins and both end well", async () => {
    await fillOnce(folder, async (staging) => {
      await put("second")(staging);
      await mkdir(folder);
      await writeFile(join(folder, "file"), "first");
    });
    expect(await content()).toBe("first");
    expect(await readdir(join(root, "cache"))).toEqual(["engine-1"]);
  });
});
