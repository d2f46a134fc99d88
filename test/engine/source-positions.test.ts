/** Computes are constructed without the stack traces of Pulumi's promises. What Pulumi tells of a program stays the same. */
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import { describeWithEngine, ENGINE_TEST_MS, type PreviewDocument, Workspace } from "../support/engine";

const PROGRAM = `
import * as pulumi from "@pulumi/pulumi";
import { Endpoint } from "pulumi-compute-endpoint";
const at = { projectId: "${SEED.projectId}", branchId: "${SEED.branches.dev}" };
class Service extends pulumi.ComponentResource {
  constructor(name: string) {
    super("test:index:Service", name);
    makeReplica(this);
  }
}
function makeReplica(parent: pulumi.Resource) {
  return new Endpoint("replica", { ...at, type: "read_only", size: 1 }, { parent });
}
const primary = new Endpoint("primary", { ...at, size: 1 });
new Service("service");
export const host = primary.host;
`;
const lineOf = (text: string) => PROGRAM.split("\n").findIndex((line) => line.includes(text)) + 1;
/** Pulumi's debug mode, in which nothing is left out. */
const WITH_TRACES = { PULUMI_DEBUG_PROMISE_LEAKS: "true" };

/** The engine makes the two computes in either order. */
const comparable = (document: PreviewDocument) => ({
  ...document,
  duration: 0,
  steps: (document.steps ?? []).toSorted((one, other) => one.urn.localeCompare(other.urn)),
});

describeWithEngine("a program with computes", (engine) => {
  let em: RunningEmulator;
  let ws: Workspace;

  beforeAll(async () => {
    em = await startEmulator({ operationMs: 50 });
    const env = { COMPUTE_API_URL: em.url, COMPUTE_API_KEY: em.apiKey };
    ws = await Workspace.create(engine, { program: PROGRAM, typescript: true, env });
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await ws?.close();
    await em?.close();
  });

  test(
    "has each compute's source position in the preview's document, which is the same as with all stack traces",
    async () => {
      const { document } = await ws.previewJson();
      const positions = (document.steps ?? []).map(({ urn, newState }) => [
        urn.split("::").at(-1),
        (newState as { sourcePosition?: string } | undefined)?.sourcePosition?.split("#")[1]?.split(",")[0],
      ]);
      expect(Object.fromEntries(positions)).toMatchObject({
        primary: String(lineOf('new Endpoint("primary"')),
        replica: String(lineOf('new Endpoint("replica"')),
      });
      const withTraces = await ws.previewJson({ env: WITH_TRACES });
      expect(comparable(document)).toEqual(comparable(withTraces.document));
    },
    ENGINE_TEST_MS,
  );

  test(
    "gets the lines of its own error, which comes after a compute",
    async () => {
      const failing = 'function fail() { throw new Error("of the program"); }\nfail();\nexport const';
      await ws.setProgram(PROGRAM.replace("export const", failing));
      const { stdout, stderr } = await ws.preview({ fails: true });
      // Pulumi shows errors in colors.
      expect(stripVTControlCharacters(stdout + stderr)).toMatch(/of the program[\s\S]*at fail \(.*index\.ts:\d+:/);
    },
    ENGINE_TEST_MS,
  );
});
