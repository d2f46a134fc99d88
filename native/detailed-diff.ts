// Which inputs differ, by path. A preview shows these paths, and Pulumi matches `replaceOnChanges` with them. For the plugin, the
// engine compares nothing itself.

import { UNKNOWN_VALUE } from "../provider/endpoint/inputs.js";
import { canonical } from "../provider/rules/equality.js";
import type { Props } from "./values.js";

export type Kind = "add" | "delete" | "update";

/** @returns paths such as `size` or `settings.pgSettings["a.b"]`; `restart` only where another input differs */
export function inputDiff(olds: Props, news: Props): Map<string, Kind> {
  const found = new Map<string, Kind>();
  collect(programInputs(olds), programInputs(news), "", found);
  if (found.size > 0 && news["restart"] !== olds["restart"]) {
    found.set("restart", olds["restart"] === undefined ? "add" : "update");
  }
  return found;
}

/** The inputs that a program can set. */
export const programInputs = (props: Props): Props =>
  Object.fromEntries(Object.entries(props).filter(([name]) => name !== "restart" && !name.startsWith("__")));

function collect(olds: Props, news: Props, at: string, found: Map<string, Kind>): void {
  for (const name of new Set([...Object.keys(olds), ...Object.keys(news)])) {
    const [old, next] = [olds[name], news[name]];
    const part = segment(name);
    const path = at === "" || part.startsWith("[") ? at + part : `${at}.${part}`;
    if (isAbsent(old) && isAbsent(next)) continue;
    if (isAbsent(old)) found.set(path, "add");
    else if (isAbsent(next)) found.set(path, "delete");
    else if (isObject(old) && isObject(next)) collect(old, next, path, found);
    else if (next === UNKNOWN_VALUE || canonical(old) !== canonical(next)) found.set(path, "update");
  }
}

const segment = (name: string): string => (/^[\w-]+$/.test(name) ? name : `[${JSON.stringify(name)}]`);
const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const isObject = (value: unknown): value is Props =>
  value !== null && typeof value === "object" && !Array.isArray(value);
