/** What a release does with the files of `.changeset/`, in a copy. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "./snippets";

const FILES = [".changeset", "CHANGELOG.md", "package.json", "package-lock.json", "examples"];

let copy: string;
const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: copy, encoding: "utf8" });
const changeset = (...args: string[]) => run(process.execPath, require.resolve("@changesets/cli/bin.js"), ...args);
const read = (name: string) => readFileSync(join(copy, name), "utf8");
const version = () => (JSON.parse(read("package.json")) as { version: string }).version;
const pending = () =>
  readdirSync(join(copy, ".changeset")).filter((name) => name.endsWith(".md") && name !== "README.md");
/** Words only: the release breaks lines and indents as it likes. */
const plain = (text: string) => text.replace(/\s+/g, " ").trim();

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "compute-endpoint-release-"));
  for (const name of FILES) {
    cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter: (path) => !path.includes("node_modules") });
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  run("git", "init", "-q", "-b", "main");
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
  run("git", "add", ...FILES);
  run("git", ...author, "commit", "-q", "-m", "A release is near");
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test("each pending change names the package, and the next release moves all of them into the changelog", () => {
  expect(changeset("status")).toContain("pulumi-compute-endpoint");

  const before = version();
  const texts = pending().map((name) => plain(read(join(".changeset", name)).split("---\n").slice(2).join("---\n")));
  changeset("version");
  expect(pending()).toEqual([]);
  const [title, newest, ...older] = read("CHANGELOG.md").split(/^(?=#{1,2} )/m);
  if (texts.length > 0) {
    expect(version()).not.toBe(before);
    expect(newest).toMatch(new RegExp(`^## ${version()}\n`));
    expect(texts.filter((text) => !plain(newest!).includes(text))).toEqual([]);
  }
  expect(title?.trim()).toBe("# pulumi-compute-endpoint");
  // Each section is a release: nothing by hand waits for one that never comes.
  expect(older.map((section) => section.split("\n")[0]).filter((line) => !/^## \d+\.\d+\.\d+$/.test(line!))).toEqual(
    [],
  );
});
