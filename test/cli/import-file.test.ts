import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importFile } from "../../cli/import-file.js";
import { imported, namesOf } from "../../cli/imported.js";
import { programText } from "../../cli/program-text.js";
import type { WireEndpoint } from "../../provider/wire/endpoint.js";
import { Desk, PLACE, PROJECT, SEED } from "./support.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "compute-endpoint-import-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;
const file = () => join(folder, `${count++}.json`);
const entries = (path: string) =>
  JSON.parse(readFileSync(path, "utf8")).resources as { name: string; id: string; inputs: object; outputs: object }[];

describe("names", () => {
  const wire = (id: string, name?: string, type = "read_write"): WireEndpoint => ({
    id,
    type,
    ...(name ? { name } : {}),
  });
  test.each<[string, WireEndpoint[], string[]]>([
    ["the compute's own", [wire("ep-1", "orders")], ["orders"]],
    ["what it is, where it has none", [wire("ep-1"), wire("ep-2", undefined, "read_only")], ["primary", "replica"]],
    [
      "with the id where two are the same",
      [wire("ep-1"), wire("ep-2"), wire("ep-3", "x")],
      ["primary-1", "primary-2", "x"],
    ],
    [
      "also where one is called like another with its id",
      [wire("ep-1", "a"), wire("ep-2", "a"), wire("ep-3", "a-1")],
      ["a-1-2", "a-2", "a-1"],
    ],
    [
      "without what Pulumi or a shell would trip over",
      [wire("ep-1", "Orders: (eu/west) ü"), wire("ep-2", "::")],
      ["Orders-eu-west", "primary"],
    ],
  ])("%s", (_rule, endpoints, names) => {
    const found = namesOf(endpoints, "");
    expect(endpoints.map(({ id }) => found.get(id))).toEqual(names);
    expect([...namesOf(endpoints, "eu-").values()]).toEqual([...found.values()].map((name) => `eu-${name}`));
  });
});

