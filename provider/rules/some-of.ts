/**
 * The first of many texts, for a sentence: "a, b and 3 more".
 * @param show formats each listed text
 */
export function someOf(texts: readonly string[], most: number, show = (text: string) => text): string {
  const more = texts.length - most;
  return `${texts.slice(0, most).map(show).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
