/** The three programs that are measured against each other, as the files of a Pulumi project. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { type Place, settingsOf } from "./places";

export const PROVIDERS = ["floor", "naive", "ours"] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** Plain JavaScript, as a project that is built before it is run has it: TypeScript would cost each run the same seconds. */
const compiled = (name: string): string =>
  transformSync(readFileSync(join(__dirname, "programs", `${name}.ts`), "utf8"), {
    loader: "ts",
    format: "cjs",
    target: "node20",
  }).code;

export function filesOf(provider: ProviderName, places: readonly Place[]): Record<string, string> {
  const fleet = places.map((place, index) => ({ name: `compute-${index}`, args: settingsOf(place) }));
  return {
    "index.js": compiled(provider),
    "fleet.json": JSON.stringify(fleet),
    ...(provider === "floor" ? { "node_modules/compute-endpoint-floor/provider.js": compiled("floor-provider") } : {}),
  };
}
