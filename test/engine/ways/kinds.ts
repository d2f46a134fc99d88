/** One program in every kind of module and TypeScript that Pulumi runs. */

export interface Program {
  /** All files but those of the layout. */
  files: Record<string, string>;
  /** Of package.json: what decides about the kind. */
  manifest: { main: string; type?: "module" };
  /** `runtime` in Pulumi.yaml. */
  runtime: object | string;
  /** What the program says of itself when it runs as it should. */
  says: RegExp;
}

/** What a program asks for: the primary in a size, and replicas by name. */
export interface Wish {
  size: number;
  replicas: string[];
}

const body = ({ size, replicas }: Wish, types: boolean) => `
const at${types ? ": { projectId: string; branchId: string }" : ""} = {
  projectId: "quiet-meadow-40718263",
  branchId: "br-copper-lagoon-a5n7v3hd",
};
const primary = new Endpoint("primary", { ...at, adopt: true, size: ${size} });
for (const name of ${JSON.stringify(replicas)}) new Endpoint(name, { ...at, type: "read_only", size: 1 });
`;

const IMPORT = `import { Endpoint } from "pulumi-compute-endpoint";\n`;
const EXPORT = "export const host = primary.host;\n";
/** Names what runs it: ts-node and tsx show in different places, and in ES modules there is no \`require\`. */
const say = (kind: string) =>
  `console.log("program:", ${kind}, process.versions["bun"] ? "Bun" : "Node.js", process.execArgv.join(" "));\n`;
const COMMONJS = `typeof require === "function" ? "CommonJS" : "ES module"`;
/** A syntax error in CommonJS. */
const ES_MODULE = `import.meta.url.startsWith("file:") ? "ES module" : ""`;

const commonJs = (wish: Wish) =>
  `const { Endpoint } = require("pulumi-compute-endpoint");\n${body(wish, false)}exports.host = primary.host;\n${say(COMMONJS)}`;
const esModule = (wish: Wish) => `${IMPORT}${body(wish, false)}${EXPORT}${say(ES_MODULE)}`;
/** Pulumi loads a program with `import`, and so allows this, where package.json says "type": "module". */
const AWAIT = "await Promise.resolve();\n";
const typed = (wish: Wish) => `${IMPORT}${body(wish, true)}${EXPORT}${say(COMMONJS)}`;
const typedModule = (wish: Wish) => `${IMPORT}${body(wish, true)}${EXPORT}${AWAIT}${say(ES_MODULE)}`;

const tsconfig = (module: string) =>
  JSON.stringify({
    compilerOptions: { target: "es2022", module, strict: true, skipLibCheck: true, types: ["node"] },
    files: ["index.ts"],
  });

const nodejs = (options: object) => ({ name: "nodejs", options });

export const KINDS: Record<string, (wish: Wish) => Program> = {
  "TypeScript as Pulumi has it by default (ts-node, CommonJS)": (wish) => ({
    files: { "index.ts": typed(wish) },
    manifest: { main: "index.ts" },
    runtime: "nodejs",
    says: /program: CommonJS Node\.js/,
  }),
  "CommonJS JavaScript": (wish) => ({
    files: { "index.js": commonJs(wish) },
    manifest: { main: "index.js" },
    runtime: nodejs({ typescript: false }),
    says: /program: CommonJS Node\.js/,
  }),
  'an ES module by "type": "module"': (wish) => ({
    files: { "index.js": esModule(wish) + AWAIT },
    manifest: { main: "index.js", type: "module" },
    runtime: nodejs({ typescript: false }),
    says: /program: ES module Node\.js/,
  }),
  "an ES module by its name, .mjs": (wish) => ({
    files: { "index.mjs": esModule(wish) },
    manifest: { main: "index.mjs" },
    runtime: nodejs({ typescript: false }),
    says: /program: ES module Node\.js/,
  }),
  "a TypeScript ES module (nodenext) with ts-node": (wish) => ({
    files: { "index.ts": typedModule(wish), "tsconfig.json": tsconfig("nodenext") },
    manifest: { main: "index.ts", type: "module" },
    runtime: nodejs({ nodeargs: "--loader ts-node/esm --no-warnings" }),
    says: /program: ES module Node\.js --loader ts-node\/esm/,
  }),
  "a TypeScript ES module (nodenext) with tsx": (wish) => ({
    files: { "index.ts": typedModule(wish), "tsconfig.json": tsconfig("nodenext") },
    manifest: { main: "index.ts", type: "module" },
    runtime: nodejs({ typescript: false, nodeargs: "--import tsx" }),
    says: /program: ES module Node\.js --import tsx/,
  }),
  "CommonJS TypeScript with tsx": (wish) => ({
    files: { "index.ts": typed(wish) },
    manifest: { main: "index.ts" },
    runtime: nodejs({ typescript: false, nodeargs: "--import tsx" }),
    says: /program: CommonJS Node\.js --import tsx/,
  }),
  "a program in a folder of its own (main)": (wish) => ({
    files: { "out/index.js": commonJs(wish) },
    manifest: { main: "out/index.js" },
    runtime: nodejs({ typescript: false }),
    says: /program: CommonJS Node\.js/,
  }),
  "TypeScript on Bun": (wish) => ({
    files: { "index.ts": typedModule(wish) },
    manifest: { main: "index.ts", type: "module" },
    runtime: "bun",
    says: /program: ES module Bun/,
  }),
};
