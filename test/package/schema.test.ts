/** The plugin's schema, the check of inputs, and the TypeScript class say the same: names, what is required, and the words. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { schemaOf } from "../../native/schema.js";
import type { Property } from "../../native/schema-types.js";
import { checkInputs } from "../../provider/endpoint/inputs.js";
import { CONFIG_NAMES } from "../../provider/rules/config-names.js";
import { ENDPOINT_TYPE, NATIVE_TYPE } from "../../provider/rules/urn.js";

const ROOT = join(__dirname, "../..");

interface Schema {
  config: { variables: Record<string, Property> };
  provider: { inputProperties: Record<string, Property> };
  resources: Record<
    string,
    {
      inputProperties: Record<string, Property>;
      requiredInputs: string[];
      properties: Record<string, Property>;
      required: string[];
      aliases: { type: string }[];
    }
  >;
  types: Record<string, { properties: Record<string, Property>; required?: string[] }>;
  functions: Record<string, { inputs: { properties: Record<string, Property>; required: string[] } }>;
}
const schema = schemaOf("1.2.3") as unknown as Schema;
const endpoint = schema.resources[NATIVE_TYPE]!;

interface Member {
  isOptional: boolean;
  type: string;
  /** Without examples; `@default x` as "Default: x." */
  doc: string;
}

/** The properties of a class or an interface. */
function membersOf(file: string, name: string): Record<string, Member> {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), "utf8"), ts.ScriptTarget.ES2023, true);
  const found = source.statements.find(
    (one): one is ts.ClassDeclaration | ts.InterfaceDeclaration =>
      (ts.isClassDeclaration(one) || ts.isInterfaceDeclaration(one)) && one.name?.text === name,
  );
  const members = (found?.members ?? []) as ts.NodeArray<ts.ClassElement | ts.TypeElement>;
  const properties = members.filter(
    (one): one is ts.PropertyDeclaration | ts.PropertySignature =>
      ts.isPropertyDeclaration(one) || ts.isPropertySignature(one),
  );
  return Object.fromEntries(
    properties.map((one) => [
      one.name.getText(source),
      { isOptional: one.questionToken !== undefined, type: one.type?.getText(source) ?? "", doc: docOf(one) },
    ]),
  );
}

function docOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const tag = doc?.tags?.find((one) => one.tagName.text === "default");
  const text = [ts.getTextOfJSDocComment(doc?.comment) ?? ""].join("").replace(/```[\s\S]*?```/g, "");
  const otherwise = tag ? ` Default: ${ts.getTextOfJSDocComment(tag.comment)}.` : "";
  return `${text.replace(/\s+/g, " ").trim()}${otherwise}`.trim();
}

/** In a text for all languages, a constant stands as code or plain. */
const inAnyLanguage = (text: string): string => text.replace(/"read_write"/g, "`read_write`");

function expectSameWords(properties: Record<string, Property>, members: Record<string, Member>): void {
  const said = Object.entries(members).filter(([name, { doc }]) => doc !== "" && name in properties);
  expect(said.length).toBeGreaterThan(3);
  for (const [name, { doc }] of said) {
    expect([name, properties[name]!.description]).toEqual([name, inAnyLanguage(doc)]);
  }
}

