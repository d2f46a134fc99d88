/**
 * One stack, and its program in every kind that Pulumi runs, with the package in every layout that users install it in.
 * Each kind takes over what the one before it made, adds a compute and resizes another.
 */
import { chmod } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../../emulator/index.js";
import { PROVIDER_TEXT } from "../../../sdk/literal.js";
import { describeWithEngine, ENGINE_TEST_MS, Workspace } from "../../support/engine";
import { changes, requests, shownInJson } from "../support";
import { KINDS, type Program, type Wish } from "./kinds";
import { clean, dependencies, installTools, npmInstall, pack, pnpmInstall, write } from "./trees";

const TYPESCRIPT = ["@pulumi/pulumi", "typescript", "ts-node", "@types/node"];
const PLAIN = "CommonJS JavaScript";

/** What Pulumi installs beside its host for Node.js: the same host with another command. */
const bunHost = (bun: string, engine: string, bin: string): Record<string, string> => ({
  [`${bin}/bun-as-node/node`]: `#!/bin/sh\nexec "${bun}" "$@"\n`,
  [`${bin}/pulumi-language-bun`]: `#!/bin/sh\nPATH="$(dirname "$0")/bun-as-node:$PATH" exec "${process.execPath}" "${engine}/../host/main.js" "$@"\n`,
});

describeWithEngine("a program of every kind", (engine) => {
  let em: RunningEmulator;
  let ws: Workspace;
  let tarball: string;
  let tools: string;
  /** What the last program that came up asked for. */
  let wish: Wish = { size: 1, replicas: [] };
  const main = () => ws.programFolder;

  beforeAll(async () => {
    em = await startEmulator({ operationMs: 50 });
    ws = await Workspace.create(engine, { env: { COMPUTE_API_URL: em.url, COMPUTE_API_KEY: em.apiKey } });
    await ws.setConfig({ "compute:pollSeconds": "0.2" });
    tarball = await pack(ws.folder);
    tools = await installTools(join(ws.folder, "tools"));
    await clean(join(main(), "node_modules"));
    await write(main(), {
      "package.json": JSON.stringify({ dependencies: await dependencies(tarball, ...TYPESCRIPT, "tsx") }),
    });
    await npmInstall(main());
  }, 2 * ENGINE_TEST_MS);
  afterAll(async () => {
    await ws?.close();
    await em?.close();
  });

  async function put({ files, manifest, runtime }: Program): Promise<void> {
    await clean(...["index.ts", "index.js", "index.mjs", "out", "tsconfig.json"].map((name) => join(main(), name)));
    await ws.setProgram({
      ...files,
      "package.json": JSON.stringify({ name: "test", private: true, ...manifest }),
      "Pulumi.yaml": JSON.stringify({ name: "test", runtime }),
    });
  }

  /** The program goes on with what is there: one compute more, and another size of the primary. */
  async function goesOn(kind: string): Promise<void> {
    const name = `replica-${wish.replicas.length}`;
    const isFirst = wish.replicas.length === 0;
    const from = wish.size;
    const next = { size: isFirst ? 1 : 3 - from, replicas: [...wish.replicas, name] };
    const program = KINDS[kind]!(next);
    await put(program);

    em.requests.length = 0;
    const shown = shownInJson((await ws.previewJson()).document);
    // The preview tells what is true right now, of creations and of changes: the program itself asks, once.
    expect(requests(em)).toEqual([`GET /projects/${SEED.projectId}/endpoints`]);
    const moved = [...shown].filter(([, { op }]) => op !== "same").map(([one, { op }]) => [one, op]);
    const expected = isFirst
      ? [
          ["test-dev", "create"],
          ["primary", "create"],
        ]
      : [["primary", "update"]];
    expect(moved.sort()).toEqual([...expected, [name, "create"]].sort());
    if (!isFirst) {
      const says = `size ${from} → ${next.size} restarts this compute`;
      expect(shown.get("primary")?.restart?.[1]).toBe(`yes: ${says} if it is active; open connections drop then`);
      expect(shown.get("primary")?.warnings).toEqual([
        expect.stringContaining(`${SEED.primaryId}: ${says}. It is active`),
      ]);
    }

    const { stdout } = await ws.up({ args: ["--skip-preview"] });
    wish = next;
    expect(stdout).toMatch(program.says);
    expect(
      changes(em)
        .map(({ line }) => line.replace(/ep-.*/, "ep-"))
        .sort(),
    ).toEqual([`PATCH /projects/${SEED.projectId}/endpoints/ep-`, `POST /projects/${SEED.projectId}/endpoints`]);

    await ws.up({ args: ["--skip-preview", "--expect-no-changes"] });
    expect(em.requests).toEqual([]);
    const { resources = [] } = (await ws.export()).deployment;
    const computes = resources.filter(({ type }) => type.endsWith(":Endpoint"));
    const texts = computes.flatMap(({ inputs, outputs }) => [inputs?.["__provider"], outputs?.["__provider"]]);
    expect(texts).toEqual(Array(2 * (1 + wish.replicas.length)).fill(PROVIDER_TEXT));
    expect(Buffer.byteLength(PROVIDER_TEXT)).toBe(77);
  }

  test.each(Object.keys(KINDS).filter((kind) => !/Bun/.test(kind)))("%s", goesOn, ENGINE_TEST_MS);

  test(
    "TypeScript on Bun; the provider's process is Node.js as ever",
    async () => {
      const bin = join(ws.folder, "bun-host");
      const scripts = bunHost(join(tools, "node_modules/.bin/bun"), engine.binDir, bin);
      await write("/", scripts);
      for (const path of Object.keys(scripts)) await chmod(path, 0o755);
      const before = ws.env["PATH"];
      // An installed Pulumi brings its own, beside the engine.
      ws.env["PATH"] = `${before}${delimiter}${bin}`;
      await goesOn("TypeScript on Bun");
      ws.env["PATH"] = before;
    },
    ENGINE_TEST_MS,
  );

  test(
    "installed with pnpm, which puts nothing beside the program that package.json does not name",
    async () => {
      await clean(join(main(), "node_modules"), join(main(), "package-lock.json"));
      await write(main(), {
        "package.json": JSON.stringify({ dependencies: await dependencies(tarball, ...TYPESCRIPT) }),
      });
      await pnpmInstall(main(), tools);
      await goesOn(PLAIN);
    },
    ENGINE_TEST_MS,
  );

  test(
    "in a workspace of npm, which puts everything beside the root",
    async () => {
      await clean(join(main(), "node_modules"));
      await write(ws.folder, {
        "package.json": JSON.stringify({ private: true, workspaces: ["program"] }),
        "program/package.json": JSON.stringify({
          name: "infra",
          version: "1.0.0",
          dependencies: await dependencies(tarball, "@pulumi/pulumi"),
        }),
      });
      await npmInstall(ws.folder);
      await goesOn(PLAIN);
    },
    ENGINE_TEST_MS,
  );

  test(
    "destroy deletes what all of them made, and leaves nothing running",
    async () => {
      await ws.destroy({ args: ["--skip-preview"] });
      expect(changes(em).filter(({ line }) => line.startsWith("DELETE "))).toHaveLength(wish.replicas.length);
      expect(Object.keys(em.world.endpoints)).toContain(SEED.primaryId);
      expect(await ws.leftBehind()).toEqual([]);
    },
    ENGINE_TEST_MS,
  );
});
