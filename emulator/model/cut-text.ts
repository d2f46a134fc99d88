/**
 * The first characters of a text, as a copy. In V8, a substring keeps the whole string in memory. A short text may be such a
 * substring, so it is copied too.
 */
export const cutText = (text: string, characters: number): string =>
  Buffer.from(text.slice(0, characters), "utf16le").toString("utf16le");
