// Finds and writes the list `compute:approve` in the text of a stack's file, or of Pulumi.yaml. The YAML library finds the place.
// The text around it stays as it is, byte by byte: comments, order, quotes, empty lines, ends of lines.

import type { Document, Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { listOf } from "../../provider/rules/approval-list.js";
import { CommandRefused } from "../arguments.js";
import { addItems, insertList, type NewItem, rebuildFlow, removeItems, removePair } from "./list-text.js";

/** Loaded by the commands that write, and by a report beside its program. */
export type Yaml = typeof import("yaml");
export const loadYaml = (): Promise<Yaml> => import("yaml");

const NAME = "compute:approve";

/** The list `compute:approve` in one file. */
export interface ConfigList {
  /** Undefined if the file has no list of its own. */
  values?: unknown[];
  /** The comments beside its entries, by entry. */
  comments: ReadonlyMap<string, string>;
  /** Whether it is a project's file, Pulumi.yaml. A stack's file with a list hides the project's. */
  isProject: boolean;
  /** Whether the stack also imports Pulumi ESC environments, which are not files. */
  hasEnvironments: boolean;
}

export interface ListChange {
  /** The whole list before the change: the file's own, or the project's list, which the file will hide. */
  values: readonly unknown[];
  /** The indexes of the values to remove. */
  remove: ReadonlySet<number>;
  add: readonly NewItem[];
  /** The comments of entries that come from another file. */
  comments?: ReadonlyMap<string, string>;
  /** Whether to write `[]` if no entry is left, so that a list in another file does not take effect. */
  keepsEmpty?: boolean;
}

/** @throws CommandRefused if the file can't be read as config */
export function readList(yaml: Yaml, text: string): ConfigList {
  const document = parse(yaml, text);
  const root = mapIn(yaml, document.contents, "the file");
  const isProject = root?.has("runtime") === true && root.has("name");
  const site = siteIn(yaml, document);
  const values = site && valuesOf(yaml, document, site.value);
  return {
    ...(values ? { values } : {}),
    comments: commentsIn(yaml, site?.value),
    isProject,
    hasEnvironments: !isProject && root?.has("environment") === true,
  };
}

/** Returns the text with the changed list. @throws CommandRefused if the YAML form can't be edited in place */
export function writeList(yaml: Yaml, text: string, change: ListChange): string {
  const document = parse(yaml, text);
  const edited = edit(yaml, text, document, change);
  // YAML has many forms. So the new text is parsed again: the list must be as intended, and everything else unchanged.
  if (!isWritten(yaml, document, edited, change)) throw new CommandRefused(byHand(change));
  return edited;
}

const byHand = ({ add }: ListChange): string =>
  `this file's config is written in a way that can't be edited in place: add to ${NAME} by hand: ${add.map(({ entry }) => `"${entry}"`).join(", ")}`;

function parse(yaml: Yaml, text: string): Document.Parsed {
  const document = yaml.parseDocument(text);
  const [error] = document.errors;
  if (error) throw new CommandRefused(`it is not valid YAML: ${error.message.split("\n")[0]}`);
  return document;
}

function mapIn(yaml: Yaml, node: unknown, what: string): YAMLMap | undefined {
  if (node === null || node === undefined || (yaml.isScalar(node) && node.value === null)) return undefined;
  if (!yaml.isMap(node)) throw new CommandRefused(`${what} is not a map`);
  return node;
}

interface Site {
  /** The list, or the single entry; null where the key has no value. */
  value: Node | null;
  pair: Pair;
  map: YAMLMap;
}

function siteIn(yaml: Yaml, document: Document.Parsed): Site | undefined {
  const root = mapIn(yaml, document.contents, "the file");
  const config = mapIn(yaml, root?.get("config", true), "config");
  const pair = pairIn(config, NAME);
  if (!config || !pair) return undefined;
  // In a project's file a value may stand under `value`, beside a type.
  if (!yaml.isMap(pair.value)) return { map: config, pair, value: pair.value as Node | null };
  if (pair.value.has("secure")) throw new CommandRefused(`${NAME} is encrypted: write it as plain text`);
  const inner = pairIn(pair.value, "value");
  if (!inner) throw new CommandRefused(`${NAME} is a map without a value`);
  return { map: pair.value, pair: inner, value: inner.value as Node | null };
}

const pairIn = (map: YAMLMap | undefined, name: string): Pair | undefined =>
  map?.items.find(({ key }) => (key as Scalar | null)?.value === name);

function commentsIn(yaml: Yaml, list: Node | null | undefined): Map<string, string> {
  const items = yaml.isSeq(list) ? list.items.filter((one) => yaml.isScalar(one)) : [];
  return new Map(items.flatMap(({ value, comment }) => (comment ? [[String(value), firstLine(comment)]] : [])));
}

const firstLine = (comment: string): string => comment.split("\n")[0]!.trim();

/** Undefined if the key has no value. */
function valuesOf(yaml: Yaml, document: Document.Parsed, value: Node | null): unknown[] | undefined {
  if (yaml.isAlias(value)) throw new CommandRefused(`${NAME} is an alias: write the list itself`);
  const plain: unknown = value === null ? null : value.toJS(document);
  if (plain === null || plain === "") return undefined;
  if (Array.isArray(plain)) return plain;
  // Pulumi hands a text on as it is: a single entry, or a list in JSON.
  return (typeof plain === "string" ? listOf(plain) : undefined) ?? [plain];
}

function edit(yaml: Yaml, text: string, document: Document.Parsed, change: ListChange): string {
  const root = mapIn(yaml, document.contents, "the file");
  const config = mapIn(yaml, root?.get("config", true), "config");
  const site = siteIn(yaml, document);
  const list = site?.value;
  const isEmptied = change.add.length === 0 && change.values.length > 0 && change.remove.size === change.values.length;
  // A map without any key is not written: it would be another value.
  if (site && isEmptied && !change.keepsEmpty && !site.map.flow && site.map.items.length > 1)
    return removePair(text, site.pair, yaml.isSeq(list) && !list.flow ? list : undefined);
  if (yaml.isSeq(list) && list.items.length > 0) return editList(text, list, change);
  const items = itemsOf(change);
  if (site) return insertList(text, { kind: "value", map: site.map, pair: site.pair, keys: [] }, items);
  const keys = root?.has("runtime") === true ? [NAME, "value"] : [NAME];
  if (config && config.items.length > 0) return insertList(text, { kind: "key", map: config, keys }, items);
  const pair = pairIn(root, "config");
  if (root && pair) return insertList(text, { kind: "value", map: root, pair, keys }, items);
  const all = ["config", ...keys];
  return insertList(
    text,
    root && root.items.length > 0 ? { kind: "key", map: root, keys: all } : { kind: "end", keys: all },
    items,
  );
}

/** Adds before it removes: new items come last, so adding them does not move the items to be removed. */
function editList(text: string, list: YAMLSeq, { remove, add }: ListChange): string {
  if (list.flow && remove.size > 0) return rebuildFlow(text, list, remove, add);
  const added = add.length > 0 ? addItems(text, list, add) : text;
  return removeItems(added, list, remove, add.length === 0 && remove.size === list.items.length);
}

const itemsOf = ({ values, remove, add, comments }: ListChange): NewItem[] => [
  ...values
    .filter((_, index) => !remove.has(index))
    .map((value) => ({ entry: String(value), comment: comments?.get(String(value)) })),
  ...add,
];

function isWritten(yaml: Yaml, before: Document.Parsed, text: string, change: ListChange): boolean {
  const after = yaml.parseDocument(text);
  if (after.errors.length > 0) return false;
  const expected = itemsOf(change).map(({ entry }) => entry);
  const site = siteIn(yaml, after);
  const found = (site && valuesOf(yaml, after, site.value))?.map(String) ?? [];
  return JSON.stringify(found) === JSON.stringify(expected) && restOf(before) === restOf(after);
}

/** Everything but the list, for comparison. A `config` that the change adds counts as empty. */
function restOf(document: Document.Parsed): string {
  const all = (document.toJS() ?? {}) as { config?: Record<string, unknown> };
  const { [NAME]: list, ...config } = all.config ?? {};
  const beside = list !== null && typeof list === "object" && !Array.isArray(list) ? { ...list, value: null } : null;
  const kept = beside && Object.keys(beside).length > 1 ? beside : null;
  return JSON.stringify([{ ...all, config: null }, config, kept]);
}
