/** What must not stand in any file of the repository: it is for everybody's machine. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = resolve(__dirname, "../..");

/** Tracked files, and new ones that will be. */
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: ROOT, encoding: "utf8" })
  .split("\n")
  .filter((path) => path !== "" && path !== "LICENSE" && existsSync(join(ROOT, path)))
  .filter((path) => statSync(join(ROOT, path)).size < 2_000_000);

/** "path:line: what stands there", for a pattern that is built so that it does not match itself. */
function linesWith(pattern: RegExp): string[] {
  return files.flatMap((path) =>
    readFileSync(join(ROOT, path), "utf8")
      .split("\n")
      .flatMap((line, index) => {
        const found = pattern.exec(line)?.[0];
        return found === undefined ? [] : [`${path}:${index + 1}: ${found}`];
      }),
  );
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Hosts that this machine's npm and Go are set to: a mirror's name must not get into the lock file or anywhere else. */
function registries(): string[] {
  const outputs = [
    ["npm", "config", "get", "registry"],
    ["go", "env", "GOPROXY"],
  ].map(([command, ...args]) => {
    try {
      return execFileSync(command!, args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    } catch {
      return "";
    }
  });
  return outputs.flatMap((text) => [...text.matchAll(/https?:\/\/([^/\s,|]+)/g)].map(([, host]) => host!));
}

describe("no file of the repository", () => {
  test.each([
    ["names the host of a package registry", /\bregistry\.[a-z][\w-]*\.[a-z]{2,}/i],
    ["names a registry that this machine uses", new RegExp(["(?!)", ...registries().map(escaped)].join("|"), "i")],
    ["holds a path of one machine", /(?<![\w.~-])\/(?:work|root|home\/\w+|Users\/\w+)\//],
    ["points out of the repository", /\.\.\/shared\b/],
    ["speaks of how it was made", /\b(?:this|previous|earlier|last|next|another|agent) sessions?\b|\bseed document\b/i],
    ["is the rest of a merge", /^(?:<{7}|>{7}) /],
  ])("%s", (_what, pattern) => {
    expect(files.length).toBeGreaterThan(100);
    expect(linesWith(pattern)).toEqual([]);
  });

  test("pins where a package is fetched from", () => {
    const lock = readFileSync(join(ROOT, "package-lock.json"), "utf8");
    const { packages } = JSON.parse(lock) as { packages: Record<string, { resolved?: string; link?: boolean }> };
    const pinned = Object.entries(packages).filter(([, { resolved, link }]) => resolved !== undefined && !link);
    expect(pinned).toEqual([]);
    expect(lock).not.toMatch(/https?:\/\/[^"]*\.tgz/);
  });

  test("leaves tests out, but for those that say aloud that there is no engine or no browser", () => {
    const partial = /\b(?:test|describe|it)\.(?:only|todo|skip)\b|\b[fx](?:describe|it)\(/;
    const tests = files.filter((path) => path.startsWith("test/") && path.endsWith(".ts"));
    const found = tests.filter((path) => partial.test(readFileSync(join(ROOT, path), "utf8")));
    expect(found).toEqual(["test/support/browser.ts", "test/support/engine.ts"]);
  });
});
