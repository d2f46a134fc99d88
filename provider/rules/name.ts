// Names of computes: what the service takes, counted as people count.

/** Letters of any script, emoji too: what the service counts are characters, not the 16-bit units of JavaScript. */
export const LONGEST_NAME = 64;

/** Control characters, line breaks of every kind, and halves of characters, which no request can carry. */
const UNFIT = /[\p{Control}\p{Surrogate}\u2028\u2029]/u;

export const isName = (name: string): boolean => {
  // A text of megabytes is not spread into characters.
  const length = name.length > 2 * LONGEST_NAME ? name.length : [...name].length;
  return length >= 1 && length <= LONGEST_NAME && !UNFIT.test(name);
};

/** The beginning of a text, fit for a name and not longer than so many characters. No character is cut in two. */
export function beginningOf(text: string, longest: number): string {
  const fit = text.replace(new RegExp(UNFIT, "gu"), "-");
  if ([...fit].length <= longest) return fit;
  let [beginning, length] = ["", 0];
  // What people see as one character, such as a flag or an accented letter, can be several code points.
  for (const { segment } of new Intl.Segmenter("en").segment(fit)) {
    length += [...segment].length;
    if (length > longest) break;
    beginning += segment;
  }
  return beginning === "" ? [...fit].slice(0, longest).join("") : beginning;
}
