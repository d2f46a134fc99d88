// The TypeScript that says what a state of imported computes says.

import type { Imported } from "./imported.js";
import { inertJson } from "./visible.js";

/** A program with these computes; nothing is exported, so that the next preview shows no change at all. */
export function programText(computes: readonly Imported[]): string {
  const projects = new Set(computes.map(({ args }) => args.projectId));
  const [project] = projects;
  const shared = projects.size === 1 && computes.length > 1 ? project : undefined;
  const names = new Set(shared === undefined ? [] : ["projectId"]);
  const blocks = computes.map(({ name, args }) => {
    const variable = variableOf(name, names);
    names.add(variable);
    const properties = Object.entries(args).map(([key, value]) =>
      shared !== undefined && key === "projectId" ? "  projectId," : `  ${key}: ${literal(value, "  ")},`,
    );
    return `const ${variable} = new Endpoint(${text(name)}, {\n${properties.join("\n")}\n});\n`;
  });
  const head = shared === undefined ? [] : [`const projectId = ${text(shared)};\n`];
  return ['import { Endpoint } from "pulumi-compute-endpoint";\n', ...head, ...blocks].join("\n");
}

/** The same value in TypeScript, in which every character is seen and no runner finds a command. */
const text = (value: unknown): string => inertJson(value).trimEnd();

function literal(value: unknown, indent: string): string {
  const deeper = `${indent}  `;
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, deeper)).join(", ")}]`;
  if (value === null || typeof value !== "object") return text(value);
  const lines = Object.entries(value).map(([key, inner]) => `${deeper}${keyOf(key)}: ${literal(inner, deeper)},`);
  return `{\n${lines.join("\n")}\n${indent}}`;
}

const keyOf = (key: string): string => {
  if (key === "__proto__") return `["__proto__"]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : text(key);
};

const RESERVED = new Set(
  (
    "arguments await break case catch class const continue debugger default delete do else enum eval export extends false " +
    "finally for function if implements import in instanceof interface let new null package private protected public return " +
    "static super switch this throw true try typeof undefined var void while with yield Endpoint exports module require"
  ).split(" "),
);

/** `orders-primary` as `ordersPrimary`, and unlike all others. */
function variableOf(name: string, taken: ReadonlySet<string>): string {
  const words = name.split(/[^A-Za-z0-9_]+/).filter(Boolean);
  const joined = words.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("");
  const start = /^[A-Za-z_]/.test(joined) ? joined : `compute${joined}`;
  const base = RESERVED.has(start) ? `${start}Compute` : start;
  let unique = base;
  for (let count = 2; taken.has(unique); count++) unique = `${base}${count}`;
  return unique;
}
