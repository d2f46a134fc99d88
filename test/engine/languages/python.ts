import { pythonProjectOfPage } from "./examples";
import { addPackage, type Compute, type Language, Ref } from "./program";

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function written(value: Compute["properties"][string]): string {
  if (value instanceof Ref) return `${value.compute}.${snakeCase(value.property)}`;
  return typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);
}

function resource({ name, properties, options }: Compute): string {
  const args = Object.entries(properties).map(([key, value]) => `${snakeCase(key)}=${written(value)}`);
  if (options?.import) args.push(`opts=pulumi.ResourceOptions(import_=${JSON.stringify(options.import)})`);
  return `${name} = compute.Endpoint(${[JSON.stringify(name), ...args].join(", ")})`;
}

export const PYTHON: Language = {
  name: "python",
  project: {
    "Pulumi.yaml": pythonProjectOfPage().replace(/^name: .*/, "name: test"),
    "requirements.txt": "pulumi>=3.203.0,<4\n",
  },
  files: ({ computes, outputs = {} }) => ({
    "__main__.py": [
      "import pulumi",
      "import pulumi_compute as compute",
      ...computes.map(resource),
      ...Object.entries(outputs).map(([name, value]) => `pulumi.export("${name}", ${written(value)})`),
      "",
    ].join("\n"),
  }),
  imported: (code) => ({ "__main__.py": code }),
  importedCode: /= compute\.Endpoint\("main",\n\s+branch_id="/,
  example: {
    main: "__main__.py",
    maxCu: (value) => `autoscaling_limit_max_cu=${value}`,
    kept: ["Pulumi.yaml", "requirements.txt"],
  },
  hasSdk: true,
  addPackage,
};
