import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { addPackage, type Compute, type Language, Ref } from "./program";

/** The program's modules are those of the example. */
const EXAMPLE = resolve(__dirname, "../../../examples/go");
const exported = (name: string) => name[0]!.toUpperCase() + name.slice(1);

function written(value: Compute["properties"][string]): string {
  if (value instanceof Ref) return `${value.compute}.${exported(value.property)}`;
  const kind = { string: "String", number: "Float64", boolean: "Bool" }[typeof value as "string"];
  return `pulumi.${kind}(${JSON.stringify(value)})`;
}

function resource({ name, properties, options }: Compute): string {
  const args = Object.entries(properties).map(([key, value]) => `${exported(key)}: ${written(value)}`);
  const option = options?.import ? `, pulumi.Import(pulumi.ID(${JSON.stringify(options.import)}))` : "";
  return `${name}, err := compute.NewEndpoint(ctx, "${name}", &compute.EndpointArgs{${args.join(", ")}}${option})
if err != nil {
	return err
}
_ = ${name}`;
}

export const GO: Language = {
  name: "go",
  get project() {
    return {
      "Pulumi.yaml": "name: test\nruntime: go\n",
      ...Object.fromEntries(["go.mod", "go.sum"].map((name) => [name, readFileSync(join(EXAMPLE, name), "utf8")])),
    };
  },
  files: ({ computes, outputs = {} }) => ({
    "main.go": `package main

import (
	"example.com/pulumi-compute/sdk/go/compute"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
${computes.map(resource).join("\n")}
${Object.entries(outputs)
  .map(([name, value]) => `ctx.Export("${name}", ${written(value)})`)
  .join("\n")}
		return nil
	})
}
`,
  }),
  imported: (code) => ({ "main.go": code }),
  importedCode: /compute\.NewEndpoint\(ctx, "main", &compute\.EndpointArgs\{\n\s+BranchId:/,
  example: {
    main: "main.go",
    maxCu: (value) => `AutoscalingLimitMaxCu: pulumi.Float64(${value})`,
    kept: ["Pulumi.yaml", "go.mod", "go.sum"],
  },
  hasSdk: true,
  addPackage,
};
