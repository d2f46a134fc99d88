import { describe, expect, test } from "vitest";
import { readConfig } from "../../../provider/config";
import { quotedText } from "../../../provider/rules/quoted-text";

describe("a text that does not fit", () => {
  test.each([
    ["never", '"never"'],
    ["", '""'],
    ["yes please: now!", '"yes please: now!"'],
    ["x".repeat(60), `"${"x".repeat(60)}"`],
    ["x".repeat(61), "a text of 61 characters"],
    ['tab\tseparated-"secret"', "a text of 22 characters"],
    ["line\u2028separator", "a text of 14 characters"],
    ["a<b>&c", "a text of 6 characters"],
    ["back\\slash", "a text of 10 characters"],
    ["pässword", "a text of 8 characters"],
  ])("%j is shown whole and unchanged, or not at all", (text, shown) => {
    expect(quotedText(text)).toBe(shown);
  });

  test.each([
    ["compute:onRestart"],
    ["compute:sizes"],
    ["compute:autoName"],
    ["compute:askAgain"],
    ["compute:pollSeconds"],
    ["compute:requestsPerMinute"],
    ["compute:approve"],
  ])("%s: no part of a secret that Pulumi would not find is in the error", (name) => {
    for (const mark of ['"', "\t", "\n", "\u2028", "<", "&", "\\", "é", "x".repeat(70)]) {
      for (const secret of [`hunter2${mark}correct-horse`, JSON.stringify([`hunter2${mark}correct-horse`])]) {
        const { problems } = readConfig({ get: (asked) => (asked === name ? secret : undefined) }, {});
        expect(problems).toHaveLength(1);
        expect(problems[0]!.reason).not.toMatch(/hunter2|correct-horse/);
      }
    }
  });
});
