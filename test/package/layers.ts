// The one table of layers. The test reads the imports of all files by it, and writes the linter's part of biome.json from it.

interface Layer {
  /** Layers that it may import from, beside itself. */
  layers: string[];
  /** Packages that it may import. `node:` stands for the modules of Node.js. */
  packages: string[];
}

/** From the top down. A file belongs to the longest name that fits its path. */
export const LAYERS: Record<string, Layer> = {
  // Of its own package, it takes the version.
  cli: { layers: ["sdk", "emulator", "provider"], packages: ["node:", "yaml", "pulumi-compute-endpoint/package.json"] },
  // The adapter to Pulumi's engine, for programs in any language. The other packages are all in its file `grpc.ts`.
  native: {
    layers: ["provider"],
    packages: ["@grpc/grpc-js", "@pulumi/pulumi", "google-protobuf", "pulumi-compute-endpoint/package.json"],
  },
  // It takes look-ups only as types, or when one is asked: the test counts what is loaded at once.
  sdk: { layers: ["provider/rules", "provider/lookup", "provider/proc"], packages: ["@pulumi/pulumi", "node:"] },
  // It must not lean on the client whose mistakes it is there to catch.
  emulator: {
    layers: ["emulator/handlers", "emulator/http", "emulator/state", "emulator/model"],
    packages: ["node:"],
  },
  "emulator/handlers": { layers: ["emulator/http", "emulator/model", "provider/wire"], packages: ["zod"] },
  // The page runs in a browser.
  "emulator/console": { layers: ["emulator/model"], packages: ["preact"] },
  "emulator/http": { layers: ["emulator/model"], packages: ["zod", "node:"] },
  "emulator/state": { layers: ["emulator/model"], packages: ["zod", "node:"] },
  // The simulated control plane, without HTTP and files.
  "emulator/model": { layers: ["provider/wire"], packages: ["zod", "node:"] },
  // It is loaded into policy packs, and has only types of `@pulumi/policy`.
  policy: { layers: ["provider/rules"], packages: ["@pulumi/policy"] },
  // The adapter to Pulumi's dynamic providers.
  "provider/index": {
    layers: ["provider/provider-process", "provider/config", "provider/endpoint", "provider/errors", "provider/shim"],
    packages: [],
  },
  // What both adapters to Pulumi share.
  "provider/provider-process": {
    layers: [
      "provider/config",
      "provider/endpoint",
      "provider/operations",
      "provider/errors",
      "provider/secret-forms",
      "provider/secret-redactor",
      "provider/visible-text",
      "provider/exit-with-engine",
      "provider/cancellation",
      "provider/clock",
      "provider/peers",
    ],
    packages: [],
  },
  // Look-ups without a resource. They use the property names of the resource.
  "provider/lookup": {
    layers: [
      "provider/endpoint",
      "provider/operations",
      "provider/wire",
      "provider/rules",
      "provider/errors",
      "provider/clock",
      "provider/config",
      "provider/secret-redactor",
      "provider/secret-forms",
      "provider/visible-text",
    ],
    packages: [],
  },
  "provider/endpoint": {
    layers: [
      "provider/operations",
      "provider/wire",
      "provider/rules",
      "provider/errors",
      "provider/clock",
      "provider/progress",
      "provider/config",
      "provider/proc",
      "provider/visible-text",
    ],
    packages: ["zod", "node:"],
  },
  "provider/operations": {
    layers: [
      "provider/api",
      "provider/wire",
      "provider/errors",
      "provider/clock",
      "provider/progress",
      "provider/cancellation",
    ],
    packages: [],
  },
  "provider/api": {
    layers: [
      "provider/wire",
      "provider/errors",
      "provider/clock",
      "provider/progress",
      "provider/cancellation",
      "provider/secret-forms",
      "provider/visible-text",
    ],
    packages: ["undici", "zod", "node:"],
  },
  "provider/wire": { layers: ["provider/visible-text"], packages: ["zod"] },
  "provider/config": { layers: ["provider/errors", "provider/rules", "provider/secret-forms"], packages: [] },
  // Pure: the program's process runs these rules as well.
  "provider/rules": { layers: ["provider/visible-text"], packages: ["node:crypto"] },
  "provider/errors": { layers: ["provider/rules"], packages: [] },
  "provider/cancellation": { layers: ["provider/errors", "provider/clock"], packages: [] },
  "provider/progress": { layers: ["provider/clock"], packages: [] },
  "provider/clock": { layers: [], packages: ["node:"] },
  "provider/secret-redactor": { layers: ["provider/secret-forms"], packages: [] },
  "provider/secret-forms": { layers: ["provider/text-views"], packages: [] },
  "provider/text-views": { layers: [], packages: [] },
  "provider/visible-text": { layers: [], packages: [] },
  "provider/peers": { layers: ["provider/peer-sockets", "provider/exit-with-engine"], packages: ["node:"] },
  "provider/proc": { layers: [], packages: ["node:"] },
  "provider/peer-sockets": { layers: [], packages: ["node:"] },
  "provider/exit-with-engine": { layers: [], packages: ["node:"] },
  // It finds Pulumi's own modules where they are loaded.
  "provider/shim": { layers: [], packages: ["node:"] },
};

