import { HiddenTexts, oneLineOf, withoutHidden } from "../secret-forms.js";

export { oneLineOf };

/** Characters of a text that are looked at. Far fewer are shown, so half a secret at its end never is. */
const LOOKED_AT = 64 * 1024;
/** Characters that are made one line first: white space may be most of a text, and a text of megabytes takes much memory. */
const READ = 16 * LOOKED_AT;

/** Takes out what the program calls secret. */
export interface Secrets {
  /** @param more further texts to hide, in the same pass: a secret may contain the key */
  redact(text: string, ...more: HiddenTexts[]): string;
  redactForeign(text: string, ...more: HiddenTexts[]): string;
}

export const NO_SECRETS: Secrets = {
  redact: (text, ...more) => withoutHidden(text, more, false),
  redactForeign: (text, ...more) => withoutHidden(text, more, true),
};

/** Takes the key, passwords of connection URIs and secrets out of texts. */
export class Redactor {
  readonly #key: HiddenTexts;
  readonly #secrets: Secrets;

  constructor(key: string, secrets: Secrets) {
    // A key of a letter or two (in somebody's test) would garble every text and is no secret.
    this.#key = new HiddenTexts("[key]", key.length < 4 ? [] : [key]);
    this.#secrets = secrets;
  }

  /** A text of ours, in which words of others may stand. */
  redact(text: string): string {
    return this.#secrets.redact(text, this.#key);
  }

  /**
   * A text of others, in one line: a service or a proxy may repeat a request or an answer in its error. To be called before
   * the text is cut.
   */
  redactForeign(text: string): string {
    return this.#secrets.redactForeign(oneLineOf(text.slice(0, READ)).slice(0, LOOKED_AT), this.#key);
  }
}
