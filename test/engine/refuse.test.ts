/** `onRestart: "refuse"`: what would drop connections fails the preview and the update, and nothing is sent. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { addBranch, changes, files, SEED, type Story, shownInJson, startStory } from "./support";

const DROPS = "if the compute is active it restarts, and open connections drop";
const YES = "yes: size 1 → 4 restarts this compute if it is active; open connections drop then";
const NEW_HOST =
  "a compute with another id and host takes its place: clients need the new host; the old one is deleted and its connections drop, unless it is released";
const BY_OPTION = "an option of the resource replaces this compute; clients then need the new host";
const tailOf = (where: string) => `onRestart is "refuse" (${where}), so the compute is left as it is.`;
const RESOURCE_TAIL = tailOf("on this resource");
const STACK_TAIL = tailOf("compute:onRestart in the stack's config");
/** What follows the first line; `approval.test.ts` does as the last one says. */
const WAYS = [
  /^To see all changes, preview with COMPUTE_ON_RESTART=warn in the environment\. To keep what the compute has, give the program the old value\. .* set onRestart: "warn" on this resource for this one change\./,
  /^To approve exactly this change, run this in the program's folder, and commit the stack's file:$/,
  /^npx --no compute-endpoint approve --stack dev [0-9a-f]{32}=[\w-]+$/,
];

/** One compute by name: what the program says of it, and its options. Each is on a branch of its own. */
type Computes = Record<string, [args: string, options?: string]>;

const BEFORE: Computes = {
  guarded: ['size: 1, onRestart: "refuse"'],
  harmless: ["size: 1"],
  parameters: ["size: 1"],
  unknown: ["size: 1"],
  allowed: ['size: 1, onRestart: "allow"'],
  warned: ['size: 1, onRestart: "warn"'],
};

const program = (computes: Computes, source = 1) => `
const source = new Dependant("source", { on: ${source}, echo: undefined });
${Object.entries(computes)
  .map(([name, [args, options = "{}"]]) => {
    const all = `{ projectId, branchId: "br-${name}", ${args} }`;
    return `new Dependant("dns-${name}", { on: new Endpoint("${name}", ${all}, ${options}).host });`;
  })
  .join("\n")}`;