export const layerOf = (path: string): string | undefined =>
  Object.keys(LAYERS)
    .filter((name) => path === name || path === `${name}.ts` || path.startsWith(`${name}/`))
    .sort((a, b) => b.length - a.length)[0];

export const mayImport = (layer: string, other: string | undefined): boolean =>
  other === layer || LAYERS[layer]!.layers.some((name) => other === name || other?.startsWith(`${name}/`));

/** The overrides of biome.json that say the same as the table. @param isFile whether the layer is one file */
export function lintOverrides(isFile: (layer: string) => boolean): object[] {
  const packages = [...new Set(Object.values(LAYERS).flatMap((layer) => layer.packages))].filter(isForeign).sort();
  return Object.entries(LAYERS).map(([layer, { layers, packages: allowed }]) => {
    const refused = packages.filter((name) => !allowed.includes(name)).flatMap((name) => [name, `${name}/**`]);
    const message = `${layer} may import from: ${[...layers, ...allowed].join(", ") || "nothing"}. See test/package/layers.ts.`;
    const options = { patterns: [{ group: [...specifiersOf(layer, isFile), ...refused], message }] };
    return {
      includes: [isFile(layer) ? `${layer}.ts` : `${layer}/**`],
      linter: { rules: { style: { noRestrictedImports: { level: "error", options } } } },
    };
  });
}

const isForeign = (name: string): boolean => !name.startsWith("node:") && !name.startsWith("pulumi-compute-endpoint");

/** The linter sees only how an import is written, so the patterns are of that text. */
function specifiersOf(layer: string, isFile: (layer: string) => boolean): string[] {
  const { layers } = LAYERS[layer]!;
  const endOf = (other: string) => (isFile(other) ? ".js" : "/**");
  const [top, below] = layer.split("/") as [string, string?];
  if (below !== undefined) {
    const start = isFile(layer) ? "./" : "../";
    const allowed = layers.map((other) =>
      other.startsWith(`${top}/`) ? other.replace(`${top}/`, start) + endOf(other) : `**/${other}${endOf(other)}`,
    );
    return ["../**", ...(isFile(layer) ? ["./**"] : []), ...allowed.map((pattern) => `!${pattern}`)];
  }
  const folders = [...new Set(Object.keys(LAYERS).map((name) => name.split("/")[0]!))];
  const refused = folders.filter((folder) => folder !== layer && !layers.includes(folder));
  const allowed = layers.filter((other) => other.includes("/"));
  return [...refused.map((folder) => `**/${folder}/**`), ...allowed.map((other) => `!**/${other}${endOf(other)}`)];
}
