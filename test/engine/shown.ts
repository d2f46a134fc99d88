/** Reads the three kinds of preview into one form. */
import type { PreviewDocument } from "../../tools/engine/workspace";

/** What a preview shows of one resource. */
export interface Shown {
  /** `same` where it shows nothing. */
  op: string;
  /** Names in the plain preview's `[diff: …]`, or of the properties in the other kinds. */
  changed: string[];
  /** The marker before and after; not in the plain preview, which shows no values. */
  restart?: [old: string, next: string];
  /** Warnings at this resource, without the data at their end. */
  warnings: string[];
  /** The data at the end of a warning: whether the compute was active. */
  seen?: string;
  /** The data at the end of a message: what `up` will do. */
  foreseen?: string;
  /** What else is said at it; only read from `--json`. */
  notes?: string[];
}

export const nameOf = (urn: string): string => urn.split("::").at(-1)!;

const unshown = (): Shown => ({ op: "same", changed: [], warnings: [] });

/** One entry per name, also for what a preview does not mention; by name, since the engine's order is chance. */
class ShownByName extends Map<string, Shown> {
  override *[Symbol.iterator](): MapIterator<[string, Shown]> {
    for (const name of [...this.keys()].sort()) yield [name, this.get(name)!];
  }

  of(name: string): Shown {
    const known = this.get(name) ?? unshown();
    this.set(name, known);
    return known;
  }
}

/** Reads ` ~  type name update [diff: ~a,b]` and what stands under Diagnostics. A resource has several lines: the last counts. */
export function shownInPlain(stdout: string): ShownByName {
  const shown = new ShownByName();
  const [rows = "", rest = ""] = stdout.split(/^Diagnostics:$/m);
  for (const line of rows.split("\n")) {
    const found =
      /^ (?:[-+~]{1,2}) +\S+ (\S+) (create replacement|delete original|[a-z]+)(?: \[diff: ([^\]]+)\])?/.exec(line);
    if (!found) continue;
    const one = shown.of(found[1]!);
    if (found[2] === "delete original") continue;
    one.op = found[2]!.replace("create replacement", "replace");
    one.changed =
      found[3]
        ?.split(/[+~,-]+/)
        .filter(Boolean)
        .sort() ?? [];
  }
  for (const [name, texts] of diagnosticsIn(rest)) for (const text of texts) addWarning(shown.of(name), text);
  return shown;
}

const SEEN = / \[(?:(active|idle|disabled)(?:, )?)?(fails unless replaced|fails|adopts|makes)? at \S+Z\]$/;

/** A warning without the data at its end, which has a time. */
export const withoutSeen = (warning: string): string => warning.replace(SEEN, "");

function addWarning(shown: Shown, warning: string): void {
  shown.warnings.push(withoutData(shown, warning));
}

function withoutData(shown: Shown, message: string): string {
  const [, seen, foreseen] = SEEN.exec(message) ?? [];
  if (seen) shown.seen = seen;
  if (foreseen) shown.foreseen = foreseen;
  return withoutSeen(message);
}

/** Lines under `  type (name):` until the next blank one. */
function diagnosticsIn(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let name = "";
  for (const line of text.split("\n")) {
    const head = /^ {2}\S+ \((\S+)\):$/.exec(line);
    if (head) name = head[1]!;
    const warning = /^ {4}warning: (.*)$/.exec(line);
    if (warning) found.set(name, [...(found.get(name) ?? []), warning[1]!]);
    if (/^Resources:/.test(line)) break;
  }
  return found;
}

/** Reads the blocks of `--diff`: `~ type: (update)`, the URN, and its properties. Its warnings name no resource. */
export function shownInDiff(stdout: string): ShownByName {
  const shown = new ShownByName();
  for (const block of stdout.split(/^ {4}(?=\S)/m).slice(1)) {
    const urn = /\[urn=(\S+)\]/.exec(block)?.[1];
    const op = /: \((\w+)\)/.exec(block)?.[1];
    if (!urn || !op) continue;
    const one = shown.of(nameOf(urn));
    one.op = op;
    one.changed = [...block.matchAll(/^ {6}[-+~] (\w+) *: /gm)].map(([, name]) => name!).sort();
    const marker = /^ {6}~ restart *: ("(?:[^"\\]|\\.)*") => ("(?:[^"\\]|\\.)*")$/m.exec(block);
    if (marker) one.restart = [JSON.parse(marker[1]!), JSON.parse(marker[2]!)];
  }
  return shown;
}

/**
 * Reads the document of `--json`, which leaves out what stays the same. Its list of differences has inputs of ours as well,
 * which the other kinds hide.
 */
export function shownInJson({ steps = [], diagnostics = [] }: PreviewDocument): ShownByName {
  const shown = new ShownByName();
  for (const { op, urn, diffReasons, oldState, newState } of steps) {
    const one = shown.of(nameOf(urn));
    one.op = op;
    one.changed = (diffReasons ?? []).filter((name) => !name.startsWith("__")).sort();
    const marker = [oldState?.inputs?.["restart"], newState?.inputs?.["restart"]];
    if (marker[0] !== marker[1]) one.restart = marker as [string, string];
  }
  for (const { urn, message, severity } of diagnostics) {
    const one = shown.of(nameOf(urn ?? ""));
    if (severity === "warning") addWarning(one, message.replace(/^warning: /, "").trim());
    else if (severity === "info") one.notes = [...(one.notes ?? []), withoutData(one, message.trim())];
  }
  return shown;
}