describeWithEngine("onRestart", (engine) => {
  let story: Story;
  const use = (change: Computes, source?: number) =>
    story.ws.setProgram(files(program({ ...BEFORE, ...change }, source)));
  const errorsOf = (text: string) =>
    [...text.matchAll(/^ {4}error: .*? has a problem: (.*?)(?: \[refused [0-9a-f]{32}\])?$/gm)].map(([, one]) => one!);
  /** The lines behind the error's first one. */
  const waysIn = (text: string) => {
    const lines = text.split("\n");
    const at = lines.findLastIndex((line) => line.includes('onRestart is "refuse"'));
    return lines.slice(at + 1, at + 1 + WAYS.length).map((line) => line.trim());
  };

  beforeAll(async () => {
    story = await startStory(engine, {
      program: "",
      before: (em) => {
        for (const name of [...Object.keys(BEFORE), "other", "adopted"]) addBranch(em, `br-${name}`);
        // A primary that exists, of another size than the program will ask for.
        em.world.endpoints[SEED.primaryId]!.branch_id = "br-adopted";
      },
    });
    await use({});
    await story.ws.up({ args: ["--skip-preview"] });
    story.em.requests.length = 0;
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  const refused = [
    ["size: 4", `size 1 → 4: ${DROPS}`],
    ["size: 1, disabled: true", /^disabled false → true: the compute stops, open connections drop, /],
    ['size: 1, branchId: "br-other"', /^branchId changes: .* open connections drop/],
    ['size: 1, type: "read_only"', `type read_write → read_only: ${NEW_HOST}`],
    [
      "size: 1, suspendTimeoutSeconds: 600",
      `suspendTimeoutSeconds 0 → 600: ${NEW_HOST}`,
      '{ replaceOnChanges: ["suspendTimeoutSeconds"] }',
    ],
    ['size: 1, onDelete: "release"', BY_OPTION, '{ replaceOnChanges: ["onDelete"] }'],
  ] as const;

  describe("refuse on the resource fails the preview with the property, from → to, the effect and the way on", () => {
    test.each(refused)(
      "%s",
      async (args, says, options?: string) => {
        await use({ guarded: [`${args}, onRestart: "refuse"`, options] });
        const { stdout } = await story.ws.preview({ fails: true });
        expect(errorsOf(stdout)).toEqual([
          typeof says === "string" ? `${says}. ${RESOURCE_TAIL}` : expect.stringMatching(says),
        ]);
        expect(errorsOf(stdout)[0]).toContain(RESOURCE_TAIL);
        expect(waysIn(stdout)).toEqual(WAYS.map((way) => expect.stringMatching(way)));
        expect(story.em.requests).toEqual([]);
      },
      ENGINE_TEST_MS,
    );
  });

  test(
    "each property that would is named, with --json as well",
    async () => {
      await use({ guarded: ['size: 4, disabled: true, suspendTimeoutSeconds: 600, onRestart: "refuse"'] });
      const { document } = await story.ws.previewJson({ fails: true });
      const errors = document.diagnostics!.filter(({ severity }) => severity === "error");
      expect(errors.map(({ urn }) => urn?.split("::").at(-1))).toEqual(["guarded", "guarded"]);
      expect(errors.map(({ message }) => /property (\w+) value/.exec(message)?.[1])).toEqual(["disabled", "size"]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "refuse fails the update too, sends nothing and leaves the state",
    async () => {
      const { ws, em } = story;
      await use({ guarded: ['size: 4, onRestart: "refuse"'] });
      const { outputs } = await ws.resource("guarded");
      const { stdout } = await ws.up({ args: ["--skip-preview"], fails: true });
      expect(errorsOf(stdout)).toEqual([`size 1 → 4: ${DROPS}. ${RESOURCE_TAIL}`]);
      expect(em.requests).toEqual([]);
      expect((await ws.resource("guarded")).outputs).toEqual(outputs);
    },
    ENGINE_TEST_MS,
  );

  describe("with compute:onRestart refuse in the stack's config", () => {
    beforeAll(() => story.ws.setConfig({ "compute:onRestart": "refuse" }), ENGINE_TEST_MS);

    test(
      "a restart is refused, and the way on is one that Pulumi does not keep by itself",
      async () => {
        await use({ harmless: ["size: 4"] });
        const { stdout } = await story.ws.preview({ fails: true });
        expect(errorsOf(stdout)).toEqual([`size 1 → 4: ${DROPS}. ${STACK_TAIL}`]);
      },
      ENGINE_TEST_MS,
    );

    const passing: Computes = {
      harmless: ["size: 1, suspendTimeoutSeconds: 600"],
      parameters: ['size: 1, settings: { pgSettings: { work_mem: "64MB" } }'],
      unknown: ["size: source.echo.apply(() => 4)"],
      allowed: ['size: 4, onRestart: "allow"'],
      warned: ['size: 4, onRestart: "warn"'],
    };

    test(
      "a harmless change, one that may restart, and what a resource itself allows pass",
      async () => {
        await use(passing, 2);
        const shown = shownInJson((await story.ws.previewJson()).document);
        const told = Object.fromEntries(
          Object.keys(passing).map((name) => [name, [shown.get(name)?.restart?.[1], shown.get(name)?.warnings]]),
        );
        const warning = (text: RegExp) => [expect.stringMatching(text)];
        expect(told).toEqual({
          harmless: [undefined, []],
          parameters: [
            expect.stringMatching(/^maybe: settings.pgSettings.work_mem/),
            warning(/^ep-\S+: settings.* may restart this compute/),
          ],
          unknown: [expect.stringMatching(/^maybe: size 1 → known after apply may restart/), warning(/may restart/)],
          allowed: [YES, []],
          warned: [YES, warning(/^ep-\S+: size 1 → 4 restarts this compute/)],
        });
        expect(Object.keys(passing).map((name) => shown.get(name)?.op)).toEqual(Array(5).fill("update"));
      },
      ENGINE_TEST_MS,
    );

    test(
      "what the preview did not know is refused by the update as soon as it is known",
      async () => {
        const { ws, em } = story;
        await use({ unknown: passing["unknown"]! }, 2);
        const { stdout } = await ws.up({ args: ["--skip-preview"], fails: true });
        expect(errorsOf(stdout)).toEqual([`size 1 → 4: ${DROPS}. ${STACK_TAIL}`]);
        expect(changes(em)).toEqual([]);
      },
      ENGINE_TEST_MS,
    );

    test(
      "taking over a compute that this would restart fails before it is changed",
      async () => {
        const { ws, em } = story;
        await use({ adopted: ["size: 2, adopt: true"] }, 2);
        const shown = shownInJson((await ws.previewJson()).document).get("adopted");
        expect(shown).toMatchObject({
          op: "create",
          restart: [
            undefined,
            expect.stringMatching(/^maybe: takes over the branch.s primary, if there is one, and sets size 2; /),
          ],
          warnings: [
            expect.stringMatching(/^takes over the branch.s primary, if there is one, and sets size 2; a compute with/),
          ],
        });
        em.requests.length = 0;
        const { stdout } = await ws.up({ args: ["--skip-preview"], fails: true });
        expect(stdout).toContain(
          `error: adopting ${SEED.primaryId} would change it: size 0.25 → 2 restarts this compute if it is active; open connections drop then. onRestart is "refuse", so this compute was not changed.`,
        );
        expect(changes(em)).toEqual([]);
      },
      ENGINE_TEST_MS,
    );
  });
});
