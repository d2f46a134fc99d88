/** YAML programs on the real engine: they get the package as its page says, by a path to where npm has put it. */
import { type RunningEmulator, startEmulator } from "../../emulator/index.js";
import type { Engine } from "../../tools/engine/index";
import { Workspace } from "../../tools/engine/workspace";
import { PROJECT } from "./support";

export const NATIVE = "compute:index:Endpoint";

export interface YamlStory {
  em: RunningEmulator;
  ws: Workspace;
  /** Another program for the same stack. */
  use(resources: string, rest?: string): Promise<void>;
  close(): Promise<void>;
}

/** @param resources the body of `resources:`, without the common indentation */
export const yamlProgram = (resources: string, rest = ""): Record<string, string> => ({
  "Pulumi.yaml": `name: test
runtime: yaml
packages:
  compute: ./node_modules/pulumi-compute-endpoint/plugin
resources:
${resources.trim().replace(/^/gm, "  ")}
${rest}
`,
});

/** The value of another resource, as YAML programs write it. */
export const ref = (path: string): string => `\${${path}}`;

/** One compute, with its properties as lines of `name: value`. */
export const compute = (name: string, properties: Record<string, unknown>, options: Record<string, unknown> = {}) => {
  const lines = (values: Record<string, unknown>) =>
    Object.entries(values).map(
      ([key, value]) => `    ${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
    );
  return [
    `${name}:`,
    "  type: compute:Endpoint",
    "  properties:",
    ...lines({ projectId: PROJECT, ...properties }),
    ...(Object.keys(options).length > 0 ? ["  options:", ...lines(options)] : []),
  ].join("\n");
};

export async function startYaml(engine: Engine, host: string, resources: string, rest?: string): Promise<YamlStory> {
  const em = await startEmulator({ operationMs: 50, apiKey: "key-of-this-story" });
  try {
    const ws = await Workspace.create(engine, {
      program: yamlProgram(resources, rest),
      hosts: [host],
      env: { COMPUTE_API_KEY: em.apiKey, COMPUTE_API_URL: em.url },
    });
    await ws.setConfig({ "compute:pollSeconds": "0.2" });
    const close = async () => {
      await ws.close();
      await em.close();
    };
    return { em, ws, use: (more, other) => ws.setProgram(yamlProgram(more, other)), close };
  } catch (error) {
    await em.close();
    throw error;
  }
}
