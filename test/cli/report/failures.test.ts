/** A failed preview never looks clean: any error means that the document is partial. */
import { describe, expect, test } from "vitest";
import { fixture, inJson, preview, report, resize, urnOf } from "./support";

const failed = (message: string, more: object = {}, steps: unknown[] = []) =>
  preview(steps, { diagnostics: [{ severity: "error", message, ...more }] });

describe("an error makes the report incomplete, with what is known", () => {
  test.each<[what: string, document: unknown, errors: unknown[], computes: number]>([
    [
      "check refused the value",
      failed("error: property size value {13} has a problem: 13 is not a size", { urn: urnOf("primary") }),
      ["primary: property size has a problem: 13 is not a size"],
      0,
    ],
    ["the program threw at start", fixture("failed-early.json"), [expect.stringMatching(/^Error: early$/)], 0],
    ["the program threw late, all steps are there", fixture("failed-late.json"), [expect.stringContaining("late")], 9],
    ["a policy was violated: nothing but `preview failed`", failed("error: preview failed\n", {}, [resize()]), [], 1],
    [
      "nothing but the root, which looks clean",
      failed("error: unhandled rejection: boom"),
      ["unhandled rejection: boom"],
      0,
    ],
    [
      "Ctrl-C",
      preview([resize()], {
        diagnostics: [
          { severity: "info", message: "^C received" },
          { severity: "error", message: "error: preview canceled" },
        ],
      }),
      ["preview canceled"],
      1,
    ],
    ["a severity that is new", preview([], { diagnostics: [{ severity: "fatal", message: "worse" }] }), ["worse"], 0],
    ["an error without a message", preview([], { diagnostics: [{ severity: "error", message: 7 }] }), [], 0],
  ])("%s", async (_what, document, errors, computes) => {
    const found = await inJson(document);
    expect(found).toMatchObject({ exitCode: 2, complete: false });
    expect(found.verdict).toMatch(/^This preview is incomplete/);
    expect(found.stacks[0].errors).toEqual(errors);
    expect(found.stacks[0].computes).toHaveLength(computes);
  });

  test.each(["markdown", "text", "github"])("in %s, on stderr too, in one line", async (format) => {
    const { code, stdout, stderr } = await report(["--format", format], fixture("failed-late.json"));
    expect(code).toBe(2);
    expect(stdout).toMatch(/incomplete/);
    expect(stdout).toMatch(/late/);
    expect(stderr.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/the preview of test\/dev is incomplete: the preview failed/),
    ]);
  });

  test.each(["info", "info#err", "warning", "debug"])("%s is none", async (severity) => {
    const { exitCode } = await inJson(
      preview([], { diagnostics: [{ severity, message: "error: not one" }, null, "x"] }),
    );
    expect(exitCode).toBe(0);
  });

  test("incomplete is worse than what is known, also where that alone would be exit code 3 or is allowed", async () => {
    expect((await inJson(failed("boom", {}, [resize()]), ["--fail-on", "none"])).exitCode).toBe(2);
  });
});

describe("an error of several lines keeps what says how to go on, in one line", () => {
  const LEAD = "error: Running program '/checkout/index.ts' failed with an unhandled exception:\n";
  const FRAMES =
    "    at createTSError (/checkout/node_modules/ts-node/src/index.ts:859:12)\n    at /checkout/a.js:1:2\n";
  test.each<[what: string, message: string, expected: string]>([
    [
      "TypeScript",
      `${LEAD}TSError: ⨯ Unable to compile TypeScript:\n\u001b[96mindex.ts\u001b[0m(27,5): error TS2322: Type 'string' is not assignable to type 'number'.\n\n${FRAMES}`,
      "TSError: ⨯ Unable to compile TypeScript: index.ts(27,5): error TS2322: Type 'string' is not assignable to type 'number'.",
    ],
    [
      "a syntax error, with its source",
      `${LEAD}/checkout/index.js:2\nconst b = = 2;\n          ^\n\nSyntaxError: Unexpected token '='\n`,
      "/checkout/index.js:2 const b = = 2; SyntaxError: Unexpected token '='",
    ],
    [
      "a protected compute",
      'error: Preview failed: resource "urn:…::reader-3" cannot be deleted\nbecause it is protected. To unprotect the resource, remove the `protect` flag\n',
      'Preview failed: resource "urn:…::reader-3" cannot be deleted because it is protected. To unprotect the resource, remove the `protect` flag',
    ],
    [
      "frames of other forms",
      "error: Error: boom\n    at new A (a.js:1:2)\n    at async b (file:///b.mjs:1:2)\nlast",
      "Error: boom",
    ],
    [
      "words that begin like a frame",
      "error: failed\nat 12:30 o'clock we try again\n",
      "failed at 12:30 o'clock we try again",
    ],
    [
      "two values that may be secret",
      "error: property a value {s3cr3t\nx} has a problem: one\nproperty b value {s3cr3t} has a problem: two",
      "property a has a problem: one property b has a problem: two",
    ],
    ["a value that does not end", "error: property a value {s3cr3t\ns3cr3t", "property a"],
  ])("%s", async (_what, message, expected) => {
    expect((await inJson(failed(message))).stacks[0].errors).toEqual([expected]);
  });

  test("bounded in lines and in length", async () => {
    const [few, long] = (
      await inJson(
        preview([], {
          diagnostics: ["few", `long ${"x".repeat(5000)}`].map((text) => ({
            severity: "error",
            message: `error: ${Array.from({ length: 50 }, (_, at) => `${text} ${at}`).join("\n")}`,
          })),
        }),
      )
    ).stacks[0].errors;
    expect(few).toMatch(/^few 0 few 1 .*few 7$/);
    expect(long.length).toBeLessThanOrEqual(1001);
  });
});

