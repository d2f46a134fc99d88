import { withoutForms } from "../secret-forms.js";

/** The password in a connection URI. In one that is well formed it holds neither `@` nor `/`. */
const PASSWORD = /(\bpostgres(?:ql)?:\/\/[^\s:@/]*:)[^\s@/]+@/gi;

/** Characters of a text that are looked at. Far fewer are shown, so half a secret at its end never is. */
const LOOKED_AT = 64 * 1024;

/** Takes out what the program calls secret. */
export interface Secrets {
  redact(text: string): string;
  redactForeign(text: string): string;
}

export const NO_SECRETS: Secrets = { redact: (text) => text, redactForeign: (text) => text };

/** Takes the key, passwords of connection URIs and secrets out of texts. */
export class Redactor {
  readonly #key: string[];
  readonly #secrets: Secrets;

  constructor(key: string, secrets: Secrets) {
    // A key of a letter or two (in somebody's test) would garble every text and is no secret.
    this.#key = key.length < 4 ? [] : [key];
    this.#secrets = secrets;
  }

  /** A text of ours, in which words of others may stand. */
  redact(text: string): string {
    return this.#secrets.redact(this.#withoutKey(text));
  }

  /**
   * A text of others, in one line: a service or a proxy may repeat a request or an answer in its error. To be called before
   * the text is cut.
   */
  redactForeign(text: string): string {
    return this.#secrets.redactForeign(this.#withoutKey(oneLine(text).slice(0, LOOKED_AT)));
  }

  #withoutKey(text: string): string {
    const safe = text.replace(PASSWORD, "$1[password]@");
    return withoutForms(safe, this.#key, "[key]");
  }
}

/** Control characters out of an answer could write anything on a terminal. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, " ").trim();
}
