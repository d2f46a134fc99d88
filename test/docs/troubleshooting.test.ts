/** The page is found by the text of an error, so it has to quote errors as they are. */
import { describe, expect, test } from "vitest";
import { partsOf, quotesOf, textsInSources, unknownParts } from "./messages";
import { proseOf, textOf } from "./pages";

const PAGE = textOf("docs/troubleshooting.md");
const QUOTES = quotesOf(PAGE);
const TEXTS = textsInSources();

describe("docs/troubleshooting.md", () => {
  test("quotes messages that the sources have", () => {
    expect(TEXTS.length).toBeGreaterThan(2_000);
    expect(unknownParts(QUOTES, TEXTS)).toEqual([]);
  });

  test("quotes enough of each to be found: at least three words in a row", () => {
    const short = QUOTES.filter(({ text }) => !partsOf(text).some((part) => part.split(/\s+/).length >= 3));
    expect(short).toEqual([]);
  });

  test("covers the 25 most likely ones and more, and says what to do about each", () => {
    const entries = proseOf(PAGE).split(/^### /m).slice(1);
    expect(entries.length).toBeGreaterThanOrEqual(40);
    const titleOf = (entry: string) => entry.split("\n", 1)[0];
    expect(entries.filter((entry) => !/^\*\*What to do:\*\*|^- \*\*From /m.test(entry)).map(titleOf)).toEqual([]);
  });

  test("would be told of a message that was reworded", () => {
    const quote = { text: "branch … already has its first compute", line: 7 };
    expect(unknownParts([quote], TEXTS)).toEqual([
      "line 7: no source has «already has its first compute» of «branch … already has its first compute»",
    ]);
  });
});
