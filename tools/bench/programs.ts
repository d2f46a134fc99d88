/** The programs that are measured against each other, as the files of a Pulumi project: floor, naive, ours, and ours by the plugin. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { type Place, settingsOf } from "./places";

export const PROVIDERS = ["floor", "naive", "ours"] as const;
export type ProviderName = (typeof PROVIDERS)[number];
/** `plugin` is ours too: the same computes in YAML, by the plugin for all languages. */
export type FleetProvider = ProviderName | "plugin";

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
  if (provider === "plugin") return { "Pulumi.yaml": yamlOf(places) };
  return {
    "index.js": compiled(provider) + REPORT_USAGE,
    "fleet.json": fleetOf(places),
    ...(provider === "floor" ? { "node_modules/compute-endpoint-floor/provider.js": compiled("floor-provider") } : {}),
  };
}

/** The computes of the program, as its file names them. @param more arguments of each */
export const fleetOf = (places: readonly Place[], more: object = {}): string =>
  JSON.stringify(places.map((place, index) => ({ name: `compute-${index}`, args: { ...settingsOf(place), ...more } })));

const yamlOf = (places: readonly Place[]): string =>
  [
    ...["name: bench", "runtime: yaml", "packages:", "  compute: ./node_modules/pulumi-compute-endpoint/plugin"],
    places.length > 0 ? "resources:" : "resources: {}",
    ...places.flatMap((place, index) => [
      `  compute-${index}:`,
      "    type: compute:Endpoint",
      "    properties:",
      ...Object.entries(settingsOf(place)).map(([name, value]) => `      ${name}: ${value}`),
    ]),
    "",
  ].join("\n");