describe("a refusal by onRestart", () => {
  test("names the compute, what it said, and the way to a full report", async () => {
    const { stacks, exitCode } = await inJson(fixture("refused.json"));
    expect(exitCode).toBe(2);
    expect(stacks[0].incomplete).toEqual([
      expect.stringMatching(/^the preview refused the change of resize and stopped there.*COMPUTE_ON_RESTART=warn/),
    ]);
    expect(stacks[0].errors).toEqual([
      expect.stringMatching(
        /^resize: .*size 1 → 4: .*onRestart is "refuse" \(.*\), so the compute is left as it is\.$/,
      ),
    ]);
    expect(stacks[0].approveCommand).toMatch(/^npx --no compute-endpoint approve --stack dev [0-9a-f]{32}=resize$/);
  });

  test("is known: the headline counts it, and no text calls its approval all of it", async () => {
    const { verdict } = await inJson(fixture("refused.json"));
    expect(verdict).toBe("This preview is incomplete; known so far: 1 change is refused");
    const { stdout } = await report(["--format", "text"], fixture("refused.json"));
    expect(stdout).toMatch(/To approve what is known so far, run this/);
    expect(stdout).not.toContain("all of it");
  });
});

describe("values of a failed check are not repeated: they may be secret", () => {
  test.each(["{13}", "{{map[a:{s3cr3t}]}}", "{s3cr3t\nwith lines}"])("%s", async (value) => {
    const text = JSON.stringify(
      await inJson(
        failed(`error: property size value ${value} has a problem: the value, which is secret, is not allowed`, {
          urn: urnOf("p"),
        }),
      ),
    );
    expect(text).toContain("property size has a problem");
    expect(text).not.toMatch(/s3cr3t|13\}/);
  });
});

test.each([
  ["no resource", {}],
  ["a bucket", { urn: "urn:pulumi:prod::shop::aws:s3/bucket:Bucket::logs" }],
])("an error of %s that ends like a refusal is none, and its digest is not approved", async (_whose, more) => {
  const digest = "00112233445566778899aabbccddeeff";
  const { stacks } = await inJson(failed(`error: oh no [refused ${digest}]`, more));
  expect(stacks[0]).not.toHaveProperty("approveCommand");
  expect(stacks[0].incomplete.join()).not.toContain("refused the change");
});

describe("an error of 1.4 MB is read once", () => {
  const full = (part: string) => part.repeat(Math.ceil(1_400_000 / part.length));
  test.each([
    ["values that never end", `error: ${full("property a value { ")}`],
    ["braces", `error: property a value {${full("} ")}`],
    ["lines", `error: ${full(" \n")}the last one`],
    ["property names", `error: ${full("property a")}`],
  ])("of %s", async (_what, message) => {
    const start = performance.now();
    await inJson(failed(message));
    // It takes a second on a slow machine; read again from each place, it takes minutes.
    expect(performance.now() - start).toBeLessThan(30_000);
  });
});

describe("an error that several resources have", () => {
  const refused = (name: string, id: string) => ({
    severity: "error",
    urn: urnOf(name),
    message: `error: the service answered 401: wrong key (the key comes from COMPUTE_API_KEY) (request id ${id})\n`,
  });

  test("stands once, with their names", async () => {
    const diagnostics = ["a", "b", "c", "d", "e", "f", "g"].map((name) =>
      refused(name, `0f8fad5b-d9cb-469f-a165-7086772895${name}0`),
    );
    const { stacks } = await inJson(preview([], { diagnostics }));
    expect(stacks[0].errors).toEqual([
      expect.stringMatching(/^a, b, c, d, e and 2 more: the service answered 401: wrong key/),
    ]);
  });

  test("and another one beside it stays", async () => {
    const diagnostics = [refused("a", "1"), { ...refused("b", "2"), message: "error: the service answered 403" }];
    const { stacks } = await inJson(preview([], { diagnostics }));
    expect(stacks[0].errors).toHaveLength(2);
  });
});

