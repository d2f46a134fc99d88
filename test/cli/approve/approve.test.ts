/** `compute-endpoint approve` and `report --approve`: which file is written, with which entries, and what is said. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { exitOf } from "../../../cli/account";
import { approveCommand } from "../../../cli/commands/approve";
import { BASE, inJson, NOW, preview, report, resize, step } from "../report/support";

const [A, B, NEW] = ["a", "b", "0123456789abcdef"].map((one) => one.repeat(32).slice(0, 32)) as [
  string,
  string,
  string,
];
const PROJECT = "name: shop\nruntime: nodejs\n";
const LATER = "2026-06-03"; // 30 days after NOW

let folder: string;
const write = (name: string, text: string) => {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
};
const read = (name: string) => readFileSync(join(folder, name), "utf8");
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "compute-endpoint-approve-"));
  write("Pulumi.yaml", PROJECT);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(args: string[], cwd = folder): Promise<{ code: number | undefined; said: string }> {
  const ran = { code: undefined as number | undefined, said: "" };
  const sink = {
    isTTY: false,
    write: (text: string) => {
      ran.said += text;
    },
  };
  const command = approveCommand({ cwd: () => cwd, nowMs: () => NOW });
  try {
    ran.code = await command.run(args, { env: {}, out: sink, err: sink, onInterrupt: () => () => {} });
  } catch (error) {
    ran.code = exitOf(error);
    ran.said += (error as Error).message;
  }
  return ran;
}
const ofDev = (...args: string[]) => run(["--stack", "dev", ...args]);

describe("approve", () => {
  test("writes the stack's file, with a last day, and says what was done", async () => {
    write("Pulumi.dev.yaml", `config:\n  compute:onRestart: refuse # agreed\n  compute:approve:\n    - ${A}\n`);
    expect(await ofDev(NEW, B)).toEqual({
      code: 0,
      said: [
        `approved until ${LATER}: 0123456789ab…`,
        `approved until ${LATER}: bbbbbbbbbbbb…`,
        "wrote Pulumi.dev.yaml: commit it",
        "",
      ].join("\n"),
    });
    expect(read("Pulumi.dev.yaml")).toBe(
      `config:\n  compute:onRestart: refuse # agreed\n  compute:approve:\n    - ${A}\n    - "${NEW}@${LATER}"\n    - "${B}@${LATER}"\n`,
    );
  });

  test.each<[flags: string[], entry: string]>([
    [["--no-expiry"], NEW],
    [["--until", "2027-01-31"], `${NEW}@2027-01-31`],
    [["--until", "2026-05-04"], `${NEW}@2026-05-04`],
  ])("%j", async (flags, entry) => {
    expect((await ofDev(NEW, ...flags)).code).toBe(0);
    expect(read("Pulumi.dev.yaml")).toBe(`config:\n  compute:approve:\n    - "${entry}"\n`);
  });

  test("begins a file that is not there, and says so", async () => {
    expect((await ofDev(NEW)).said).toContain("wrote Pulumi.dev.yaml (a new file): commit it");
  });

  test("doubts the name of a stack that has no file, where others have one", async () => {
    write("Pulumi.prod.yaml", "config: {}\n");
    expect((await ofDev(NEW)).said).toMatch(
      /^note: no stack had this file before\. Stacks with a file here: prod\. If dev is none of yours, delete the new file$/m,
    );
    expect((await ofDev(B)).said).not.toContain("note:");
  });

  test("leaves the file where all is approved already", async () => {
    const text = `config: { compute:approve: [ "${NEW}@2027-01-31" ] } # as it was`;
    write("Pulumi.dev.yaml", text);
    expect((await ofDev(NEW)).said).toBe(
      "approved already until 2027-01-31: 0123456789ab…\nPulumi.dev.yaml stays as it is\n",
    );
    expect(read("Pulumi.dev.yaml")).toBe(text);
  });

  test("approves again what has ended, in the entry's place and with its comment, and takes others out only with --tidy", async () => {
    const ended = `    - "${"c".repeat(32)}@2026-05-02"\n`;
    const old = `config:\n  compute:approve:\n    - "${NEW}@2026-05-03" # reader: size 1 → 2\n${ended}    - "0123456789ab"\n    - ${B} # still to come\n`;
    write("Pulumi.dev.yaml", old);
    const { said } = await ofDev(NEW);
    expect(said).not.toContain("0123456789ab… ended");
    expect(said).toContain("can be removed (--tidy): cccccccccccc… ended on 2026-05-02\n");
    expect(said).toContain("can be removed (--tidy): 0123456789ab has 12 digits and approves nothing\n");
    const renewed = `    - "${NEW}@${LATER}" # reader: size 1 → 2\n`;
    expect(read("Pulumi.dev.yaml")).toBe(old.replace(/ {4}- .*1 → 2\n/, "") + renewed);
    expect(read("Pulumi.dev.yaml")).toContain("# still to come");
    const tidied = await ofDev("--tidy");
    expect(tidied.said).toContain("removed: cccccccccccc… ended on 2026-05-02\n");
    expect(read("Pulumi.dev.yaml")).toBe(`config:\n  compute:approve:\n    - ${B} # still to come\n${renewed}`);
  });

  test("says that there is no file to tidy", async () => {
    write("Pulumi.other.yaml", "config: {}\n");
    expect((await ofDev("--tidy")).said).toBe("there is no file Pulumi.dev.yaml, and none was written\n");
  });

  test("gives an approval that has ended the new comment, where there is one", async () => {
    write("Pulumi.dev.yaml", `config:\n  compute:approve:\n    - "${NEW}@2026-05-03" # old\n`);
    await ofDev(NEW, "--note", "new");
    expect(read("Pulumi.dev.yaml")).toBe(`config:\n  compute:approve:\n    - "${NEW}@${LATER}" # new\n`);
  });

  test("names the resource beside each entry, unless it has a comment that says more", async () => {
    write("Pulumi.dev.yaml", `config:\n  compute:approve:\n    - "${NEW}@2026-05-03" # reader: size 1 → 2\n`);
    const { said } = await ofDev(`${NEW}=reader`, `${A}=primary`);
    expect(said).toContain(`${A.slice(0, 12)}…  primary\n`);
    expect(read("Pulumi.dev.yaml")).toBe(
      `config:\n  compute:approve:\n    - "${NEW}@${LATER}" # reader: size 1 → 2\n    - "${A}@${LATER}" # primary\n`,
    );
    await ofDev(`${B}=other`, "--note", "size 1 → 4");
    expect(read("Pulumi.dev.yaml")).toContain(`- "${B}@${LATER}" # other: size 1 → 4\n`);
    for (const wrong of [`${A}=`, `${A}=a\nb`, `${A.slice(1)}=a`, `=${A}`]) expect((await ofDev(wrong)).code).toBe(2);
  });

  test("takes the project's entries over, which the stack's list hides from now on", async () => {
    write(
      "Pulumi.yaml",
      `${PROJECT}config:\n  compute:onRestart: refuse\n  compute:approve:\n    value:\n      - ${A} # primary: size 1 → 2\n      - ${B}\n`,
    );
    const { said } = await ofDev(NEW);
    expect(said).toMatch(/note: Pulumi does not merge lists, .* its 2 entries were copied\n$/);
    expect(read("Pulumi.dev.yaml")).toBe(
      `config:\n  compute:approve:\n    - "${A}" # primary: size 1 → 2\n    - "${B}"\n    - "${NEW}@${LATER}"\n`,
    );
    // The second time the list is the stack's own.
    expect((await ofDev("c".repeat(32))).said).not.toContain("note:");
  });

  test("--note stands beside each entry, and is one line", async () => {
    expect((await ofDev("--note", "agreed: size 1 → 4", NEW)).code).toBe(0);
    expect(read("Pulumi.dev.yaml")).toContain(`- "${NEW}@${LATER}" # agreed: size 1 → 4\n`);
    for (const note of ["", "a\nb", "a\u2028b"]) expect((await ofDev("--note", note, B)).code).toBe(2);
  });

  test.each([
    ["takes the emptied list out with its key", PROJECT, "config:\n  a:a: 1\n"],
    [
      "leaves it empty where the project's list would count again",
      `${PROJECT}config:\n  compute:approve:\n    value:\n      - ${A}\n`,
      "config:\n  a:a: 1\n  compute:approve:\n    []\n",
    ],
  ])("--tidy %s", async (_what, project, after) => {
    write("Pulumi.yaml", project);
    write("Pulumi.dev.yaml", `config:\n  a:a: 1\n  compute:approve:\n    - "${B}@2020-01-01"\n`);
    expect((await ofDev("--tidy")).code).toBe(0);
    expect(read("Pulumi.dev.yaml")).toBe(after);
  });

  test("writes another file where one is named", async () => {
    write("other.yaml", "config:\n  compute:approve: []\n");
    expect((await ofDev("--file", "other.yaml", NEW)).code).toBe(0);
    expect(read("other.yaml")).toBe(`config:\n  compute:approve:\n    - "${NEW}@${LATER}"\n`);
    expect(readdirSync(folder).sort()).toEqual(["Pulumi.yaml", "other.yaml"]);
  });

  test("writes the project's file, unless the stack's hides its list", async () => {
    write("Pulumi.yaml", `${PROJECT}config:\n  compute:approve:\n    value:\n      - ${A}\n`);
    expect((await ofDev("--file", "Pulumi.yaml", NEW)).code).toBe(0);
    expect(read("Pulumi.yaml")).toBe(
      `${PROJECT}config:\n  compute:approve:\n    value:\n      - ${A}\n      - "${NEW}@${LATER}"\n`,
    );
    write("Pulumi.dev.yaml", "config:\n  compute:approve: []\n");
    expect(await ofDev("--file", "Pulumi.yaml", B)).toMatchObject({
      code: 2,
      said: expect.stringContaining("Pulumi.dev.yaml has its own list, which hides the one in Pulumi.yaml"),
    });
  });

  test("finds the program from a folder below, and the folder of the stacks' files", async () => {
    write("Pulumi.yaml", `${PROJECT}stackConfigDir: stacks\n`);
    write("src/x", "");
    mkdirSync(join(folder, "stacks"));
    expect((await run(["--stack", "acme/shop/dev", NEW], join(folder, "src"))).code).toBe(0);
    expect(read("stacks/Pulumi.dev.yaml")).toContain(NEW);
  });

  test("says that a list of an environment is hidden", async () => {
    write("Pulumi.dev.yaml", "environment:\n  - shop/prod\n");
    expect((await ofDev(NEW)).said).toContain("A compute:approve in one of them is hidden by this list");
  });

  test.each<[what: string, args: string[], says: RegExp]>([
    ["no digest", ["--stack", "dev"], /^which change\?/],
    ["a short one", ["--stack", "dev", "0123456789ab"], /is not a digest: a digest has 32 hex digits/],
    ["no stack", [NEW], /^no stack given/],
    ["a file that is not there", ["--file", "none.yaml", NEW], /^there is no file none\.yaml/],
    [
      "a day that is over",
      ["--stack", "dev", "--until", "2026-05-03", NEW],
      /is in the past: the approval would have no effect/,
    ],
    ["no day", ["--stack", "dev", "--until", "soon", NEW], /must be a day such as/],
    ["both", ["--stack", "dev", "--until", "2027-01-31", "--no-expiry", NEW], /can't both be given/],
  ])("%s is bad usage, and writes nothing", async (_what, args, says) => {
    expect(await run(args)).toEqual({ code: 2, said: expect.stringMatching(says) });
    expect(readdirSync(folder)).toEqual(["Pulumi.yaml"]);
  });

  test("a list that can't be read is to be corrected first", async () => {
    const text = `config:\n  compute:approve:\n    - 12345678901234567890123456789012\n`;
    write("Pulumi.dev.yaml", text);
    expect(await ofDev(NEW)).toMatchObject({
      code: 2,
      said: expect.stringMatching(/^Pulumi\.dev\.yaml: correct compute:approve first: .*Nothing was written$/),
    });
    expect(read("Pulumi.dev.yaml")).toBe(text);
  });
});

describe("report --approve", () => {
  const steps = [
    resize({ name: "reader-2" }),
    resize({ name: "reader-10", next: { size: 8 } }),
    step({ op: "delete", name: "old", id: "ep-old", old: BASE }),
    step({ name: "harmless", old: { ...BASE, restart: "no" }, next: { ...BASE, name: "b", restart: "no" } }),
  ];
  const approve = (document: unknown, args: string[] = []) =>
    report(["--approve", "Pulumi.prod.yaml", ...args], JSON.stringify(document), { cwd: folder });

  test("writes all that it asks for, each with what it is, and reports it as approved", async () => {
    write("Pulumi.prod.yaml", "# production\nconfig:\n  compute:onRestart: refuse\n");
    const { code, stdout, stderr } = await approve(preview(steps));
    const [two, ten] = (await inJson(preview(steps))).stacks[0].computes
      .slice(1, 3)
      .map((one: { approval: { digest: string } }) => one.approval.digest);
    expect(read("Pulumi.prod.yaml")).toBe(
      [
        "# production",
        "config:",
        "  compute:onRestart: refuse",
        "  compute:approve:",
        `    - "${two}@${LATER}" # reader-2: size 1 → 4`,
        `    - "${ten}@${LATER}" # reader-10: size 1 → 8`,
        "",
      ].join("\n"),
    );
    expect(code).toBe(0);
    expect(stdout).toContain("1 compute is deleted. 2 computes restart; approved");
    expect(stderr).toContain(`  reader-2: size 1 → 4\n`);
    // What is written is what the next preview's report takes.
    const config = { "compute:approve": JSON.stringify([`${two}@${LATER}`, `${ten}@${LATER}`]) };
    expect((await inJson(preview(steps, { config }))).exitCode).toBe(0);
  });

  test("takes the list over that the preview used, where the file has none", async () => {
    write("Pulumi.prod.yaml", "config: {}\n");
    await approve(preview([resize()], { config: { "compute:approve": JSON.stringify([A]) } }), ["--no-expiry"]);
    expect(read("Pulumi.prod.yaml")).toMatch(
      /^config:\n {2}compute:approve:\n {4}- "a{32}"\n {4}- "[0-9a-f]{32}" # primary/,
    );
  });

  test("names what matches nothing in this preview, and takes it out with --tidy", async () => {
    const text = `config:\n  compute:approve:\n    - ${A} # another change\n    - "${B}@2026-05-01"\n`;
    write("Pulumi.prod.yaml", text);
    const document = preview([resize()], { config: { "compute:approve": JSON.stringify([A, `${B}@2026-05-01`]) } });
    const { stderr } = await approve(document);
    expect(stderr).toContain(
      "can be removed (--tidy): aaaaaaaaaaaa… matches nothing in this preview: it was used already, is for a later change, or the compute has other values now  # another change\n",
    );
    expect(read("Pulumi.prod.yaml").startsWith(text)).toBe(true);
    await approve(document, ["--tidy", "Pulumi.prod.yaml"]);
    expect(read("Pulumi.prod.yaml")).toMatch(
      /^config:\n {2}compute:approve:\n {4}- "[0-9a-f]{32}@2026-06-03" # primary: size 1 → 4\n$/,
    );
  });

  test("takes nothing out of a project's list but what approves nothing: other stacks use it too", async () => {
    write(
      "Pulumi.yaml",
      `${PROJECT}config:\n  compute:approve:\n    value:\n      - ${A}\n      - "${B}@2026-05-01"\n`,
    );
    const document = preview([resize()], { config: { "compute:approve": JSON.stringify([A, `${B}@2026-05-01`]) } });
    await report(["--approve", "Pulumi.yaml", "--tidy", "Pulumi.yaml"], JSON.stringify(document), { cwd: folder });
    expect(read("Pulumi.yaml")).toMatch(/ {6}- a{32}\n {6}- "[0-9a-f]{32}@2026-06-03" # primary/);
    expect(read("Pulumi.yaml")).not.toContain(B);
  });

  test.each<[what: string, document: unknown, file: string, says: RegExp]>([
    [
      "the file of another stack",
      preview([resize()]),
      "Pulumi.dev.yaml",
      /is the file of another stack: the preview is for prod/,
    ],
    [
      "a preview that failed",
      preview([resize()], { diagnostics: [{ severity: "error", message: "boom" }] }),
      "Pulumi.prod.yaml",
      /needs a whole preview/,
    ],
    [
      "a list that can't be read",
      preview([resize()], { config: { "compute:approve": "x" } }),
      "Pulumi.prod.yaml",
      /correct compute:approve first/,
    ],
    ["no preview", {}, "Pulumi.prod.yaml", /takes one preview of one stack: stdin is `{}`/],
    [
      "a file that Pulumi would not read",
      preview([resize()]),
      "Pulumi.prod.yml",
      /^there is no file Pulumi\.prod\.yml, and Pulumi would not read it: use Pulumi\.prod\.yaml$/m,
    ],
    [
      "a project's list that the preview did not use",
      preview([resize()], { config: { "compute:approve": A } }),
      "Pulumi.yaml",
      /used a different list/,
    ],
  ])("%s: nothing is written", async (_what, document, file, says) => {
    const { code, stderr } = await report(["--approve", file], JSON.stringify(document), { cwd: folder });
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
    expect(readdirSync(folder)).toEqual(["Pulumi.yaml"]);
    expect(read("Pulumi.yaml")).toBe(PROJECT);
  });

  test.each(["--tidy", "--approve"])("%s with a preview that does not exist says so", async (flag) => {
    const { code, stderr } = await report(["no.json", flag, "Pulumi.prod.yaml"], "", { cwd: folder });
    expect([code, stderr]).toEqual([2, `${flag} takes one preview of one stack: no.json does not exist\n`]);
  });

  test("what can't be approved by digest stays open", async () => {
    const secret = step({
      name: "secret",
      old: { ...BASE, size: "[secret]", restart: "no" },
      next: { ...BASE, size: "[secret]", restart: "yes: …" },
      more: { detailedDiff: { size: { kind: "update" } } },
    });
    const { code, stdout } = await approve(preview([resize(), secret]));
    expect(code).toBe(3);
    expect(stdout).toContain("2 computes restart; 1 not approved");
  });
});

describe("report --tidy", () => {
  const stale = { config: { "compute:approve": JSON.stringify([A, `${B}@2026-05-01`]) } };
  const text = `config:\n  a:a: 1\n  compute:approve:\n    - ${A} # reader-1: size 2 → 1\n    - "${B}@2026-05-01" # agreed\n`;
  const tidy = (document: unknown, ...args: string[]) =>
    report(["--tidy", "Pulumi.prod.yaml", ...args], JSON.stringify(document), { cwd: folder });

  test("takes out what approves nothing, shows whose approval it was, and approves nothing", async () => {
    write("Pulumi.prod.yaml", text);
    const { code, stdout, stderr } = await tidy(preview([resize()], stale));
    expect(stderr.split("\n").slice(0, 3)).toEqual([
      expect.stringMatching(/^removed: a{12}… matches nothing in this preview: .* {2}# reader-1: size 2 → 1$/),
      "removed: bbbbbbbbbbbb… ended on 2026-05-01  # agreed",
      "wrote Pulumi.prod.yaml: commit it",
    ]);
    expect(read("Pulumi.prod.yaml")).toBe("config:\n  a:a: 1\n");
    expect([code, stdout]).toEqual([3, expect.stringContaining("1 compute restarts; 1 not approved")]);
    expect(stdout).not.toContain("used already");
  });

  test("says once what is true of several entries", async () => {
    write("Pulumi.prod.yaml", `config:\n  compute:approve:\n    - ${A} # one\n    - ${B}\n`);
    const { stderr } = await tidy(preview([resize()], { config: { "compute:approve": JSON.stringify([A, B]) } }));
    expect(stderr.split("\n").slice(0, 4)).toEqual([
      expect.stringMatching(/^removed: 2 entries match nothing in this preview: they were used already, .*:$/),
      "  aaaaaaaaaaaa…  # one",
      "  bbbbbbbbbbbb…",
      "wrote Pulumi.prod.yaml: commit it",
    ]);
  });

  test("counts what the file approves by now, also if that was written after the preview", async () => {
    write("Pulumi.prod.yaml", "config: {}\n");
    const document = preview([resize()]);
    await report(["--approve", "Pulumi.prod.yaml"], JSON.stringify(document), { cwd: folder });
    const { code, stdout } = await tidy(document);
    expect([code, stdout]).toEqual([0, expect.stringContaining("1 compute restarts; approved")]);
  });

  test("leaves a file without such entries as it is", async () => {
    write("Pulumi.prod.yaml", "config:\n  a:a: 1\n");
    expect((await tidy(preview([]))).stderr).toBe("Pulumi.prod.yaml stays as it is\n");
  });

  test.each<[what: string, document: unknown, args: string[], says: RegExp]>([
    [
      "a preview that failed",
      preview([], { diagnostics: [{ severity: "error", message: "boom" }] }),
      [],
      /--tidy needs a whole/,
    ],
    ["a day, which is for approvals", preview([]), ["--no-expiry"], /--no-expiry needs --approve FILE/],
    ["another file to approve in", preview([]), ["--approve", "other.yaml"], /must name the same FILE/],
  ])("%s: nothing is written", async (_what, document, args, says) => {
    write("Pulumi.prod.yaml", text);
    const { code, stderr } = await tidy(document, ...args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
    expect(read("Pulumi.prod.yaml")).toBe(text);
  });
});

describe("the short line that approves all", () => {
  const SHORT = "npx --no compute-endpoint report preview.json --approve Pulumi.prod.yaml";
  const shown = async (args: string[], terminal = false) => {
    const document = preview([resize(), resize({ name: "other", id: "ep-b" })], {
      config: { "compute:approve": JSON.stringify([A]) },
    });
    write("preview.json", JSON.stringify(document));
    const before = process.cwd();
    process.chdir(folder);
    try {
      return (await report(args, JSON.stringify(document), { cwd: folder, terminal })).stdout;
    } finally {
      process.chdir(before);
    }
  };

  test.each(["text", "markdown"])("stands first where the files are at hand, in %s", async (format) => {
    const stdout = await shown(["preview.json", "--format", format]);
    expect(stdout).toMatch(/run this here, and commit `?Pulumi\.prod\.yaml`?:/);
    expect(stdout.indexOf(SHORT)).toBeGreaterThan(0);
    expect(stdout.indexOf(SHORT)).toBeLessThan(stdout.indexOf("compute-endpoint approve --stack prod"));
    expect(stdout).toContain(
      "`npx --no compute-endpoint report preview.json --tidy Pulumi.prod.yaml` removes such entries",
    );
  });

  test("is enough on a terminal", async () => {
    const stdout = await shown(["preview.json"], true);
    expect(stdout).toContain(SHORT);
    expect(stdout).not.toContain("approve --stack");
  });

  test.each<[what: string, args: string[], project?: string]>([
    ["of stdin", ["-"]],
    ["of a report with a name, which becomes a comment", ["preview.json", "--name", "shop/prod"]],
    ["in the folder of another program", ["preview.json"], "name: other\nruntime: nodejs\n"],
  ])("is not printed %s", async (_what, args, project) => {
    if (project) write("Pulumi.yaml", project);
    const stdout = await shown(args);
    expect(stdout).not.toContain("--approve Pulumi");
    expect(stdout).toContain("npx --no compute-endpoint approve --stack prod ");
    expect(stdout).toContain("then `npx --no compute-endpoint report preview.json --tidy Pulumi.prod.yaml`");
  });
});
