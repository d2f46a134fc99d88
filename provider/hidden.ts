// Values that programs call secret. A service may repeat them in its errors, which are printed and kept in the state.

type Props = Record<string, unknown>;

/** What is shorter would be found in words that have nothing to do with it. */
const SHORTEST = 4;

export class Hidden {
  readonly #values = new Set<string>();

  /** Remembers the values that a resource's inputs mark as secret. */
  see(inputs: Props): void {
    const names = inputs["__secret"];
    if (Array.isArray(names)) for (const name of names) this.#add(inputs[String(name)]);
  }

  /** The text without them. */
  out(text: string): string {
    // The longest first: one may be part of another.
    const values = [...this.#values].sort((a, b) => b.length - a.length);
    return values.reduce((rest, value) => rest.replaceAll(value, "[secret]"), text);
  }

  #add(value: unknown): void {
    if (typeof value === "string" && value.length >= SHORTEST) this.#values.add(value);
    else if (value !== null && typeof value === "object") for (const inner of Object.values(value)) this.#add(inner);
  }
}
