/** Ids in the service's style. They depend on `random` alone, so a seeded `random` repeats them. */

const FIRST =
  "amber ancient bright calm cold copper crimson dark dawn deep dry falling fancy gentle green icy late little";
const SECOND =
  "base bird block boat bonus bread breeze bush cake cell cherry cloud darkness dawn dew dream dust feather";
const LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789";
/** Begins the last part of each id. */
const TAIL_START = "a5";
const TAIL_LENGTH = 6;
const PROJECT_DIGITS = 8;
const API_KEY_DIGITS = 7;
const API_KEY_LENGTH = 64;
const PASSWORD_LENGTH = 12;
const LARGEST_DATABASE_ID = 1e8;

const pick = <T>(random: () => number, from: ArrayLike<T>): T => from[Math.floor(random() * from.length)] as T;
const letters = (random: () => number, count: number, from: string = LETTERS) =>
  Array.from({ length: count }, () => pick(random, from)).join("");
const words = (random: () => number) => `${pick(random, FIRST.split(" "))}-${pick(random, SECOND.split(" "))}`;

/** Makes ids until one is free: a seeded `random` repeats the ids of a world that comes from a state file. */
function fresh(taken: (id: string) => boolean, make: () => string): string {
  for (;;) {
    const id = make();
    if (!taken(id)) return id;
  }
}

type Rows = Record<string, unknown>;
const named = (prefix: string, random: () => number, rows: Rows) =>
  fresh(
    (id) => Object.hasOwn(rows, id),
    () => `${prefix}-${words(random)}-${TAIL_START}${letters(random, TAIL_LENGTH)}`,
  );

export const endpointId = (random: () => number, rows: Rows) => named("ep", random, rows);
export const branchId = (random: () => number, rows: Rows) => named("br", random, rows);
export const projectId = (random: () => number, rows: Rows) =>
  fresh(
    (id) => Object.hasOwn(rows, id),
    () => `${words(random)}-${pick(random, "123456789")}${letters(random, PROJECT_DIGITS - 1, "0123456789")}`,
  );
export const databaseId = (random: () => number) => Math.floor(random() * LARGEST_DATABASE_ID);
export const apiKeyId = (random: () => number, rows: Rows): number =>
  Number(
    fresh(
      (id) => Object.hasOwn(rows, id),
      () => `${pick(random, "123456789")}${letters(random, API_KEY_DIGITS - 1, "0123456789")}`,
    ),
  );
export const apiKeyText = (random: () => number) => `napi_${letters(random, API_KEY_LENGTH)}`;
export const password = (random: () => number) => `npg_${letters(random, PASSWORD_LENGTH)}`;

export function uuid(random: () => number, taken: (id: string) => boolean = () => false): string {
  const hex = (count: number) => letters(random, count, "0123456789abcdef");
  return fresh(taken, () => `${hex(8)}-${hex(4)}-4${hex(3)}-${pick(random, "89ab")}${hex(3)}-${hex(12)}`);
}

/** A source of randomness that repeats: the same seed gives the same ids (mulberry32; any small generator would do). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
