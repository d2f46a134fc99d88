// Adds and removes list entries in the text of a YAML file. Other lines do not change.

import type { Node, Pair, YAMLMap, YAMLSeq } from "yaml";

export interface NewItem {
  entry: string;
  /** What is approved, for those who read the file. One line. */
  comment?: string | undefined;
}

/** Where items go. `keys` are the keys that are still missing above the list. */
export type InsertionPoint =
  | { kind: "value"; map: YAMLMap; pair: Pair; keys: readonly string[] }
  | { kind: "key"; map: YAMLMap; keys: readonly string[] }
  | { kind: "end"; keys: readonly string[] };

const STEP = "  ";

/** Returns the text with a new list. Replaces a single text or an empty list, if there is one. */
export function insertList(text: string, place: InsertionPoint, items: readonly NewItem[]): string {
  if (place.kind === "end") return addLines(text, text.length, blockOf(place.keys, items, ""));
  const { map, keys } = place;
  if (place.kind === "value") return replaceValue(text, map, place.pair, keys, items);
  const last = map.items.at(-1)!;
  if (map.flow) {
    const end = endOf(last.value as Node | null) ?? endOf(last.key as Node)!;
    return splice(text, end, end, `, ${flowOf(keys, items)}`);
  }
  const [first] = map.items;
  return addLines(text, endOfPair(text, last), blockOf(keys, items, indentAt(text, startOf(first!.key as Node))));
}

/** The text with these items after the last one of a list. */
export function addItems(text: string, list: YAMLSeq, items: readonly NewItem[]): string {
  const last = list.items.at(-1) as Node;
  const end = endOf(last)!;
  if (list.flow) return splice(text, end, end, items.map(({ entry }) => `, ${quoted(entry)}`).join(""));
  return addLines(
    text,
    end,
    items.map((one) => `${indentAt(text, startOf(last))}${lineOf(one)}`),
  );
}

/**
 * The text without these items of a list. Comments in their lines go with them.
 * @param isEmptied whether all items are removed, so that `[]` is written in their place
 */
export function removeItems(text: string, list: YAMLSeq, remove: ReadonlySet<number>, isEmptied: boolean): string {
  let rest = text;
  for (const index of [...remove].sort((a, b) => b - a)) {
    const node = list.items[index] as Node;
    const start = rest.lastIndexOf("\n", startOf(node) - 1) + 1;
    const isKept = isEmptied && index === 0;
    const end = endOfLine(rest, endOf(node)!);
    rest = splice(rest, start, end, isKept ? `${indentAt(text, startOf(node))}[]${lineEnd(text)}` : "");
  }
  return rest;
}

/** Removes a key and its value, which must be on their own lines. @param list the value, if its entries are on their own lines */
export function removePair(text: string, { key, value }: Pair, list: YAMLSeq | undefined): string {
  const rest = list ? removeItems(text, list, new Set(list.items.keys()), false) : text;
  const start = rest.lastIndexOf("\n", startOf(key as Node) - 1) + 1;
  const last = list ? endOf(key as Node) : (endOf(value as Node | null) ?? endOf(key as Node));
  return splice(rest, start, endOfLine(rest, last!), "");
}

/** The text with a list in brackets in which `remove` is removed and `items` are added. */
export function rebuildFlow(
  text: string,
  list: YAMLSeq,
  remove: ReadonlySet<number>,
  items: readonly NewItem[],
): string {
  const kept = (list.items as Node[]).filter((_, index) => !remove.has(index));
  const texts = [
    ...kept.map((node) => text.slice(startOf(node), endOf(node))),
    ...items.map((one) => quoted(one.entry)),
  ];
  return splice(text, startOf(list), endOf(list)!, `[${texts.join(", ")}]`);
}

function replaceValue(
  text: string,
  map: YAMLMap,
  { key, value }: Pair,
  keys: readonly string[],
  items: readonly NewItem[],
): string {
  const colon = text.indexOf(":", endOf(key as Node)) + 1;
  const [start, last] = (value as Node | null)?.range ?? [colon, colon];
  // If there is no value, a comment may follow the key; keep the space before the comment.
  const end = start === last ? colon : last;
  if (map.flow) return splice(text, colon, end, ` ${flowOf(keys, items)}`);
  if (keys.length === 0 && items.length === 0) return splice(text, colon, end, " []");
  const lines = blockOf(keys, items, indentAt(text, startOf(key as Node)) + STEP);
  // A text of several lines ends after its last line.
  const isWholeLine = text[end - 1] === "\n";
  const without = splice(text, colon, end, isWholeLine ? lineEnd(text) : "");
  return addLines(without, colon, lines);
}

/** "config:", "  compute:approve:", `    - "…"`, from this indentation on. */
function blockOf(keys: readonly string[], items: readonly NewItem[], indent: string): string[] {
  const [key, ...more] = keys;
  if (key === undefined) return items.map((one) => `${indent}${lineOf(one)}`);
  if (more.length === 0 && items.length === 0) return [`${indent}${key}: []`];
  return [`${indent}${key}:`, ...blockOf(more, items, indent + STEP)];
}

function flowOf(keys: readonly string[], items: readonly NewItem[]): string {
  const list = `[${items.map(({ entry }) => quoted(entry)).join(", ")}]`;
  const [first, ...more] = keys;
  if (first === undefined) return list;
  return `${quoted(first)}: ${more.reduceRight((inner, key) => `{${quoted(key)}: ${inner}}`, list)}`;
}

/** YAML reads digits, also with an `e` among them, as a number. */
const quoted = (entry: string): string => JSON.stringify(entry);
const lineOf = ({ entry, comment }: NewItem): string => `- ${quoted(entry)}${comment ? ` # ${comment}` : ""}`;

/** Inserts whole lines after the line that contains the offset. */
function addLines(text: string, at: number, lines: readonly string[]): string {
  const end = endOfLine(text, at);
  const eol = lineEnd(text);
  const isOpen = end > 0 && text[end - 1] !== "\n";
  return splice(text, end, end, `${isOpen ? eol : ""}${lines.map((line) => line + eol).join("")}`);
}

/** The offset after the end of the line. A node of several lines may end exactly there. */
function endOfLine(text: string, at: number): number {
  if (at > 0 && text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

/** The end of a pair: the end of its innermost last value. */
function endOfPair(text: string, { key, value }: Pair): number {
  const inner = (value as YAMLMap | YAMLSeq | null)?.items?.at(-1) as Pair | Node | null | undefined;
  const isFlow = (value as YAMLMap | null)?.flow === true;
  if (inner === undefined || inner === null || isFlow)
    return endOf(value as Node | null) ?? text.indexOf(":", endOf(key as Node)) + 1;
  return "key" in inner ? endOfPair(text, inner) : endOfPair(text, { key, value: inner } as Pair);
}

const startOf = (node: Node): number => node.range![0];
const endOf = (node: Node | null): number | undefined => node?.range?.[1];

/** The indentation before the offset. */
function indentAt(text: string, at: number): string {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return /^\s*/.exec(text.slice(start, at))![0];
}

const lineEnd = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");
const splice = (text: string, start: number, end: number, middle: string): string =>
  text.slice(0, start) + middle + text.slice(end);
