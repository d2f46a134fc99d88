import { queryError } from "../model/errors.js";

/** A number in the query, or a 400 if it is out of range. */
export function wholeNumber(query: URLSearchParams, name: string, least: number, most: number): number | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const value = /^-?\d+$/.test(given) ? Number(given) : Number.NaN;
  if (!(value >= least && value <= most)) throw queryError(name, `${JSON.stringify(given)} is not ${least} to ${most}`);
  return value;
}

export function oneOf<T extends string>(query: URLSearchParams, name: string, words: readonly T[]): T | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const word = words.find((one) => one === given);
  if (word === undefined) throw queryError(name, `${JSON.stringify(given)} is not one of ${words.join(", ")}`);
  return word;
}
