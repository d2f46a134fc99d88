/** The example of a language as it is, through its whole life; and after it the program of the page, in the same project. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator } from "../../../emulator/index";
import { describeWithLanguage, ENGINE_TEST_MS, Workspace } from "../../support/engine";
import { FIRST_TIME_MS, type Language, PACKAGE_ADD } from "./program";

const ROOT = resolve(__dirname, "../../..");
const read = (...path: string[]) => readFileSync(join(ROOT, ...path), "utf8");
const PRIMARY = `${SEED.primaryId}.us-east-2.aws.neon.tech`;
const A_HOST = expect.stringMatching(/^ep-[a-z]+-[a-z]+-[a-z0-9]+\.us-east-2\.aws\.neon\.tech$/);

/** The blocks in this language on the page about other languages. */
export const blocksOfPage = (language: string): string[] =>
  [...read("docs/languages.md").matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(
    ([, text]) => text!,
  );

const isPythonProject = (text: string) => text.includes("name: python");
/** In YAML, the page also has the project's file of a program in Python. */
export const yamlProgramsOfPage = (): string[] => blocksOfPage("yaml").filter((text) => !isPythonProject(text));
export const pythonProjectOfPage = (): string => blocksOfPage("yaml").find(isPythonProject) ?? "";

export function playExample(language: Language): void {
  const { name, example } = language;

  test(`examples/${name} needs no more packages than its page says, and has a README with the commands`, () => {
    const { dependencies, ...rest } = JSON.parse(read("examples", name, "package.json"));
    const { peerDependencies } = JSON.parse(read("package.json"));
    const sdk = language.hasSdk ? { "@pulumi/pulumi": peerDependencies["@pulumi/pulumi"] } : {};
    expect(dependencies).toEqual({ ...sdk, "pulumi-compute-endpoint": "file:../.." });
    expect(Object.keys(rest)).toEqual(["name", "private"]);
    const add = language.hasSdk ? [`pulumi ${PACKAGE_ADD.join(" ")}`] : [];
    for (const command of ["npm install", ...add, "pulumi preview", "pulumi destroy"]) {
      expect(read("examples", name, "README.md")).toContain(`\n${command}`);
    }
    for (const command of add) expect(read("docs/languages.md")).toContain(`\`${command}\``);
  });

  describeWithLanguage(name, `examples/${name}`, (engine, { hosts, env }) => {
    let emulator: RunningEmulator;
    let ws: Workspace;
    beforeAll(async () => {
      emulator = await startEmulator({ operationMs: 50 });
      ws = await Workspace.create(engine, {
        from: join(ROOT, "examples", name),
        hosts,
        env: { ...env, COMPUTE_API_URL: emulator.url, COMPUTE_API_KEY: emulator.apiKey },
      });
      await language.addPackage(ws);
    }, FIRST_TIME_MS);
    afterAll(async () => {
      await ws?.close();
      await emulator?.close();
    });

    test(
      "is committed as `package add` leaves it",
      () => {
        for (const file of example.kept) {
          expect(readFileSync(join(ws.programFolder, file), "utf8")).toBe(read("examples", name, file));
        }
      },
      ENGINE_TEST_MS,
    );

    test(
      "takes over the primary, makes the replicas, and changes nothing the second time",
      async () => {
        await ws.up({ args: ["--skip-preview"], limitMs: FIRST_TIME_MS });
        expect(await ws.outputs()).toEqual({
          host: PRIMARY,
          readHosts: [A_HOST, A_HOST],
          appEnv: {
            DATABASE_HOST: PRIMARY.replace(".", "-pooler."),
            DATABASE_READ_HOSTS: expect.stringMatching(/^ep-[^,]+,ep-[^,]+$/),
          },
        });
        emulator.requests.length = 0;
        await ws.up({ args: ["--skip-preview", "--expect-no-changes"] });
        expect(emulator.requests).toEqual([]);
      },
      2 * FIRST_TIME_MS,
    );

    test(
      "announces another limit as a restart of the primary, and of nothing else",
      async () => {
        await ws.edit(example.main, (text) => text.replace(example.maxCu(4), example.maxCu(8)));
        const { document } = await ws.previewJson();
        const touched = (document.steps ?? []).filter(({ op }) => op !== "same");
        expect(touched.map(({ op, urn }) => `${op} ${urn.split("::").at(-1)}`)).toEqual(["update primary"]);
        const words = `${SEED.primaryId}: autoscalingLimitMaxCu 4 → 8 restarts this compute`;
        expect(document.diagnostics?.filter(({ urn }) => urn?.endsWith("::primary"))).toEqual([
          expect.objectContaining({ severity: "warning", message: expect.stringContaining(words) }),
        ]);
        const before = await ws.outputs();
        await ws.up({ args: ["--skip-preview"] });
        expect(await ws.outputs()).toEqual(before);
      },
      ENGINE_TEST_MS,
    );

    test(
      "destroy deletes the replicas, lets go of the primary, and leaves no process",
      async () => {
        await ws.destroy();
        const left = Object.values(emulator.world.endpoints).filter(({ project_id }) => project_id === SEED.projectId);
        expect(left.map(({ id }) => id)).toEqual([SEED.primaryId]);
        expect(await ws.leftBehind()).toEqual([]);
      },
      ENGINE_TEST_MS,
    );

    if (language.hasSdk) {
      test(
        "the program on the page runs as it stands",
        async () => {
          const [program = ""] = blocksOfPage(name);
          await ws.setProgram({ [example.main]: program });
          await ws.up({ args: ["--skip-preview"] });
          expect(await ws.outputs()).toEqual({ host: PRIMARY });
        },
        ENGINE_TEST_MS,
      );
    }
  });
}
