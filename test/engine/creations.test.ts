/** What a preview foresees of creations, and that `up` does just that. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { autoNameOf } from "../../provider/rules/name";
import type { PreviewDocument } from "../../tools/engine/workspace";
import { inJson, type Parsed } from "../cli/report/support";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import {
  addBranch,
  changes,
  files,
  PROJECT,
  requests,
  SEED,
  type Shown,
  type Story,
  shownInJson,
  startStory,
} from "./support";

interface Row {
  rule: string;
  /** The program's arguments, on a branch of the row's own. */
  args?: Record<string, unknown>;
  /** A compute that is on that branch: `ep-` and the row's name. */
  there?: Record<string, unknown>;
  /** No such branch. */
  isBranchMissing?: true;
  warning?: RegExp;
  note?: string;
  /** Whether `up` fails. */
  fails?: true;
}

const urnOf = (name: string) => `urn:pulumi:dev::test::pulumi-nodejs:dynamic/compute:Endpoint::${name}`;
const ACTIVE = "It is active( \\(last used .* ago\\))?: open connections drop\\.";

const ROWS: Record<string, Row> = {
  plain: { rule: "a new compute" },
  free: {
    rule: "adopt: true where the branch has no primary",
    args: { adopt: true, size: 2 },
    note: "branch br-free has no primary to take over: a new compute is created, and nothing drops.",
  },
  same: {
    rule: "an adoption of exactly these values",
    args: { adopt: true, size: 0.25 },
    there: {},
    note: "takes over ep-same, which has exactly these values: nothing changes.",
  },
  harmless: {
    rule: "an adoption that sets what drops nothing",
    args: { adopt: true, size: 0.25, suspendTimeoutSeconds: 600 },
    there: {},
    note: "takes over ep-harmless and sets suspendTimeoutSeconds 0 → 600: nothing drops.",
  },
  other: {
    rule: "an adoption with another size",
    args: { adopt: true, size: 2 },
    there: {},
    warning: new RegExp(`^takes over ep-other: size 0.25 → 2 restarts this compute. ${ACTIVE}$`),
  },
  idle: {
    rule: "an adoption of an idle compute by its id",
    args: { adopt: "ep-idle", size: 2 },
    there: { current_state: "idle" },
    warning: /^takes over ep-idle: size 0.25 → 2 takes effect at the next start\. It is idle now: nothing drops\.$/,
  },
  refusing: {
    rule: "an adoption that refuse does not let through",
    args: { adopt: true, size: 2, onRestart: "refuse" },
    there: {},
    warning:
      /^takes over ep-refusing: size 0.25 → 2 restarts this compute\. It is active.*: open connections drop\. onRestart is "refuse": `up` will fail\. Give the program/,
    fails: true,
  },
  taken: {
    rule: "a primary where the branch has one",
    there: {},
    warning: /^branch br-taken has its primary already \(ep-taken\): `up` will fail\. Add adopt: true to manage /,
    fails: true,
  },
  left: {
    rule: "a compute that an interrupted run left",
    args: { type: "read_only" },
    there: { type: "read_only", name: autoNameOf(urnOf("left")) },
    warning:
      /^ep-left has the name left-[0-9a-f]{8}, .*: `up` will fail\. Set adopt: "ep-left" .* A forced replacement \(--target-replace, a taint\) goes through\.$/,
    fails: true,
  },
  namesake: {
    rule: "a replica of a name that another one has",
    args: { type: "read_only", name: "reader" },
    there: { type: "read_only", name: "reader" },
    warning:
      /^branch br-namesake has a read_only compute of this name already \(ep-namesake\): `up` will fail\. .* A forced replacement .* goes through\.$/,
    fails: true,
  },
  anothers: {
    rule: "an adoption of what was made for another resource",
    args: { adopt: true },
    there: { name: "db-0123abcd" },
    warning: /^ep-anothers has the name db-0123abcd, generated for another resource: `up` will fail\. Replace adopt by/,
    fails: true,
  },
  absent: {
    rule: "an adoption of a compute that does not exist",
    args: { adopt: "ep-nowhere" },
    warning: new RegExp(
      `^project ${PROJECT} has no compute ep-nowhere, which adopt names: \`up\` will fail\\. Set adopt`,
    ),
    fails: true,
  },
  kind: {
    rule: "an adoption of a compute of another type",
    args: { adopt: "ep-kind" },
    there: { type: "read_only" },
    warning: /^adopt names ep-kind, which is read_only, and the program asks for read_write: `up` will fail\. /,
    fails: true,
  },
  project: {
    rule: "a project that does not exist",
    args: { projectId: "no-such-project-1" },
    warning: /^project no-such-project-1 does not exist, or this key can't see it: `up` will fail\. Check projectId/,
    fails: true,
  },
  branch: {
    rule: "a branch that does not exist",
    isBranchMissing: true,
    warning: new RegExp(`^branch br-branch of project ${PROJECT} does not exist, or this key .*: \`up\` will fail\\. `),
    fails: true,
  },
  region: {
    rule: "a region that is not the project's",
    args: { regionId: "aws-eu-west-9" },
    warning: /^regionId is aws-eu-west-9, but project \S+ is in \S+: `up` will fail\. Set regionId to /,
    fails: true,
  },
};
const NAMES = Object.keys(ROWS);

