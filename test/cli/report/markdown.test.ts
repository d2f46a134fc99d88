/** What stands in a pull request, and that it keeps within its bytes. */
import { describe, expect, test } from "vitest";
import { BASE, inJson, preview, report, resize, step } from "./support";

const markdown = async (input: unknown, args: string[] = []) =>
  (await report(["--format", "markdown", ...args], typeof input === "string" ? input : JSON.stringify(input))).stdout;
const gone = (name: string, id = `ep-${name}`) => step({ op: "delete", name, id, old: BASE });
const inStack = (stack: string, steps: object[]) =>
  JSON.stringify(preview(steps)).replaceAll("prod::shop", `${stack}::shop`);

test("tells nobody to reconnect where all computes are deleted", async () => {
  const deleted = async (...more: object[]) =>
    markdown(preview([{ ...resize({ name: "gone" }), op: "delete" }, ...more]));
  expect(await deleted()).toContain("<details>");
  expect(await deleted()).not.toContain("reconnect");
  expect(await deleted(resize())).toContain("Clients should reconnect");
});

describe("Markdown", () => {
  test("as a reader sees it", async () => {
    const at = { nextMore: { sourcePosition: "project:///index.ts#12,17" } };
    expect(await markdown(preview([resize(at)]))).toMatchInlineSnapshot(`
      "<!-- compute-endpoint report v1 shop/prod -->

      ### 🟠 \`shop/prod\`: 1 compute restarts; 1 not approved

      | compute | what happens | why | memory | disk | max_connections | approval |
      | --- | --- | --- | --- | --- | --- | --- |
      | \`primary\` | 🟠 **restarts**, if active | \`size\` \`1\` → \`4\` | 4 → 16 GB | 20 → 60 GiB | 450 → 1802 | \`892732bba34f…\` |

      To approve exactly this change, run this in the program's folder, and commit the stack's file:

      \`\`\`sh
      npx --no compute-endpoint approve --stack prod 892732bba34fe224daeb2c8e9caf949a=primary
      \`\`\`

      <details><summary>Details</summary>

      - \`primary\` \`ep-amber-field-a5x7w3rt\`: if the compute is active it restarts, and open connections drop; size 1 CU → 4 CU; \`index.ts:12\`; \`urn:pulumi:prod::shop::pulumi-nodejs:dynamic/compute:Endpoint::primary\`

      Memory and \`max_connections\` are the documented values for the size, approximate. Clients should reconnect by themselves. What \`--target\` or \`--exclude\` left out is not listed.

      </details>
      "
    `);
  });

  test("a sentence that is in the row is not in the details too", async () => {
    const next = { ...BASE, adopt: true, restart: "maybe: adopts the branch's primary and sets size 1; …" };
    const text = await markdown(preview([step({ op: "create", next }), resize({ name: "second", id: "ep-b" })]));
    expect(text.split("adopts the branch's primary and sets size 1")).toHaveLength(2);
    expect(text).toContain("`second` `ep-b`: if the compute is active it restarts");
  });

  test("equal details are one line with the names, and new computes are in the table only", async () => {
    const names = ["reader-1", "reader-2", "reader-3"];
    const added = step({ op: "create", name: "added", next: { ...BASE, restart: "no" } });
    const text = await markdown(preview([...names.map((name) => resize({ name, id: `ep-${name}` })), added]));
    expect(text.match(/it restarts, and open connections drop/g)).toHaveLength(1);
    expect(text).toContain(
      "- `reader-1` `ep-reader-1`, `reader-2` `ep-reader-2`, `reader-3` `ep-reader-3`: if the compute is active it restarts, and open connections drop; size 1 CU → 4 CU; URN `urn:pulumi:prod::shop::pulumi-nodejs:dynamic/compute:Endpoint::` and the name\n",
    );
    expect(text.match(/`added`/g)).toHaveLength(1);
  });

  test("approved, and with nothing to say", async () => {
    const { stacks } = await inJson(preview([resize()]));
    const config = { "compute:approve": stacks[0].computes[0].approval.digest };
    const text = await markdown(preview([resize()], { config }));
    expect(text).toContain("### 🟠 `shop/prod`: 1 compute restarts; approved\n");
    expect(text).toMatch(/\| ✅ approved, `[0-9a-f]{12}…` \|/);
    expect(text).not.toContain("To approve");
    expect(await markdown(preview([]))).toBe(
      "<!-- compute-endpoint report v1 shop/prod -->\n\n### 🟢 `shop/prod`: Nothing in this preview restarts, stops, replaces or deletes a compute\n",
    );
  });

  test("is the same whatever order the engine came to the computes in, which differs from run to run", async () => {
    const steps = [resize({ name: "a" }), resize({ name: "b" }), gone("c"), gone("d")];
    expect(await markdown(preview([...steps].reverse()))).toBe(await markdown(preview(steps)));
  });

  test("sorts as people count", async () => {
    const names = ["reader-1", "reader-2", "reader-10", "reader-11", "Reader-12"];
    const text = await markdown(preview([...names].reverse().map((name) => resize({ name }))));
    const rows = text.split("\n").filter((line) => line.startsWith("| `"));
    expect(rows.map((line) => /`([^`]+)`/.exec(line)?.[1])).toEqual(names);
  });

  test("of a new compute gives no reason", async () => {
    const text = await markdown(preview([step({ op: "create", next: { ...BASE, restart: "no" } })]));
    expect(text).toContain("| `primary` | 🟢 new compute |  |");
  });

  test("a replaced host, old and new", async () => {
    const moved = step({ op: "replace", old: BASE, next: { ...BASE, projectId: "other", restart: "yes: …" } });
    const text = await markdown(preview([moved]));
    expect(text).toContain("### 🔴 `shop/prod`: 1 compute gets a new host; 1 not approved");
    expect(text).toContain("| `ep-amber-field-a5x7w3rt.us-east-2.aws.neon.tech` → **new host** |");
  });

  test.each([
    ["one stack", [inStack("prod", [resize()])], [], "shop/prod"],
    ["several, in the order of the inputs", [inStack("prod", []), inStack("dev", [])], [], "shop/prod shop/dev"],
    ["a stack twice", [inStack("prod", []), inStack("prod", [])], [], "shop/prod"],
    ["named by the pipeline, also where there is no document", [""], ["--name", "shop/prod"], "shop/prod"],
    ["nothing known", [""], [], "unknown"],
  ])("the first line names %s", async (_what, documents, args, name) => {
    const [first] = (await markdown(documents.join("\n"), args)).split("\n");
    expect(first).toBe(`<!-- compute-endpoint report v1 ${name} -->`);
  });

  test("several stacks have a section each, and a line over all", async () => {
    const text = await markdown([inStack("prod", [gone("a")]), inStack("dev", [resize()])].join("\n"));
    expect(text.match(/^#+ .*$/gm)).toEqual([
      "## 🔴 1 compute is deleted. 1 compute restarts; 1 not approved",
      "### 🔴 `shop/prod`: 1 compute is deleted",
      "### 🟠 `shop/dev`: 1 compute restarts; 1 not approved",
    ]);
  });
});

describe("the Markdown keeps within --max-bytes", () => {
  const many = preview([
    ...Array.from({ length: 300 }, (_, at) => resize({ name: `compute-${at}`, id: `ep-${at}` })),
    ...Array.from({ length: 60 }, (_, at) => gone(`gone-${at}`)),
    step({ op: "replace", name: "moved", old: BASE, next: { ...BASE, projectId: "p", restart: "yes: …" } }),
    step({ name: "harmless", old: { ...BASE, restart: "no" }, next: { ...BASE, name: "b", restart: "no" } }),
  ]);
  const verdict = "60 computes are deleted. 1 compute gets a new host, 300 restart; 301 not approved";
  const bytes = (text: string) => Buffer.byteLength(text);

  test.each([1000, 1500, 2000, 5000, 20_000, 60_000, 100_000, 1_000_000])(
    "%i: the verdict counts all, deletions come first",
    async (most) => {
      const text = await markdown(many, ["--max-bytes", String(most)]);
      expect(bytes(text)).toBeLessThanOrEqual(most);
      expect(text).toContain(verdict);
      const rows = (text.match(/^\| `/gm) ?? []).length;
      const cut = /Not in the table \(size limit\): (\d+) computes?/.exec(text)?.[1] ?? "0";
      expect(rows + Number(cut)).toBe(362);
      if (rows > 0) expect(text.indexOf("`gone-0`")).toBeLessThan(text.indexOf("`compute-0`") >>> 0);
      // The budget is used: another row would not fit.
      if (cut !== "0" && rows > 0) expect(bytes(text)).toBeGreaterThan(most - 1000);
    },
  );

  test("details go before rows do", async () => {
    const whole = await markdown(many, ["--max-bytes", "1000000"]);
    const tight = await markdown(many, ["--max-bytes", String(bytes(whole) - 1)]);
    expect(whole).toContain("<details>");
    expect(tight).not.toContain("<details>");
    expect(tight).not.toContain("(size limit)");
  });

  test("what is deleted or moves is named also without a row, as far as there is room", async () => {
    const text = await markdown(many, ["--max-bytes", "2000"]);
    const names = /^Deleted or with a new host: (.*)\.$/m.exec(text)?.[1] ?? "";
    const shown = (names.match(/`/g) ?? []).length / 2 + (text.match(/^\| `/gm) ?? []).length;
    const rest = Number(/and (\d+) more$/.exec(names)?.[1] ?? 0);
    expect(shown + rest).toBe(61);
  });

  test("the command is for the changes that have a row", async () => {
    const text = await markdown(many, ["--max-bytes", "20000"]);
    const [, command = ""] = /^npx --no compute-endpoint (approve .*)$/m.exec(text) ?? [];
    const digests = (command.match(/\b[0-9a-f]{32}\b/g) ?? []).map((digest) => digest.slice(0, 12));
    expect(digests).toEqual([...text.matchAll(/^\| `.*\| `([0-9a-f]{12})…` \|$/gm)].map(([, digest]) => digest));
    expect(digests.length).toBeGreaterThan(0);
  });

  test.each([1000, 3000, 60_000])("%i for a hundred stacks: the worst have a section", async (most) => {
    const stacks = Array.from({ length: 100 }, (_, at) => inStack(`stack-${at}`, at === 70 ? [gone("a")] : [resize()]));
    const text = await markdown(stacks.join("\n"), ["--max-bytes", String(most), "--name", "all"]);
    expect(bytes(text)).toBeLessThanOrEqual(most);
    expect(text).toContain("1 compute is deleted. 99 computes restart; 99 not approved");
    expect(text).toContain("### 🔴 `shop/stack-70`");
  });

  test.each(["999", "x", "-1", "1e5"])("%s is bad usage", async (most) => {
    expect(await report([`--max-bytes=${most}`])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--max-bytes must be a whole number from 1000"),
    });
  });
});

test("a small report says which approvals it has no room for", async () => {
  const many = preview(Array.from({ length: 40 }, (_, at) => resize({ name: `reader-${at}`, id: `ep-r-${at}` })));
  const { stdout } = await report(["--max-bytes", "1000"], JSON.stringify(many));
  expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(1000);
  expect(stdout).toMatch(/No room for the approvals of \d+ changes: use `--format text` or a larger `--max-bytes`\./);
  expect((await report([], JSON.stringify(many))).stdout).not.toContain("No room");
});
