/** The format for programs, and its published schema. */
import { Ajv2020, type AnySchemaObject } from "ajv/dist/2020";
import { describe, expect, test } from "vitest";
import { IMPACTS } from "../../../provider/rules/impact";
import schema from "../../../schema/report.schema.json";
import { BASE, fixture, inJson, pretty, preview, resize, step, urnOf } from "./support";

const gone = (name: string) => step({ op: "delete", name, id: `ep-${name}`, old: BASE });

describe("JSON", () => {
  /** The published schema lets newer versions add fields; ours may have no field that it does not know. */
  const strict = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strict);
    if (value === null || typeof value !== "object") return value;
    const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, strict(inner)]));
    return "properties" in copy && copy["type"] === "object" ? { ...copy, additionalProperties: false } : copy;
  };
  const isValid = new Ajv2020({ strict: true }).compile(strict(schema) as AnySchemaObject);
  const NAMES = [
    "create",
    "nothing",
    "changes",
    "sames-and-halves",
    "refreshed",
    "refresh-only",
    "replace-asked",
    "destroy",
    "failed-late",
    "failed-early",
    "refused",
    "alias-and-get",
    "get-is-gone",
  ];

  test.each(NAMES)("of %s.json is as the schema says", async (name) => {
    const value = await inJson(fixture(`${name}.json`));
    expect([isValid(value), isValid.errors]).toEqual([true, null]);
  });

  test.each<[string, unknown, string[]]>([
    ["nothing usable", "", []],
    [
      "a mixed bag",
      `${pretty(preview([resize(), gone("a"), step({ op: "teleport", old: BASE })]))}{}`,
      ["--fail-on", "may-restart"],
    ],
    ["broken names", preview([step({ urn: "x", op: "delete", old: BASE })]), []],
    [
      "triggers without values",
      preview([resize({ old: { restartTriggers: [1] }, next: { restartTriggers: [2] } })]),
      [],
    ],
    ["approvals that can't be read", preview([], { config: { "compute:approve": "x" } }), []],
  ])("of %s too", async (_what, input, args) => {
    const value = await inJson(input, args);
    expect([isValid(value), isValid.errors]).toEqual([true, null]);
  });

  test("the schema would notice", () => {
    expect(isValid({ formatVersion: 2 })).toBe(false);
  });

  test("the schema knows the impacts of the rules", () => {
    expect(schema.$defs.impact.enum).toEqual(IMPACTS);
  });

  test("and is strict about what is there, not about what may come", () => {
    expect(JSON.stringify(schema)).not.toContain("additionalProperties");
  });

  test("one change, in full", async () => {
    const [compute] = (await inJson(preview([resize()]))).stacks[0].computes;
    expect(compute).toMatchObject({
      name: "primary",
      urn: urnOf("primary"),
      op: "update",
      impact: "restart",
      fails: true,
    });
    expect(compute.changes).toEqual([
      {
        property: "size",
        old: "1",
        new: "4",
        impact: "restart",
        effect: "if the compute is active it restarts, and open connections drop",
      },
    ]);
  });
});