const program = files(
  NAMES.map((name) => {
    const args = { projectId: PROJECT, branchId: `br-${name}`, ...ROWS[name]!.args };
    return `new Endpoint("${name}", ${JSON.stringify(args)});`;
  }).join("\n"),
);

describeWithEngine("the preview of a creation", (engine) => {
  let story: Story;
  let shown: Map<string, Shown>;
  let asked: string[];
  let made: string[];
  let said: string;
  let document: PreviewDocument;

  beforeAll(async () => {
    story = await startStory(engine, {
      program: "",
      config: { "compute:liveNotices": "true" },
      before: (em) => {
        for (const name of NAMES) {
          const { there, isBranchMissing } = ROWS[name]!;
          if (!isBranchMissing) addBranch(em, `br-${name}`);
          if (!there) continue;
          const row = structuredClone(em.world.endpoints[SEED.primaryId]!);
          const own = { id: `ep-${name}`, branch_id: `br-${name}`, name: undefined, ...there };
          em.world.endpoints[own.id] = Object.assign(row, own) as typeof row;
        }
      },
    });
    const { ws, em } = story;
    await ws.setProgram(program);
    em.requests.length = 0;
    ({ document } = await ws.previewJson());
    shown = shownInJson(document);
    asked = requests(em);
    ({ stdout: said } = await ws.up({ args: ["--skip-preview", "--continue-on-error"], fails: true }));
    const { resources = [] } = (await ws.export()).deployment;
    made = resources
      .filter(({ type, id }) => type.endsWith(":Endpoint") && id)
      .map(({ urn }) => urn.split("::").at(-1)!);
  }, 2 * ENGINE_TEST_MS);
  afterAll(() => story?.close());

  describe.each(NAMES.map((name) => [ROWS[name]!.rule, name]))("%s", (_rule, name) => {
    const { warning, note, fails } = ROWS[name]!;
    test("is told in one line, or not at all", () => {
      const { op, warnings, notes = [] } = shown.get(name)!;
      expect(op).toBe("create");
      expect(warnings).toEqual(warning ? [expect.stringMatching(warning)] : []);
      expect(notes).toEqual(note ? [note] : []);
    });

    test(fails ? "and `up` fails" : "and `up` does it", () => expect(made.includes(name)).toBe(!fails));
  });

  test("the report says which of them fail, in the preview's words, and what the adoptions take over", async () => {
    const { stacks, exitCode } = await inJson(document);
    const computes = new Map<string, Parsed>(stacks[0].computes.map((one: Parsed) => [one.name, one]));
    expect(exitCode).toBe(2);
    for (const name of NAMES) {
      const { warning, note, fails } = ROWS[name]!;
      const { upFails, effect, what } = computes.get(name);
      if (fails) expect(upFails.why).toMatch(warning!);
      else expect(upFails).toBeUndefined();
      if (!fails && (warning ?? note)) expect(effect).toMatch(warning ?? note!);
      if (!fails) expect(what).toBe(name === "plain" || name === "free" ? "new compute" : "adopts a compute");
    }
  });

  test("`up` says of each adoption that may drop connections what the preview said, and nothing vaguer", () => {
    expect(said).toMatch(
      new RegExp(`warning: other takes over ep-other: size 0.25 → 2 restarts this compute. ${ACTIVE}`),
    );
    expect(said).toMatch(
      /warning: idle takes over ep-idle: size 0.25 → 2 takes effect at the next start\. It is idle now/,
    );
    expect(said).not.toMatch(/takes over (ep-same|ep-harmless|the branch|the compute)/);
  });

  test("asks once for each project, once for its branches, and for a compute that the list lacks", () =>
    expect(asked.sort()).toEqual(
      [
        `GET /projects/${PROJECT}/endpoints`,
        `GET /projects/${PROJECT}/branches?limit=1000`,
        `GET /projects/${PROJECT}/endpoints/ep-nowhere`,
        "GET /projects/no-such-project-1/endpoints",
      ].sort(),
    ));

  test(
    "asks nothing without a key, and says what it knows",
    async () => {
      const { ws, em } = story;
      await ws.setProgram(files(`new Endpoint("late", { projectId, branchId: "br-other", adopt: true, size: 4 });`));
      changes(em);
      const { document } = await ws.previewJson({ env: { COMPUTE_API_KEY: "", COMPUTE_API_URL: "" } });
      expect(shownInJson(document).get("late")!.warnings).toEqual([
        "takes over the branch's primary, if there is one, and sets size 4; a compute with other values may restart, and open connections drop then.",
      ]);
      expect(requests(em)).toEqual([]);
    },
    ENGINE_TEST_MS,
  );
});

