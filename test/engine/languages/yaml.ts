import { type Compute, type Language, PLUGIN, Ref } from "./program";

/** @param resources the body of `resources:`, without the common indentation */
export const yamlProgram = (resources: string, rest = ""): Record<string, string> => ({
  "Pulumi.yaml": `name: test
runtime: yaml
packages:
  compute: ${PLUGIN}
resources:
${resources.trim().replace(/^/gm, "  ")}
${rest}
`,
});

/** The value of another resource, as YAML programs write it. */
export const ref = (path: string): string => `\${${path}}`;

const written = (value: unknown): string =>
  value instanceof Ref ? ref(`${value.compute}.${value.property}`) : JSON.stringify(value);

function resource({ name, properties, options = {} }: Compute): string {
  const lines = (values: object) => Object.entries(values).map(([key, value]) => `    ${key}: ${written(value)}`);
  return [
    `${name}:`,
    "  type: compute:Endpoint",
    "  properties:",
    ...lines(properties),
    ...(Object.keys(options).length > 0 ? ["  options:", ...lines(options)] : []),
  ].join("\n");
}

export const YAML: Language = {
  name: "yaml",
  project: {},
  files: ({ computes, outputs = {} }) => {
    const lines = Object.entries(outputs).map(([name, value]) => `  ${name}: ${written(value)}`);
    return yamlProgram(
      computes.map(resource).join("\n") || "{}",
      lines.length > 0 ? `outputs:\n${lines.join("\n")}` : "",
    );
  },
  imported: (code) => ({ "Pulumi.yaml": yamlProgram("")["Pulumi.yaml"]!.replace(/resources:[\s\S]*/, code) }),
  importedCode: /type: compute:Endpoint\n\s+properties:\n\s+branchId: /,
  example: { main: "Pulumi.yaml", maxCu: (value) => `autoscalingLimitMaxCu: ${value}`, kept: [] },
  hasSdk: false,
  addPackage: async () => {},
};
