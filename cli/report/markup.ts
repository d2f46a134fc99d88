// Escapes external texts for Markdown. As code, they create no links, mentions, issue numbers or tags on GitHub and GitLab.

/** Characters that could end the code or the cell, start a tag, or create a link on some hosts. */
const RISKY = /[`|\\<>&@#]/;

/** For a cell of a table, a list or a heading. */
export function code(text: string): string {
  if (text === "") return '`""`';
  // Behind an entity no character has a meaning: neither `|` for the table nor a backtick for the code.
  if (RISKY.test(text)) return `<code>${text.replace(ESCAPED, entity)}</code>`;
  return `\`${text}\``;
}

/**
 * Everything but letters, digits and characters without a meaning inside a line. A dot or a colon before a space makes neither a
 * link nor an emoji.
 */
const ESCAPED = /(?![.:](?: |$))[^\p{L}\p{N} \-,→="()]/gu;

/** GitHub makes a link of a mail address even if its `@` is an entity. The `<wbr>` after the `@` prevents that. */
const entity = (one: string): string => `&#${one.codePointAt(0)};${one === "@" ? "<wbr>" : ""}`;

export const bytesOf = (text: string): number => Buffer.byteLength(text, "utf8");
