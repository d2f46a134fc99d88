/** A copy without undefined values: Pulumi's structs refuse them. Called for every compute, several times. */
export function pruned<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const copy: Partial<T> = {};
  for (const key in value) if (value[key] !== undefined) copy[key] = value[key];
  return copy as never;
}

/** The object if it has a property. */
export const filled = <T extends object>(value: T | undefined): T | undefined =>
  value && Object.keys(value).length > 0 ? value : undefined;