describeWithEngine("a primary in the way", (engine) => {
  let story: Story;
  const use = (...lines: string[]) => story.ws.setProgram(files(lines.join("\n")));
  const endpoint = (name: string, branchId: string, args = "") =>
    `const ${name} = new Endpoint("${name}", { projectId, branchId: "${branchId}", ${args} });`;
  const warnings = async () => {
    const shown = shownInJson((await story.ws.previewJson()).document);
    return [...shown].flatMap(([name, one]) =>
      one.warnings.filter((text) => /will fail/.test(text)).map((text) => [name, text]),
    );
  };

  beforeAll(async () => {
    const before = (em: Story["em"]) => {
      for (const id of ["br-one", "br-two", "br-three"]) addBranch(em, id);
    };
    story = await startStory(engine, { program: "", config: { "compute:liveNotices": "true" }, before });
    await use(endpoint("a", "br-one"), endpoint("b", "br-two"));
    await story.ws.up({ args: ["--skip-preview"] });
  }, ENGINE_TEST_MS);
  afterAll(() => story?.close());

  test(
    "leaves in the same run: no warning, in whatever order they stand, and `up` works",
    async () => {
      await use(endpoint("c", "br-one"), endpoint("a", "br-two"), endpoint("b", "br-three"));
      expect(await warnings()).toEqual([]);
      await story.ws.up({ args: ["--skip-preview"] });
    },
    ENGINE_TEST_MS,
  );

  test(
    "is a stranger's: an update that moves there is told as well",
    async () => {
      const { em, ws } = story;
      addBranch(em, "br-four");
      const row = structuredClone(em.world.endpoints[SEED.primaryId]!);
      em.world.endpoints["ep-stranger"] = { ...row, id: "ep-stranger", branch_id: "br-four" };
      await use(endpoint("c", "br-four"), endpoint("a", "br-two"), endpoint("b", "br-three"));
      expect(await warnings()).toEqual([
        [
          "c",
          expect.stringMatching(
            /moves this compute .* But branch br-four has its primary already \(ep-stranger\): `up` will fail\./,
          ),
        ],
      ]);
      await ws.up({ args: ["--skip-preview"], fails: true });
    },
    ENGINE_TEST_MS,
  );

  test(
    "or a branch that does not exist: an update that moves there is told, as a creation is",
    async () => {
      const { em, ws } = story;
      const replica = (branchId: string) => endpoint("r", branchId, `type: "read_only"`);
      const rest = [endpoint("a", "br-two"), endpoint("b", "br-three")];
      await use(endpoint("c", "br-one"), ...rest, replica("br-one"));
      await ws.up({ args: ["--skip-preview"] });
      requests(em);
      await use(endpoint("c", "br-gone"), ...rest, replica("br-gone"));
      const text = new RegExp(
        `moves this compute .* But branch br-gone of project ${PROJECT} does not exist, or this key can't see it: \`up\` will fail\\. Check branchId`,
      );
      expect(await warnings()).toEqual(["c", "r"].map((name) => [name, expect.stringMatching(text)]));
      expect(requests(em).sort()).toEqual([
        `GET /projects/${PROJECT}/branches?limit=1000`,
        `GET /projects/${PROJECT}/endpoints`,
      ]);
      const { stdout } = await ws.up({ args: ["--skip-preview"], fails: true });
      expect(stdout).toMatch(/branch br-gone of project \S+ does not exist.*was not changed\. Check branchId/);
    },
    ENGINE_TEST_MS,
  );

  test(
    "leaves the program: it is deleted last, so `up` fails, and the preview says so",
    async () => {
      await use(endpoint("d", "br-one"), endpoint("a", "br-two"), endpoint("b", "br-three"));
      expect(await warnings()).toEqual([
        ["d", expect.stringMatching(/^branch br-one has its primary already .*`up` will fail/)],
      ]);
      await story.ws.up({ args: ["--skip-preview"], fails: true });
    },
    ENGINE_TEST_MS,
  );
});
