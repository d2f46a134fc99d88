/** The texts in a list of any values. No text if it is no list. */
export const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
