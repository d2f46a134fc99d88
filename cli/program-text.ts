// The TypeScript program for a state of imported computes.

import { escapedJson } from "./escape.js";
import type { Imported } from "./imported.js";

/** A program with these computes. It exports nothing, so that the next preview shows no change. */
export function programText(computes: readonly Imported[]): string {
  const projects = new Set(computes.map(({ args }) => args.projectId));
  const [project] = projects;
  const shared = projects.size === 1 && computes.length > 1 ? project : undefined;
  const names = new Set(shared === undefined ? [] : ["projectId"]);
  const blocks = computes.map(({ name, id, args }) => {
    const variable = variableOf(name, names);
    names.add(variable);
    const properties = Object.entries(args).map(([key, value]) =>
      shared !== undefined && key === "projectId" ? "  projectId," : `  ${key}: ${literal(value, "  ")},`,
    );
    return `// ${text(id).slice(1, -1)}\nconst ${variable} = new Endpoint(${text(name)}, {\n${properties.join("\n")}\n});\n`;
  });
  const head = shared === undefined ? [] : [`const projectId = ${text(shared)};\n`];
  return ['import { Endpoint } from "pulumi-compute-endpoint";\n', ...head, ...blocks].join("\n");
}

/** The value in TypeScript, with every character visible and nothing that a runner takes for a command. */
const text = (value: unknown): string => escapedJson(value).trimEnd();

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

/** `orders-primary` as `ordersPrimary`, with a number if another variable has this name. */
function variableOf(name: string, taken: ReadonlySet<string>): string {
  const words = name.split(/[^A-Za-z0-9_]+/).filter(Boolean);
  const joined = words.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join("");
  const start = /^[A-Za-z_]/.test(joined) ? joined : `compute${joined}`;
  const base = RESERVED.has(start) ? `${start}Compute` : start;
  let unique = base;
  for (let count = 2; taken.has(unique); count++) unique = `${base}${count}`;
  return unique;
}
