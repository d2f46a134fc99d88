import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importFile } from "../../../cli/commands/import-file.js";
import { imported } from "../../../cli/imported.js";
import { programText } from "../../../cli/program-text.js";
import { namesOf } from "../../../provider/endpoint/import-names.js";
import { autoNameOf } from "../../../provider/rules/name.js";
import { ENDPOINT_TYPE } from "../../../provider/rules/urn.js";
import type { WireEndpoint } from "../../../provider/wire/endpoint.js";
import { Desk, PLACE, PROJECT, SEED } from "../support.js";

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
      imported(hostile, { id: `ep-1\n${hostile}` }, { projectId: hostile, branchId: "br-a", settings }),
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

// ${SEED.primaryId}
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
    expect(stderr).toMatch(/note: ep-new is left out: .* type analytic/);
    expect(entries(out)).toHaveLength(1);
  });

  test("--json: the file, the command, the program and the computes", async () => {
    const [out, desk] = [file(), new Desk()];
    const ended = await desk.run(importFile, [PLACE, "--out", out, "--json"]);
    expect(JSON.parse(ended.stdout)).toEqual({
      file: out,
      command: `pulumi import --file ${out} --protect=false --generate-code=false`,
      program: expect.stringContaining('new Endpoint("primary"'),
      computes: [
        {
          id: SEED.primaryId,
          name: "primary",
          projectId: PROJECT,
          args: { projectId: PROJECT, branchId: SEED.branches.main, size: 0.25 },
        },
      ],
      notes: [],
    });
  });

  test("names are sorted as people count", async () => {
    const [out, desk] = [file(), new Desk()];
    for (const name of ["reader-10", "reader-2"]) {
      desk.emulator.world.endpoints[`ep-${name}`] = { ...desk.primary, id: `ep-${name}`, type: "read_only", name };
    }
    await desk.run(importFile, [PROJECT, "--out", out]);
    expect(entries(out).map(({ name }) => name)).toEqual(["primary", "reader-2", "reader-10"]);
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

describe("import-file --as: a resource that the program has already", () => {
  const URN = "urn:pulumi:dev::shop::acme:pool:Pool::pool";
  const GENERATED = autoNameOf(`urn:pulumi:dev::shop::acme:pool:Pool$${ENDPOINT_TYPE}::reader-2`);

  function desk(fields: Partial<Desk["primary"]> = {}): Desk {
    const made = new Desk();
    const size = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 };
    made.emulator.world.endpoints["ep-left"] = {
      ...structuredClone(made.primary),
      ...{ id: "ep-left", type: "read_only", name: GENERATED, ...size, ...fields },
    };
    return made;
  }
  const take = (one: Desk, ...flags: string[]) => {
    const out = file();
    return one
      .run(importFile, [`${PROJECT}/ep-left`, "--as", "reader-2", "--out", out, ...flags])
      .then((ended) => ({ ended, out }));
  };
  const document = (path: string) => JSON.parse(readFileSync(path, "utf8"));

  test("the state has what the program manages, and the generated name as generated", async () => {
    const { ended, out } = await take(desk(), "--owned", "--managed", "type,size", "--parent", URN);
    expect([ended.code, ended.stderr.includes("note:")]).toEqual([0, false]);
    const { nameTable, resources } = document(out);
    expect(nameTable).toEqual({ [URN]: URN });
    const [{ name, parent, inputs, outputs }] = resources;
    expect([name, parent]).toEqual(["reader-2", URN]);
    const { __provider: provider, ...rest } = inputs;
    expect(provider).toContain("pulumi-compute-endpoint/provider");
    expect(rest).toEqual({
      ...{ projectId: PROJECT, branchId: SEED.branches.main, type: "read_only", size: 1 },
      ...{ __autoName: GENERATED, restart: "no" },
    });
    expect(outputs).toMatchObject({ adopted: false, size: 1, name: GENERATED, __autoName: GENERATED });
    expect(outputs.managed).toEqual(["branchId", "projectId", "size", "type"]);
    // The program has the resource, perhaps in a loop: there is nothing to write.
    expect(ended.stdout).toBe("");
    expect(ended.stderr).not.toContain("the program must have");
    expect(ended.stderr).toContain("deleting the resource deletes the compute");
  });

  test("--no-steps: the line that a repair prints goes on with the next command itself", async () => {
    const { ended } = await take(desk(), "--owned", "--no-steps");
    expect(ended.stderr).toMatch(/^\n\S+ holds 1 compute\.\nIt counts as created by its resource: .*\n$/);
  });

  test("the same line once more finds its own file, and goes on; another file stays as it is", async () => {
    const one = desk();
    const { out } = await take(one, "--owned");
    const text = readFileSync(out, "utf8");
    const again = () => one.run(importFile, [`${PROJECT}/ep-left`, "--as", "reader-2", "--owned", "--out", out]);
    expect((await again()).code).toBe(0);
    writeFileSync(out, `${text} `);
    const refused = await again();
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("exists already")]);
    expect(readFileSync(out, "utf8")).toBe(`${text} `);
  });

  test("without --managed: what the compute does not have by default; without --owned it is released", async () => {
    const { ended, out } = await take(desk({ suspend_timeout_seconds: 600 }));
    const [{ inputs, outputs }] = document(out).resources;
    expect(outputs).toMatchObject({
      adopted: true,
      managed: ["branchId", "projectId", "size", "suspendTimeoutSeconds", "type"],
    });
    expect(inputs).toMatchObject({ suspendTimeoutSeconds: 600 });
    expect(document(out)).not.toHaveProperty("nameTable");
    expect(ended.stderr).toContain("leaves its compute on the service");
  });

  test("--set: what no compute tells", async () => {
    const flags = [
      "onDelete=delete",
      "waitForReady=false",
      'customTimeouts={"create":"20m"}',
      "restartTriggers=[1,true]",
    ];
    const { out } = await take(desk(), "--managed", "size", ...flags.flatMap((text) => ["--set", text]));
    const [{ inputs, outputs }] = document(out).resources;
    const set = {
      onDelete: "delete",
      waitForReady: false,
      customTimeouts: { create: "20m" },
      restartTriggers: [1, true],
    };
    expect(inputs).toMatchObject(set);
    expect(outputs).toMatchObject({ ...set, managed: ["branchId", "projectId", "restartTriggers", "size"] });
  });

  test("a Provider of the program", async () => {
    const urn = "urn:pulumi:dev::shop::pulumi:providers:pulumi-nodejs::eu";
    const { out } = await take(desk(), "--provider", urn);
    expect(document(out)).toMatchObject({ nameTable: { [urn]: urn }, resources: [{ provider: urn }] });
  });

  test.each<[string, string, string[]]>([
    ["another resource's", "reader-1-0123abcd", []],
    ["that of a resource under another parent, or in another stack", "reader-2-0123abcd", ["--parent", URN]],
  ])("a generated name that is %s is told", async (_whose, name, flags) => {
    const { ended } = await take(desk({ name }), ...flags);
    expect(ended.stderr).toContain(`note: ep-left has the name ${name}, generated for another resource`);
  });

  test.each<[string[], RegExp]>([
    [[PROJECT, "--as", "x"], /--as is for one compute/],
    [[PLACE, PLACE, "--as", "x"], /--as is for one compute/],
    [[PLACE, "--as", ""], /--as needs the name/],
    [[PLACE, "--as", "x", "--name-prefix", "y"], /leave --name-prefix out/],
    [[PLACE, "--owned"], /--owned goes with --as/],
    [[PLACE, "--set", "onDelete=delete"], /--set goes with --as/],
    [[PLACE, "--as", "x", "--managed", "size,colour"], /"colour" is not a property/],
    [[PLACE, "--as", "x", "--set", "onDelete"], /--set must be NAME=VALUE/],
    [[PLACE, "--as", "x", "--set", "onDelete=keep"], /--set: onDelete: /],
    [[PLACE, "--as", "x", "--set", "size=2"], /size comes from the compute/],
    [[PLACE, "--parent", "pool"], /--parent must be a URN/],
  ])("%j is bad usage", async (args, reason) => {
    const out = file();
    const ended = await new Desk().run(importFile, ["--out", out, ...args]);
    expect([ended.code, ended.stdout, ended.sent]).toEqual([2, "", []]);
    expect(ended.stderr).toMatch(reason);
  });
});
