// Values that programs call secret. A service may repeat them in its errors, which are printed and kept in the state.

import { HiddenTexts, MIN_PART, SHORTEST_SECRET, withoutHiddenTexts } from "./secret-forms.js";

type Props = Record<string, unknown>;

const SECRET = "[secret]";

/** No letter or digit stands before. The `n` of an escape such as `\n` does not count as a letter. */
const START = "(?<!(?<!\\\\)[\\p{L}\\p{N}_])";
const END = "(?![\\p{L}\\p{N}_])";

/**
 * A number as people and programs write it: with a sign, thousands, an exponent, a unit after it. The number in `ep-amber-5`,
 * `1.2.3` or `%20` is a part of a word.
 */
const NUMBER = new RegExp(
  `${START}(?<![\\p{L}_]-|\\d\\.|%)[+-]?(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?(?:e[+-]?\\d+)?(?=(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|d|cu|vcpu|[kmg]i?b?)?${END})(?!\\.\\d)`,
  "giu",
);

export class SecretRedactor {
  readonly #texts = new HiddenTexts(SECRET);
  /** Values that the program's `transforms` may have made secret: Pulumi does not tell the class's provider. */
  readonly #possiblySecret = new HiddenTexts("[value]");
  readonly #shortTexts = new Map<string, RegExp>();
  readonly #numbers = new Set<number>();

  /** Remembers the values that a resource's inputs or outputs mark as secret. */
  remember(props: Props): void {
    const names = props["__secret"];
    if (Array.isArray(names)) for (const name of names) this.#add(props[String(name)]);
    this.#rememberPossibleSecrets(props["settings"]);
  }

  /**
   * A text that we wrote, without secret texts. Its numbers stay: they are counts and times, never a secret.
   * @param more further texts to hide in the same pass, for example a key: a secret may contain it
   */
  redact(text: string, ...more: HiddenTexts[]): string {
    return withoutHiddenTexts(text, [...more, this.#texts], false);
  }

  /** A text that somebody else wrote, without secret texts, parts of them, and secret numbers. */
  redactExternal(text: string, ...more: HiddenTexts[]): string {
    const whole = withoutHiddenTexts(text, [...more, this.#texts, this.#possiblySecret], true);
    const rest = [...this.#shortTexts.values()].reduce((left, word) => left.replace(word, SECRET), whole);
    if (this.#numbers.size === 0) return rest;
    // "1,300" is a number or a list of two.
    const isSecret = (number: string) => !/^[+-]?0\d/.test(number) && this.#numbers.has(Number(number));
    return rest.replace(NUMBER, (number) => {
      if (isSecret(number.replaceAll(",", ""))) return SECRET;
      return number
        .split(",")
        .map((part) => (isSecret(part) ? SECRET : part))
        .join(",");
    });
  }

  #add(value: unknown): void {
    if (typeof value === "number") this.#addNumber(value);
    else if (typeof value === "string") this.#addText(value);
    else if (value !== null && typeof value === "object") for (const inner of Object.values(value)) this.#add(inner);
  }

  #addNumber(value: number): void {
    this.#numbers.add(value);
    // A long number may be cut, or be part of a word.
    if (String(value).length >= MIN_PART) this.#texts.add(String(value));
  }

  /**
   * The settings of applications, with a dot in their names, may hold tokens. Others are words and sizes that a reader needs.
   */
  #rememberPossibleSecrets(settings: unknown): void {
    const { pgSettings } = (settings ?? {}) as Props;
    for (const [name, value] of Object.entries((pgSettings ?? {}) as Props)) {
      if (name.includes(".") && typeof value === "string" && value.length >= MIN_PART) this.#possiblySecret.add(value);
    }
  }

  #addText(value: string): void {
    const known = this.#texts.has(value) || this.#shortTexts.has(value);
    if (known || value.trim() === "") return;
    if (!Number.isNaN(Number(value))) this.#numbers.add(Number(value));
    if (value.length >= SHORTEST_SECRET) this.#texts.add(value);
    else if (/^[\p{L}\p{N}]*\d[\p{L}\p{N}]*$/u.test(value)) {
      this.#shortTexts.set(value, new RegExp(`${START}${value}${END}`, "gu"));
    }
  }
}