describe("many errors", () => {
  test("beside a command that approves a refused change, all that the refusal says", async () => {
    const digest = "8".repeat(32);
    const names = ["projectId", "branchId", "type", "size", "disabled", "name", "restartTriggers"];
    const diagnostics = names.map((name, at) => ({
      severity: "error",
      urn: urnOf("primary"),
      message: `error: property ${name} value {1} has a problem: ${name} 1 → 2${at === names.length - 1 ? `: restarts [refused ${digest}]` : ""}\n`,
    }));
    const { stdout } = await report(["--format", "markdown"], JSON.stringify(preview([], { diagnostics })));
    expect(stdout).toContain(digest);
    for (const name of names) expect(stdout).toContain(`${name} 1 → 2`);
    const without = diagnostics.slice(0, -1);
    const plain = await report(["--format", "markdown"], JSON.stringify(preview([], { diagnostics: without })));
    expect(plain.stdout).toContain("and 1 more");
  });

  describe("before refusals: the command approves no digest whose line is not shown", () => {
    const [first, second] = ["1".repeat(32), "2".repeat(32)];
    const refusal = (name: string, digest: string, change: string) => ({
      severity: "error",
      urn: urnOf(name),
      message: `error: property size value {1} has a problem: ${change}: restarts [refused ${digest}]\n`,
    });
    const own = (count: number, length = 1) =>
      Array.from({ length: count }, (_, at) => ({
        severity: "error",
        message: `error: mine ${at} ${"x".repeat(length)}`,
      }));
    const documentOf = (...diagnostics: object[]) => JSON.stringify(preview([], { diagnostics }));

    test.each(["markdown", "text", "json"])("in %s", async (format) => {
      const refusals = [refusal("a", first, "size 1 → 2"), refusal("b", second, "size 3 → 4")];
      const document = documentOf(...own(25), ...refusals, ...own(1));
      const { stdout } = await report(["--format", format], document);
      for (const digest of [first, second]) expect(stdout).toContain(digest);
      for (const change of ["a: ", "size 1 → 2", "size 3 → 4", "and 5 more"])
        expect(stdout.replaceAll("`", "")).toContain(change);
    });

    test("of more lines than any other error has", async () => {
      const lines = Array.from({ length: 30 }, (_, at) => ({
        ...refusal("a", first, ""),
        message: `error: property p${at} value {1} has a problem: p${at} 1 → 2${at === 29 ? ` [refused ${first}]` : ""}`,
      }));
      const { stdout } = await report(["--format", "markdown"], documentOf(...own(25), ...lines));
      expect(stdout).toContain(first);
      for (let at = 0; at < 30; at++) expect(stdout).toContain(`p${at} 1 → 2`);
    });

    test("without room for its line, a digest is left out, and said to be", async () => {
      const names = ["a", "b", "c", "d"];
      const refusals = names.map((name, at) =>
        refusal(name, String(at).repeat(32), `size ${at} → 9 ${"y".repeat(500)}`),
      );
      const document = documentOf(...own(5, 900), ...refusals);
      for (const bytes of [8000, 6000, 4000, 3000, 2000, 1000]) {
        const { stdout } = await report(["--format", "markdown", "--max-bytes", String(bytes)], document);
        names.forEach((_name, at) => {
          if (stdout.includes(String(at).repeat(32)))
            expect([bytes, stdout]).toEqual([bytes, expect.stringContaining(`size ${at} → 9`)]);
        });
        if (!stdout.includes("approve --stack") && stdout.includes("###"))
          expect(stdout).toContain("No room for the approvals of 4 changes");
      }
    });
  });

  test("each once, and then counted", async () => {
    const diagnostics = Array.from({ length: 60 }, (_, at) => ({
      severity: "error",
      message: `error: number ${at % 30}`,
    }));
    const { stacks } = await inJson(preview([], { diagnostics }));
    expect(stacks[0].errors).toHaveLength(21);
    expect(stacks[0].errors.at(-1)).toBe("and 10 more");
  });
});

test("a clean preview claims no more than it knows", async () => {
  for (const format of ["markdown", "text", "github", "json"]) {
    const { stdout } = await report(["--format", format], JSON.stringify(preview([])));
    expect(stdout).not.toMatch(/nothing else|no other/i);
    expect(stdout).toContain("Nothing in this preview restarts, stops, replaces or deletes a compute");
  }
});
