import { HiddenTexts, oneLineOf, withoutHiddenTexts } from "../secret-forms.js";
import { escapeInvisible } from "../visible-text.js";

export { oneLineOf };

/** The redactor searches this many characters. Messages show far fewer, so a secret that is cut here is never shown. */
const SEARCHED = 64 * 1024;
/** Only this many characters are joined to one line first: a text of megabytes would take too much memory. */
const READ = 16 * SEARCHED;

/** Removes the program's secret values from texts. */
export interface SecretRemover {
  /** @param more further texts to take out in the same pass: a secret may contain the key */
  redact(text: string, ...more: HiddenTexts[]): string;
  redactExternal(text: string, ...more: HiddenTexts[]): string;
}

export const NO_SECRETS: SecretRemover = {
  redact: (text, ...more) => withoutHiddenTexts(text, more, false),
  redactExternal: (text, ...more) => withoutHiddenTexts(text, more, true),
};

/** Removes the key, passwords of connection URIs and secrets from texts. */
export class Redactor {
  readonly #key = new HiddenTexts("[key]");
  readonly #secrets: SecretRemover;

  constructor(key: string, secrets: SecretRemover) {
    this.#key.addKey(key);
    this.#secrets = secrets;
  }

  /** For a text that we wrote. It may quote the service. */
  redact(text: string): string {
    return this.#secrets.redact(text, this.#key);
  }

  /**
   * For a text that somebody else wrote. It becomes one visible line. A service or a proxy may repeat a request or an answer in
   * its error. Call this before the text is cut.
   */
  redactExternal(text: string): string {
    const line = oneLineOf(text.slice(0, READ)).slice(0, SEARCHED);
    // Escapes come last: they would split a secret.
    return escapeInvisible(this.#secrets.redactExternal(line, this.#key));
  }
}
