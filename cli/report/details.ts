// The folded details below a table, in Markdown.

import { sizeText } from "../size-text.js";
import { renderQuotes } from "./clean.js";
import { fromTo } from "./format.js";
import { code } from "./markup.js";
import { showsEffect } from "./rows.js";
import type { Finding } from "./types.js";

/** Computes with equal details share a line. */
export function detailsOf(findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  const groups = new Map<string, Finding[]>();
  for (const finding of findings.filter(hasDetails)) {
    const detail = detailOf(finding);
    groups.set(detail, [...(groups.get(detail) ?? []), finding]);
  }
  // Nobody reconnects to a deleted compute.
  const clients = findings.every(({ impact }) => impact === "delete") ? "" : "Clients should reconnect by themselves. ";
  return [
    "",
    `<details><summary>Details</summary>`,
    "",
    ...[...groups].map(([detail, all]) => lineOf(detail, all)),
    "",
    `Memory and \`max_connections\` are the documented values for the size, approximate. ${clients}What \`--target\` or \`--exclude\` left out is not listed.`,
    "",
    "</details>",
  ];
}

/** The row of a new compute already shows everything. */
const hasDetails = ({ op, impact }: Finding): boolean => op !== "create" || impact !== "none";

function detailOf(finding: Finding): string {
  const { effect, before, after, upFails } = finding;
  // The details add the effect if the row lacks it, unless `up` fails: then it does not happen.
  const isLeftOut = upFails === undefined && !showsEffect(finding);
  const range = (size: Finding["before"]) => size && sizeText(size.minCu, size.maxCu);
  const size = fromTo(range(before), range(after));
  return [...(effect && isLeftOut ? [renderQuotes(effect, code)] : []), ...(size ? [`size ${size}`] : [])].join("; ");
}

/** One compute with its id, its place in the program and its URN; or many, whose URNs differ in their names only. */
function lineOf(detail: string, findings: readonly Finding[]): string {
  const [first, ...more] = findings;
  const afterColon = (parts: readonly string[]) => (parts.length > 0 ? `: ${parts.join("; ")}` : "");
  const details = detail === "" ? [] : [detail];
  if (first && more.length === 0) {
    const place = positionOf(first);
    return `- ${code(first.name)}${idOf(first)}${afterColon([...details, ...place, code(first.urn)])}`;
  }
  const prefix = commonPrefix(findings);
  const names = findings.map((finding) => {
    const beside = [...positionOf(finding), ...(prefix === undefined ? [code(finding.urn)] : [])];
    return `${code(finding.name)}${idOf(finding)}${beside.length > 0 ? ` (${beside.join(", ")})` : ""}`;
  });
  const urns = prefix === undefined ? [] : [`URN ${code(prefix)} and the name`];
  return `- ${names.join(", ")}${afterColon([...details, ...urns])}`;
}

const idOf = ({ id }: Finding): string => (id ? ` ${code(id)}` : "");

const positionOf = ({ position }: Finding): string[] => (position ? [code(`${position.file}:${position.line}`)] : []);

/** What stands before the names in all these URNs; undefined if it differs. */
function commonPrefix(findings: readonly Finding[]): string | undefined {
  const prefixes = new Set(
    findings.map(({ urn, name }) => (urn.endsWith(`::${name}`) ? urn.slice(0, -name.length) : undefined)),
  );
  const [prefix] = prefixes;
  return prefixes.size === 1 ? prefix : undefined;
}
