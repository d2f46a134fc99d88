/** Formatting a comment again must not break it: its code shows in the API reference, its lists stay lists. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(__dirname, "../..");

const LINES = ["sdk", "provider", "native", "cli", "policy", "emulator"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) =>
      readFileSync(join(ROOT, folder, name), "utf8")
        .split("\n")
        .map((text, at) => ({ where: `${folder}/${name}:${at + 1}`, text }))
        .filter(({ text }) => /^\s*(\/\/|\/?\*)/.test(text)),
    ),
);

test.each([
  ["code on the line of a fence", /```\w+\s+\S/],
  ["a run of spaces inside a sentence", /\S {2,}\S/],
  ["two items of a numbered list on one line", /\s1\. .*\s2\. /],
])("no comment has %s", (_what, broken) => {
  expect(LINES.length).toBeGreaterThan(1000);
  const words = (text: string) => text.replace(/^\s*(\/\/|\/?\*+)/, "").replaceAll(/(?<!`)`[^`]+`(?!`)|"[^"]*"/g, "x");
  const found = LINES.filter(({ text }) => broken.test(words(text)));
  expect(found.map(({ where, text }) => `${where} ${text.trim()}`)).toEqual([]);
});
