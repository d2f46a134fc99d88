/** The programs that are measured against each other (`FleetProvider`), as the files of a Pulumi project. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { schemaOf } from "../../native/schema";
import { type Place, settingsOf } from "./places";

export const PROVIDERS = ["floor", "naive", "ours"] as const;
export type ProviderName = (typeof PROVIDERS)[number];
/** Providers of the same computes in YAML: our plugin, and one that does nothing. */
export const PLUGINS = ["plugin", "native-floor"] as const;
export type FleetProvider = ProviderName | (typeof PLUGINS)[number];
export const isPlugin = (provider: FleetProvider): boolean => (PLUGINS as readonly string[]).includes(provider);
export const isFloor = (provider: FleetProvider): boolean => provider === "floor" || provider === "native-floor";

/** The environment variable with the path of a file. Each process of the program adds a line: its CPU in ms, its largest memory in kB. */
export const USAGE_FILE = "BENCH_USAGE_FILE";
const REPORT_USAGE = `
process.once("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const file = process.env["${USAGE_FILE}"];
  if (file) require("node:fs").appendFileSync(file, (userCPUTime + systemCPUTime) / 1000 + " " + maxRSS + "\\n");
});
`;

/**
 * The program as plain JavaScript, as if built before: compiling TypeScript would add seconds to each run of every
 * provider.
 */
const compiled = (name: string): string =>
  transformSync(readFileSync(join(__dirname, "programs", `${name}.ts`), "utf8"), {
    loader: "ts",
    format: "cjs",
    target: "node20",
  }).code;

export function filesOf(provider: FleetProvider, places: readonly Place[]): Record<string, string> {
  if (provider === "plugin") return { "Pulumi.yaml": yamlOf(places, "./node_modules/pulumi-compute-endpoint/plugin") };
  if (provider === "native-floor") return { "Pulumi.yaml": yamlOf(places, "./floor"), ...nativeFloor() };
  return {
    "index.js": compiled(provider) + REPORT_USAGE,
    "fleet.json": fleetOf(places),
    ...(provider === "floor" ? { "node_modules/compute-endpoint-floor/provider.js": compiled("floor-provider") } : {}),
  };
}

/** The computes of the program, as its file names them. @param more arguments of each */
export const fleetOf = (places: readonly Place[], more: object = {}): string =>
  JSON.stringify(places.map((place, index) => ({ name: `compute-${index}`, args: { ...settingsOf(place), ...more } })));

/** The file that Pulumi starts. It has to be executable. */
export const NATIVE_FLOOR = "floor/pulumi-resource-compute";
/** The no-op plugin in a folder of the program, with our schema: without one, no YAML program is checked. */
const nativeFloor = (): Record<string, string> => ({
  "floor/PulumiPlugin.yaml": "runtime: nodejs\n",
  "floor/package.json": '{ "private": true }',
  [NATIVE_FLOOR]: `#!/usr/bin/env node\n${compiled("native-floor")}`,
  "floor/floor-provider.js": compiled("floor-provider"),
  "floor/schema.json": JSON.stringify(schemaOf("0.1.0")),
});

const yamlOf = (places: readonly Place[], plugin: string): string =>
  [
    ...["name: bench", "runtime: yaml", "packages:", `  compute: ${plugin}`],
    places.length > 0 ? "resources:" : "resources: {}",
    ...places.flatMap((place, index) => [
      `  compute-${index}:`,
      "    type: compute:Endpoint",
      "    properties:",
      ...Object.entries(settingsOf(place)).map(([name, value]) => `      ${name}: ${value}`),
    ]),
    "",
  ].join("\n");
