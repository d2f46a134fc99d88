/** docs/scale.md: its figures are those of the result that stands beside it, and its example fits what it says. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Ajv from "ajv";
import { afterAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { PAGES, RESULT, resultFrom, written } from "../../tools/bench/page";
import { SCENARIOS } from "../../tools/bench/scenarios/index";
import { textOf } from "./pipelines";

const ROOT = join(__dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

describe("the figures of the pages", () => {
  test.each(PAGES)(
    "%s, %s: are those of docs/bench/result.json (npx tsx tools/bench/page.ts writes them)",
    (page, part, of) => {
      expect(read(page)).toBe(written(read(page), part, of(resultFrom(RESULT))));
    },
  );

  test("are of a whole run, on every scenario and without a failure", () => {
    const { quick, flags, rows, ...rest } = resultFrom(RESULT);
    expect([quick, flags.filter((flag) => /^--(only|n|quick)/.test(flag))]).toEqual([false, []]);
    expect((rest as { failures?: unknown }).failures).toEqual([]);
    expect([...new Set(rows.map(({ scenario }) => scenario))].sort()).toEqual(SCENARIOS.map(({ name }) => name).sort());
  });
});

describe("the objects for the operator, a stack for each project", () => {
  interface Stack {
    kind: string;
    metadata: { name: string };
    spec: Record<string, unknown> & { stack: string; config: Record<string, string> };
  }
  const stacksOf = (text: string) =>
    parseAllDocuments(text)
      .map((one) => one.toJS() as Stack)
      .filter(({ kind }) => kind === "Stack");
  const folder = join(ROOT, "examples/kubernetes-operator");
  const objects = stacksOf(read("examples/kubernetes-operator/stacks.yaml"));

  const scratch = mkdtempSync(join(tmpdir(), "compute-endpoint-stacks-"));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  /** What the script writes for a list. */
  function stacks(list: object[]) {
    cpSync(folder, scratch, { recursive: true });
    writeFileSync(join(scratch, "projects.json"), JSON.stringify(list));
    return spawnSync(process.execPath, ["stacks.mjs"], { cwd: scratch, encoding: "utf8" });
  }

  test("are what the script writes for the list", () => {
    const { stdout } = stacks(JSON.parse(read("examples/kubernetes-operator/projects.json")));
    expect(read("examples/kubernetes-operator/stacks.yaml")).toBe(stdout);
    expect(objects).toHaveLength(2);
  });

  test("differ in nothing but the name, the stack, the project and the branch", () => {
    const common = objects.map(({ metadata, spec }) => ({
      metadata: { ...metadata, name: "" },
      spec: {
        ...spec,
        stack: "",
        config: { ...spec.config, "compute-basic:projectId": "", "compute-basic:branchId": "" },
      },
    }));
    expect(common[1]).toEqual(common[0]);
    const of = [
      objects.map(({ metadata }) => metadata.name),
      objects.map(({ spec }) => spec.stack),
      objects.map(({ spec }) => spec.config["compute-basic:projectId"]),
    ];
    for (const values of of) expect(new Set(values).size).toBe(objects.length);
  });

  test("guard against restarts, keep what exists, hold no key, and have a fifth of the account's rate", () => {
    for (const { spec } of objects) {
      expect(spec).toMatchObject({
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
        destroyOnFinalize: false,
        config: { "compute:onRestart": "refuse", "compute:requestsPerMinute": String(700 / 5) },
        envRefs: { COMPUTE_API_KEY: { type: "Secret" } },
      });
    }
  });

  // Kubernetes drops what it does not know, in silence.
  test("fit the operator's schema, as those of the pipelines do", () => {
    const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(
      JSON.parse(read("test/fixtures/operator/stack-spec.json")),
    );
    const all = [...objects, ...stacksOf(textOf("operator/stack.yaml"))];
    expect(all).toHaveLength(4);
    for (const { spec } of all) expect([validate(spec), validate.errors]).toEqual([true, null]);
    expect(validate({ ...all[0]!.spec, comit: "a" })).toBe(false);
    expect(validate({ ...all[0]!.spec, destroyOnFinalize: "no" })).toBe(false);
  });

  const one = { name: "a", projectId: "p", branchId: "b" };
  test.each<[what: string, list: object[], says: string]>([
    ["two of one name", [one, { ...one, projectId: "q" }], "two projects are called a"],
    ["a name that Kubernetes does not take", [{ ...one, name: "A b" }], "no name for a stack: A b"],
    ["no name", [{ ...one, name: undefined }], "a project without name"],
    ["no branch", [{ name: "a", projectId: "p" }], "a project without branchId"],
    ["another word for onRestart", [{ ...one, onRestart: "Refuse" }], 'onRestart of a is "Refuse"'],
    [
      "more config behind onRestart",
      [{ ...one, onRestart: 'allow\n    compute:apiUrl: "http://x"' }],
      "onRestart of a is",
    ],
    ["an onRestart that is no text", [{ ...one, onRestart: ["allow"] }], "onRestart of a is"],
    ["no onRestart at all", [{ ...one, onRestart: null }], "onRestart of a is null"],
  ])("are not written for %s", (_what, list, says) => {
    const { status, stdout, stderr } = stacks(list);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(says);
  });

  test("let a project that joins be taken over, and write ids as text whatever they look like", () => {
    const { stdout } = stacks([{ name: "a", projectId: "123", branchId: "yes: no", onRestart: "warn" }]);
    expect(stacksOf(stdout)[0]!.spec.config).toMatchObject({
      "compute:onRestart": "warn",
      "compute-basic:projectId": "123",
      "compute-basic:branchId": "yes: no",
    });
  });
});
