/**
 * The first characters of a text, as a copy. V8 makes a part of a string refer to the whole string: as long as somebody holds
 * the part, the whole stays in memory. A short text may be a part of a long one too, so it is copied as well.
 */
export const cutText = (text: string, characters: number): string =>
  Buffer.from(text.slice(0, characters), "utf16le").toString("utf16le");