describe("the program", () => {
  const text = (...names: string[]) =>
    programText(names.map((name) => imported(name, { id: "ep-1" }, { projectId: "p", branchId: "br-a" })));

  test.each([
    ["orders-primary", "ordersPrimary"],
    ["class", "classCompute"],
    ["2-large", "compute2Large"],
    ["a.b_c", "aB_c"],
  ])("%s is the variable %s", (name, variable) => {
    expect(text(name)).toContain(`const ${variable} = new Endpoint(${JSON.stringify(name)}, {`);
  });

  test("shows each character of the service's, and has no command for a terminal or a runner", () => {
    const hostile = "a\u202eb\u009bc\u2028d##vso[task.complete]";
    const settings = { pgSettings: { [hostile]: hostile } };
    const program = programText([
      imported(hostile, { id: "ep-1" }, { projectId: hostile, branchId: "br-a", settings }),
    ]);
    expect(program).not.toMatch(/[^\n -~]|##/);
    const { outputText } = ts.transpileModule(program, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
    const made: unknown[] = [];
    class Endpoint {
      constructor(...args: unknown[]) {
        made.push(...args);
      }
    }
    new Function("require", "exports", outputText)(() => ({ Endpoint }), {});
    expect(made).toEqual([hostile, { projectId: hostile, branchId: "br-a", settings }]);
  });

  test("has no variable twice, and is TypeScript", () => {
    const program = text("a-b", "aB", "a.b", "project-id", "projectId", "Endpoint", "await");
    const { diagnostics } = ts.transpileModule(program, { reportDiagnostics: true });
    expect(diagnostics).toEqual([]);
    const variables = [...program.matchAll(/^const (\w+) =/gm)].map(([, name]) => name);
    expect(new Set(variables).size).toBe(8);
  });
});

describe("import-file", () => {
  test("one compute: its file, its program, and nothing changed on the service", async () => {
    const [out, desk] = [file(), new Desk()];
    const ended = await desk.run(importFile, [PLACE, "--out", out]);
    expect([ended.code, ended.sent.map(({ line }) => line)]).toEqual([0, [`GET /projects/${PROJECT}/endpoints`]]);
    expect(ended.stdout).toBe(`import { Endpoint } from "pulumi-compute-endpoint";

const primary = new Endpoint("primary", {
  projectId: "${PROJECT}",
  branchId: "${SEED.branches.main}",
  size: 0.25,
});
`);
    expect(ended.stderr).toContain(`pulumi import --file ${out} --protect=false`);
    expect(ended.stderr).toContain('unless the program says onDelete: "delete"');
    const [entry] = entries(out);
    expect(entry).toMatchObject({
      type: "pulumi-nodejs:dynamic/compute:Endpoint",
      name: "primary",
      id: SEED.primaryId,
      inputs: { projectId: PROJECT, restart: "no" },
      outputs: { host: desk.primary.host, adopted: true, restart: "no", managed: ["branchId", "projectId", "size"] },
    });
    const providers = [entry!.inputs, entry!.outputs].map((one) => (one as { __provider?: string }).__provider);
    expect(providers).toEqual(Array(2).fill(expect.stringContaining("pulumi-compute-endpoint/provider")));
  });

  test("several, also of two projects, each once", async () => {
    const [out, desk] = [file(), new Desk()];
    desk.emulator.world.endpoints["ep-other"] = { ...desk.primary, id: "ep-other", project_id: SEED.second.projectId };
    const ended = await desk.run(importFile, [PROJECT, PLACE, `${SEED.second.projectId}/ep-other`, "--out", out]);
    expect(entries(out).map(({ id }) => id)).toEqual([SEED.primaryId, "ep-other"]);
    expect(ended.stdout).toContain(`projectId: "${SEED.second.projectId}",`);
    expect(ended.sent).toHaveLength(2);
  });

  test("a size that the rules don't know is told, a type that isn't known is left out", async () => {
    const [out, desk] = [file(), new Desk()];
    Object.assign(desk.primary, { autoscaling_limit_min_cu: 17, autoscaling_limit_max_cu: 17 });
    desk.emulator.world.endpoints["ep-new"] = { ...desk.primary, id: "ep-new", type: "analytic" as "read_only" };
    const { stderr } = await desk.run(importFile, [PROJECT, "--out", out]);
    expect(stderr).toMatch(/note: ep-amber\S+: 17 is not a size.*compute:sizes unchecked/);
    expect(stderr).toMatch(/note: ep-new is left out: analytic/);
    expect(entries(out)).toHaveLength(1);
  });

  test.each<[string, string[], number, RegExp]>([
    ["nothing named", [], 2, /which ones\?/],
    ["a compute that is not there", [`${PROJECT}/ep-none`], 1, /which has ep-amber/],
    ["a project that is not there", ["none"], 1, /does not exist, or the key/],
    ["a project without computes", [SEED.second.projectId], 1, /has no computes/],
    ["a prefix that is no name", [PROJECT, "--name-prefix", "a b"], 2, /--name-prefix/],
    ["a folder that is not there", [PROJECT, "--out", "/none/at/all.json"], 1, /can't write/],
  ])("%s", async (_what, args, code, reason) => {
    const out = file();
    const ended = await new Desk().run(importFile, ["--out", out, ...args]);
    expect([ended.code, ended.stdout]).toEqual([code, ""]);
    expect(ended.stderr).toMatch(reason);
    expect(() => readFileSync(out)).toThrow("ENOENT");
  });

  test("a file that is there is left alone", async () => {
    const out = file();
    writeFileSync(out, "mine");
    const ended = await new Desk().run(importFile, [PROJECT, "--out", out]);
    expect([ended.code, ended.stdout, readFileSync(out, "utf8")]).toEqual([2, "", "mine"]);
  });
});
