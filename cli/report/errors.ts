// The errors of a failed preview.

import { digestsAtEndOf, type NamedDigest, uniqueChanges } from "../../provider/rules/approval-list.js";
import { readRefusal } from "../../provider/rules/message-data.js";
import { PREVIEW_VARIABLE } from "../../provider/rules/policies.js";
import { someOf } from "../../provider/rules/some-of.js";
import { identityOf, isEndpointUrn } from "../../provider/rules/urn.js";
import { cleanLine, cleanMessage, quote } from "./clean.js";
import type { Diagnostic } from "./types.js";

const MOST_ERRORS = 20;

/** Any other severity counts as an error: a new word must not hide a failure. */
const QUIET = new Set(["debug", "info", "info#err", "warning"]);

export const errorDiagnosticsIn = (diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  diagnostics.filter(({ severity }) => !QUIET.has(severity));

/** The error of a compute whose change was refused. */
export interface Refusal {
  error: Diagnostic;
  name: string;
  /** What approves the change. */
  digests: string[];
  text: string;
}

/** A program can print anything, so only errors of a compute are read. */
export const refusalsIn = (errors: readonly Diagnostic[]): Refusal[] =>
  errors.flatMap((error) => {
    const { message, urn } = error;
    if (urn === undefined || !isEndpointUrn(urn)) return [];
    const name = identityOf(urn)?.name ?? "a compute";
    const found = readRefusal(message);
    if (found) return [{ error, name, digests: found.digest === undefined ? [] : [found.digest], text: found.text }];
    return message.includes(REFUSED_BEFORE) ? [{ error, name, digests: digestsAtEndOf(message), text: message }] : [];
  });
/** The text of refusals in 0.1.0 preview documents (docs/design.md), which have no data. A copy: today's text may be reworded. */
const REFUSED_BEFORE = 'onRestart is "refuse"';

/** Why the preview is incomplete. */
export function whyIncomplete(refusals: readonly Refusal[]): string {
  const names = [...new Set(refusals.map(({ name }) => quote(cleanLine(name))))];
  if (names.length === 0) return "the preview failed: it does not contain later changes, and no deletions";
  return `the preview refused the change of ${names.slice(0, MOST_NAMES).join(", ")} and stopped there, so it does not contain the changes after it. For a full report, preview with ${PREVIEW_VARIABLE}=warn in the environment. It changes no file, and \`pulumi up\` refuses as before`;
}

/** What approves the refused changes. */
export function refusedChangesIn(refusals: readonly Refusal[]): NamedDigest[] {
  return uniqueChanges(
    refusals.slice(0, MOST_NAMES).flatMap(({ name, digests }) => digests.map((digest) => ({ digest, name }))),
  );
}

const VALUE_BEGINS = /property \S+ value \{/;
const VALUE_ENDS = "} has a problem: ";
const LEAD = /^Running program '.*' failed with an unhandled exception:$/;

/** Check's message contains the value, even a secret one. A message may be very long: each part of it is read once. */
function withoutValues(message: string): string {
  let shown = "";
  for (let rest = message; ; ) {
    const begins = VALUE_BEGINS.exec(rest);
    if (!begins) return shown + rest;
    shown += rest.slice(0, begins.index) + begins[0].slice(0, -" value {".length);
    const end = rest.indexOf(VALUE_ENDS, begins.index + begins[0].length);
    // Without an end, the rest may be a secret of many lines.
    if (end < 0) return shown;
    rest = ` ${rest.slice(end + "} ".length)}`;
  }
}

/**
 * Each error in one line, without stack frames and empty lines. The same error at several resources is listed once, with their
 * names, because one refused key fails every look-up. All errors of computes whose change is refused come first, and none of them
 * is left out: beside the command that approves it, a reviewer has to see the whole change.
 */
export function errorLinesOf(
  errors: readonly Diagnostic[],
  refusals: readonly Refusal[],
): { lines: string[]; refusedLines: number } {
  const refused = new Set(refusals.map(({ error }) => error.urn));
  const isRefused = ({ urn }: Diagnostic) => urn !== undefined && refused.has(urn);
  const texts = new Map(refusals.map(({ error, text }) => [error, text]));
  const first = linesOf(errors.filter(isRefused), texts);
  const others = linesOf(
    errors.filter((error) => !isRefused(error)),
    texts,
  );
  const more = others.length - MOST_ERRORS;
  const shown = more > 0 ? [...others.slice(0, MOST_ERRORS), `and ${more} more`] : others;
  return { lines: [...first, ...shown], refusedLines: first.length };
}

/** @param refused the texts of refusals */
function linesOf(errors: readonly Diagnostic[], refused: ReadonlyMap<Diagnostic, string>): string[] {
  const found = new Map<string, { line: string; names: Set<string> }>();
  for (const error of errors) {
    const { message, urn } = error;
    const text = withoutValues((refused.get(error) ?? message).replace(/^error: /, ""));
    const line = inOneLine(text, refused.has(error));
    if (!line || line === "preview failed") continue;
    const key = line.replace(REQUEST_ID, "");
    const known = found.get(key) ?? { line, names: new Set() };
    const name = urn === undefined ? undefined : identityOf(urn)?.name;
    if (name !== undefined) known.names.add(name);
    found.set(key, known);
  }
  return [...found.values()].map(({ line, names }) => {
    const shown = someOf([...names], MOST_NAMES, (name) => quote(cleanLine(name)));
    return names.size === 0 ? quote(line) : `${shown}: ${quote(line)}`;
  });
}

/** The cause is often not in the first line of the message of a compiler, a program or Pulumi. */
function inOneLine(text: string, isRefusal: boolean): string {
  // The report writes a refusal's other lines itself.
  const [most, longest] = isRefusal ? [1, LONGEST_ERROR] : [MOST_LINES, LONGEST_ERROR_LINE];
  const lines: string[] = [];
  for (let at = 0; at < text.length && lines.length < most; ) {
    const end = text.indexOf("\n", at);
    const line = cleanMessage(text.slice(at, end < 0 ? undefined : end), longest);
    at = end < 0 ? text.length : end + 1;
    if (line === "" || LEAD.test(line) || MARKS.test(line)) continue;
    // The frames are the last part of a message.
    if (FRAME.test(line)) break;
    lines.push(line);
  }
  return cleanLine(lines.join(" "), LONGEST_ERROR);
}

const MOST_LINES = 8;
const LONGEST_ERROR_LINE = 300;
const LONGEST_ERROR = 1000;
/** A line of carets under a compiler error. */
const MARKS = /^[\^~|─ ]+$/;
const FRAME = /^at (?:async |new )?(?:\S+ (?:\[as \S+\] )?\(.*\)|(?:file:\/\/|node:)?\S+:\d+:\d+)$/;

/** The request id differs between equal answers. */
const REQUEST_ID = /request id [\w-]+|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b/g;
const MOST_NAMES = 5;