const TYPES: [RegExp, Property["type"]][] = [
  [/<number>/, "number"],
  [/<boolean>/, "boolean"],
  [/<string>|<EndpointType>|<"/, "string"],
];

describe("the resource", () => {
  const args = membersOf("sdk/endpoint.ts", "EndpointArgs");
  const outputs = membersOf("sdk/endpoint.ts", "Endpoint");

  test("has the arguments of the class, with its words", () => {
    expect(Object.keys(endpoint.inputProperties).sort()).toEqual(Object.keys(args).sort());
    const required = Object.keys(args).filter((name) => !args[name]!.isOptional);
    expect(endpoint.requiredInputs.toSorted()).toEqual(required.sort());
    expectSameWords(endpoint.inputProperties, args);
  });

  test("has the outputs of the class, with its words", () => {
    expect(Object.keys(endpoint.properties).sort()).toEqual(Object.keys(outputs).sort());
    const certain = Object.keys(outputs).filter((name) => !outputs[name]!.type.includes("undefined"));
    expect(endpoint.required.filter((name) => !certain.includes(name))).toEqual([]);
    expect(certain.filter((name) => !endpoint.required.includes(name))).toEqual([]);
    expectSameWords(endpoint.properties, outputs);
  });

  test("has types that fit the class's", () => {
    for (const [name, { type }] of Object.entries(args)) {
      const [, expected] = TYPES.find(([form]) => form.test(type)) ?? [];
      if (!expected) continue;
      const { type: has } = endpoint.inputProperties[name]!;
      expect([name, has === "integer" ? "number" : has]).toEqual([name, expected]);
    }
  });

  test("has the inputs that check knows, and customTimeouts as an option alone", () => {
    const [{ reason } = { reason: "" }] = checkInputs({ projectId: "p", branchId: "b", nonsense: 1 }).problems;
    const known = reason.replace(/^.*known ones are /, "").split(", ");
    expect([...Object.keys(endpoint.inputProperties), "customTimeouts"].sort()).toEqual(known.sort());
  });

  test("has the class as its alias from the first release", () => {
    expect(endpoint.aliases).toEqual([{ type: ENDPOINT_TYPE }]);
  });

  test("replaces the compute for no other property than check does", () => {
    const flagged = Object.entries(endpoint.inputProperties).filter(([, one]) => one.replaceOnChanges);
    expect(flagged.map(([name]) => name)).toEqual(["projectId", "type"]);
  });
});

test("the provider's configuration is the stack's", () => {
  expect(Object.keys(schema.config.variables).sort()).toEqual([...CONFIG_NAMES].sort());
  expect(schema.provider.inputProperties).toEqual(schema.config.variables);
});

test.each([
  ["EndpointInfo", "provider/lookup/info.ts"],
  ["OperationInfo", "provider/lookup/info.ts"],
  ["Capacity", "provider/rules/capacity.ts"],
])("%s has the words of the look-ups in TypeScript", (name, file) => {
  const members = membersOf(file, name);
  const { properties, required = [] } = schema.types[`compute:index:${name}`]!;
  expect(Object.keys(properties).sort()).toEqual(Object.keys(members).sort());
  const certain = Object.keys(members).filter((one) => !members[one]!.isOptional);
  expect(required.toSorted()).toEqual(certain.sort());
  expectSameWords(properties, members);
});

test.each([
  ["getEndpoint", "GetEndpointArgs"],
  ["listEndpoints", "ListEndpointsArgs"],
  ["getOperation", "GetOperationArgs"],
  ["listOperations", "ListOperationsArgs"],
  ["getConnectionUri", "GetConnectionUriArgs"],
])("%s has the arguments of the look-up in TypeScript", (name, type) => {
  const members = membersOf("sdk/lookups.ts", type);
  const { properties, required } = schema.functions[`compute:index:${name}`]!.inputs;
  expect(Object.keys(properties).sort()).toEqual(Object.keys(members).sort());
  expect(required.toSorted()).toEqual(
    Object.keys(members)
      .filter((one) => !members[one]!.isOptional)
      .sort(),
  );
});

test("every property says what it is, and every reference leads somewhere", () => {
  const text = JSON.stringify(schema);
  for (const [, type] of text.matchAll(/"#\/types\/([^"]+)"/g)) expect(Object.keys(schema.types)).toContain(type);
  const all = [endpoint.inputProperties, endpoint.properties, schema.config.variables];
  for (const [name, { description }] of all.flatMap((one) => Object.entries(one))) {
    expect([name, description]).toEqual([name, expect.stringMatching(/^.{5,}[.`*]$/)]);
  }
});
