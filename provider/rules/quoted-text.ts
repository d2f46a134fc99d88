// An invalid value, as an error shows it. It may be a secret that somebody copied to the wrong place. Pulumi hides secrets in
// what it prints, and finds only those that stand there whole and unchanged.

const LONGEST = 60;
/** Printable ASCII without the characters that JSON, HTML or our own escapes would change. */
const UNCHANGED = /^[ !#-%'-;=?-[\]-~]*$/;

/** The text in quotes, or only its length where quoting would cut or change it. */
export const quotedText = (text: string): string =>
  text.length <= LONGEST && UNCHANGED.test(text) ? `"${text}"` : `a text of ${text.length} characters`;
