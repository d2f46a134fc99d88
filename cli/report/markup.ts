// Texts of others inside Markdown. As code they make no links, mentions, issue numbers or tags, with GitHub as with GitLab.

/** What could end the code or the cell, begin a tag or, where a host is careless, make a link of a name or a number. */
const RISKY = /[`|\\<>&@#]/;

/** For a cell of a table, a list or a heading. */
export function code(text: string): string {
  if (text === "") return '`""`';
  // Behind an entity no character has a meaning: neither `|` for the table nor a backtick for the code.
  if (RISKY.test(text)) return `<code>${text.replace(/[^\p{L}\p{N} ]/gu, entity)}</code>`;
  return `\`${text}\``;
}

/** GitHub makes a link of a mail address even if its `@` is an entity. The `<wbr>` behind the `@` prevents that. */
const entity = (one: string): string => `&#${one.codePointAt(0)};${one === "@" ? "<wbr>" : ""}`;

export const bytesOf = (text: string): number => Buffer.byteLength(text, "utf8");
