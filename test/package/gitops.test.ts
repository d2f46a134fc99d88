/** The GitLab pipeline and the objects for the Pulumi Kubernetes Operator that people copy, and the page beside them. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import Ajv from "ajv";
import { afterEach, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { bench, INTEGRITY, OUTCOMES, syntaxOf, textOf } from "./pipelines";

interface Job {
  stage: string;
  image: string;
  extends?: string;
  environment?: object;
  rules: { if: string; when?: string }[];
  script: string[];
  variables?: Record<string, string>;
  needs?: object[];
}

const TEXT = textOf("gitlab/.gitlab-ci.yml");
const pipeline = parse(TEXT) as Record<string, Job> & { variables: NodeJS.ProcessEnv };
const [outside, preview, note, up] = ["compute outside", ".compute preview", ".compute note", ".compute up"].map(
  (name) => pipeline[name]!,
);
const scriptOf = (job: Job | undefined) => job!.script.join("\n");
const ENV = { ...pipeline.variables, INTEGRITY, STACK: "prod", CI_PIPELINE_URL: "https://run.test" };
/** All of the note's script but what asks the host for the document, which is here already, and what writes it. */
const reportScript = scriptOf(note)
  .replace(
    /node --input-type=module <<'DOCUMENT'[\s\S]*\nDOCUMENT\n/,
    '[ ! -s "$CI_PROJECT_DIR/compute-preview.json" ] || cp "$CI_PROJECT_DIR/compute-preview.json" preview.json',
  )
  .replace(/node --input-type=module <<'END'[\s\S]*\nEND\n/, "")
  .replace('exit "$code"', 'cp report.md "$CI_PROJECT_DIR/report.md"\nexit "$code"');

describe("the GitLab pipeline", () => {
  test("has scripts that bash can read", () => {
    expect([outside, preview, note, up].map((job) => syntaxOf(scriptOf(job)))).toEqual(["", "", "", ""]);
  });

  test("previews no code of a fork, and says so", () => {
    const rule = (job: Job | undefined) => job!.rules.map((one) => one.if);
    expect(rule(preview)[0]).toContain("$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID");
    expect(rule(note)).toEqual(rule(preview));
    expect(rule(outside)).toEqual(
      rule(preview).map((text) => text.replace("_ID == $CI_PROJECT", "_ID != $CI_PROJECT")),
    );
    expect(bench(undefined).run(scriptOf(outside)).stdout).toMatch(/^No preview of computes for code of a fork/);
  });

  test("gives each job the variables of its own environment, and the token to one that runs none of the change's code", () => {
    expect(preview!.environment).toEqual({ name: "compute-preview/$STACK", action: "access" });
    expect(note!.environment).toEqual({ name: "compute-report", action: "access" });
    expect(note).toMatchObject({ rules: [{ when: "always" }], variables: { GIT_STRATEGY: "none" } });
    for (const job of [outside, preview]) expect(JSON.stringify(job)).not.toContain("COMPUTE_REPORT_TOKEN");
    expect(TEXT.split("COMPUTE_REPORT_TOKEN")).toHaveLength(4); // said once, used to read the document and to write the note
    expect(TEXT).not.toMatch(/npx/);
  });

  // With the artifacts come variables, if the job of the change has added a report of them: GitLab sets them in the note's job.
  test("has one preview and one note for each stack, and the note takes nothing from a job of the change", () => {
    const names = Object.keys(pipeline).filter((name) => /^compute (?:preview|note) /.test(name));
    expect(names).toHaveLength(4);
    for (const name of names) {
      const [, kind, stack] = name.split(" ");
      const { extends: base, variables, needs, ...rest } = pipeline[name]!;
      expect([base, variables, rest]).toEqual([`.compute ${kind}`, { STACK: stack }, {}]);
      expect(needs).toEqual(kind === "note" ? [{ job: `compute preview ${stack}`, artifacts: false }] : undefined);
    }
  });

  test("updates the stacks one after the other, once merged, and softens nothing there", () => {
    const { run, pulumiCalls } = bench(undefined);
    expect(run(scriptOf(up), ENV).code).toBe(0);
    expect(pulumiCalls()).toEqual(["up --stack prod --yes --skip-preview --parallel 100"]);
    expect(up).toMatchObject({
      environment: { name: "compute-up/$STACK" },
      resource_group: "compute-up",
      interruptible: false,
      rules: [{ if: '$CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH' }],
    });
    expect(pipeline["compute up dev"]).toEqual({ extends: ".compute up", variables: { STACK: "dev" } });
    expect(pipeline["compute up prod"]).toEqual({
      extends: ".compute up",
      variables: { STACK: "prod" },
      needs: ["compute up dev"],
    });
  });

  test.each(OUTCOMES)("%s", (_what, document, pulumi, job, says) => {
    const { folder, run, pulumiCalls } = bench(document, pulumi);
    const { code, stdout } = run(scriptOf(preview), ENV);
    expect(code).toBe(0);
    expect(stdout).toBe(pulumi === 0 ? "" : `pulumi preview ended with exit code ${pulumi}\n`);
    expect(pulumiCalls()).toEqual(["COMPUTE_ON_RESTART=warn PULUMI_SKIP_CHECKPOINTS=true preview --stack prod --json"]);
    const written = run(reportScript, ENV);
    expect(written.code).toBe(job);
    const report = readFileSync(join(folder, "report.md"), "utf8");
    // The job's log has the verdict too.
    expect(written.stderr).toContain(`exit code ${job}: ${/^#+ (.*)$/m.exec(report)![1]}\n`);
    expect(report.includes("The preview's job left no document: see [its pipeline](https://run.test).")).toBe(
      !document,
    );
    expect(report).toMatch(/^<!-- compute-endpoint report v1 shop\/prod -->\n/);
    expect(report).toMatch(says);
  });

  test("installs no file with another checksum, and says which one it has", () => {
    const { folder, run } = bench("nothing");
    const { code, stderr } = run(reportScript, { ...ENV, ...pipeline.variables });
    expect([code, existsSync(join(folder, "bin/installed-in"))]).toEqual([1, false]);
    expect(stderr).toContain(
      `${pipeline.variables["PACKAGE"]} has the integrity ${INTEGRITY}, not sha512-…. It was not installed`,
    );
  });

  test("installs the command where no earlier job can have left an .npmrc", () => {
    const { folder, run } = bench("nothing");
    expect(run(scriptOf(preview), ENV).code).toBe(0);
    expect(run(reportScript, ENV).code).toBe(0);
    const place = readFileSync(join(folder, "bin/installed-in"), "utf8").trim();
    expect(place.startsWith(folder)).toBe(false);
  });
});

test("a program in a folder is previewed there, by both of them, and its document is found", () => {
  const { folder, run } = bench("nothing");
  mkdirSync(join(folder, "infra/shop"), { recursive: true });
  expect(run(scriptOf(preview), { ...ENV, FOLDER: "infra/shop" }).code).toBe(0);
  expect(existsSync(join(folder, "compute-preview.json"))).toBe(true);

  const { env, jobs } = parse(textOf("github/compute-preview.yml"));
  const { defaults, steps } = jobs.preview;
  expect(env.FOLDER).toBe(".");
  expect(defaults.run["working-directory"]).toBe(`\${{ env.FOLDER }}`);
  expect(steps.flatMap((step: { with?: object }) => Object.values(step.with ?? {}))).toEqual(
    expect.arrayContaining([`\${{ env.FOLDER }}/package-lock.json`, `\${{ env.FOLDER }}/preview.json`]),
  );
});

describe("the note", () => {
  let server: Server | undefined;
  afterEach(() => new Promise<unknown>((resolve) => (server ? server.close(resolve) : resolve(undefined))));

  const ME = { id: 42 };
  const BODY = "<!-- compute-endpoint report v1 shop/prod -->\n\n### b\n";
  interface Note {
    id: number;
    body: string;
    author: { id: number };
  }

  /** Runs the script against a host that has these notes, two on a page, and tells what it wrote. */
  async function write(notes: Note[], body = BODY, verdict = 0, host: Partial<Host> = {}) {
    const { jobs, document, documentStatus } = { ...HOST, ...host };
    const did: unknown[] = [];
    server = createServer(async (request, response) => {
      const { method, url = "" } = request;
      let text = "";
      for await (const chunk of request) text += chunk;
      const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
      if (method !== "GET") did.push(`${method} ${url}`, JSON.parse(text).body);
      response.setHeader("x-next-page", page * 2 < notes.length && url.includes("/notes") ? String(page + 1) : "");
      response.statusCode = request.headers["private-token"] === "token" ? 200 : 401;
      if (url.startsWith("/api/v4/projects/1/pipelines/9/jobs?")) {
        response.setHeader("x-next-page", page < jobs.length ? String(page + 1) : "");
        return void response.end(JSON.stringify(jobs.slice(page - 1, page)));
      }
      if (url.includes("/artifacts/")) {
        response.statusCode = documentStatus;
        if (documentStatus === 302) response.setHeader("location", "/api/v4/user");
        return void response.end(url === "/api/v4/projects/1/jobs/12/artifacts/compute-preview.json" ? document : "?");
      }
      response.end(JSON.stringify(url === "/api/v4/user" ? ME : notes.slice(page * 2 - 2, page * 2)));
    });
    await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
    const { folder, path } = bench(undefined);
    // The command, as if it wrote this.
    writeFileSync(join(folder, "wanted.md"), body);
    const command = `compute-endpoint() { cp "$2" '${folder}/read.json' || true; cat '${folder}/wanted.md'; return ${verdict}; }`;
    const env = {
      ...ENV,
      PATH: path,
      CI_PROJECT_DIR: folder,
      CI_API_V4_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`,
      CI_PROJECT_ID: "1",
      CI_PIPELINE_ID: "9",
      CI_MERGE_REQUEST_IID: "7",
      COMPUTE_REPORT_TOKEN: "token",
    };
    // Not synchronously: the host is in this process.
    const child = spawn("bash", ["-ec", `${command}\n${scriptOf(note)}`], {
      cwd: folder,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    const read = join(folder, "read.json");
    return { code, did, stderr: stderr.replace(/^cp: .*\n/, ""), read: existsSync(read) && readFileSync(read, "utf8") };
  }

  interface Host {
    jobs: { id: number; name: string }[];
    document: string;
    documentStatus: number;
  }
  const HOST: Host = {
    jobs: [
      { id: 11, name: "compute preview dev" },
      { id: 12, name: "compute preview prod" },
    ],
    document: "{}",
    documentStatus: 200,
  };

  const NOTES = "/api/v4/projects/1/merge_requests/7/notes";
  const mine = (id: number, body: string): Note => ({ id, body, author: ME });
  const others = (id: number): Note => ({ id, body: BODY, author: { id: 1 } });
  const OLD = BODY.replace("b\n", "a\n");

  test.each<[what: string, notes: Note[], did: unknown[]]>([
    ["is made where there is none", [], [`POST ${NOTES}`, BODY]],
    ["is written over at the next push", [mine(3, OLD)], [`PUT ${NOTES}/3`, BODY]],
    ["is found on a later page", [others(1), others(2), others(3), mine(4, OLD)], [`PUT ${NOTES}/4`, BODY]],
    ["stays where it says so already, without the last line's end", [mine(3, BODY.trimEnd())], []],
    ["is not another stack's", [mine(3, OLD.replace("prod", "dev"))], [`POST ${NOTES}`, BODY]],
    ["is not somebody else's", [others(3)], [`POST ${NOTES}`, BODY]],
  ])("%s", async (_what, notes, did) => {
    expect(await write(notes)).toEqual({ code: 0, did, stderr: "exit code 0: b\n", read: "{}" });
  });

  test("is written before the job ends with the verdict", async () => {
    expect(await write([], BODY, 3)).toMatchObject({
      code: 3,
      did: [`POST ${NOTES}`, BODY],
      stderr: "exit code 3: b\n",
    });
  });

  test("is of what GitLab has of the preview's job, and of no document where it has none", async () => {
    expect((await write([], BODY, 0, { document: '{"a":1}' })).read).toBe('{"a":1}');
    expect(await write([], BODY, 2, { documentStatus: 404 })).toEqual({
      code: 2,
      did: [`POST ${NOTES}`, `${BODY}\nThe preview's job left no document: see [its pipeline](https://run.test).\n`],
      stderr: "exit code 2: b\n",
      read: false,
    });
  });

  test.each<[what: string, host: Partial<Host>, says: string]>([
    ["GitLab has no such job", { jobs: HOST.jobs.slice(0, 1) }, "0 jobs of this pipeline are the preview of prod"],
    ["GitLab has two", { jobs: [HOST.jobs[1]!, HOST.jobs[1]!] }, "2 jobs of this pipeline are the preview of prod"],
    ["the document is not to be had", { documentStatus: 500 }, "the preview's document: 500"],
    ["a redirect would take the token along", { documentStatus: 302 }, "unexpected redirect"],
  ])("is not written where %s", async (_what, host, says) => {
    const { code, did, stderr } = await write([], BODY, 0, host);
    expect([code, did]).toEqual([1, []]);
    expect(stderr).toContain(says);
  });

  test.each([
    ["is no report", "hello", "no report of this stack"],
    ["is another stack's report", BODY.replace("prod", "dev"), "no report of this stack"],
    ["has another marker in it", `${BODY}\n${BODY.replace("prod", "dev")}`, "no report of this stack"],
    ["has a quick action in it", `${BODY}\n/merge\n`, "a line of the report is a quick action"],
    ["has one behind white space", `${BODY}\r\n  /close`, "a line of the report is a quick action"],
  ])("is not written of what %s", async (_what, body, says) => {
    const { code, did, stderr } = await write([], body);
    expect([code, did]).toEqual([1, []]);
    expect(stderr).toContain(says);
  });
});

describe("the objects for the operator", () => {
  interface Stack {
    kind: string;
    metadata: { name: string };
    spec: Record<string, unknown> & { envRefs: Record<string, unknown> };
  }
  const objects = parseAllDocuments(textOf("operator/stack.yaml")).map((one) => one.toJS() as Stack);
  const [check, update] = objects.filter(({ kind }) => kind === "Stack") as [Stack, Stack];

  // The structure that matters to us; the operator's own schema is below, for who has it.
  test("are of one stack at one commit, the preview first, and the update waits for it", () => {
    const { preview: isPreview, envRefs: _, ...rest } = check.spec;
    expect(isPreview).toBe(true);
    const { prerequisites, envRefs: __, retryMaxBackoffDurationSeconds: ___, destroyOnFinalize, ...same } = update.spec;
    expect(same).toEqual(rest);
    expect(prerequisites).toEqual([{ name: check.metadata.name }]);
    expect(destroyOnFinalize).toBe(false);
    expect(rest["commit"]).toMatch(/^[0-9a-f]{40}$/);
    expect(rest["branch"]).toBeUndefined();
    expect(rest["config"]).toEqual({ "compute:onRestart": "refuse" });
  });

  test("hold no key, and the preview has none of the service", () => {
    expect(Object.keys(check.spec.envRefs)).toEqual(["PULUMI_ACCESS_TOKEN"]);
    expect(Object.keys(update.spec.envRefs)).toEqual(["PULUMI_ACCESS_TOKEN", "COMPUTE_API_KEY"]);
    for (const ref of [...Object.values(check.spec.envRefs), ...Object.values(update.spec.envRefs)]) {
      expect(ref).toEqual({ type: "Secret", secret: { name: expect.any(String), key: expect.any(String) } });
    }
  });

  // deploy/crds/pulumi.com_stacks.yaml of the operator's repository is too large to keep here.
  const file = process.env["OPERATOR_STACKS_CRD"];
  if (file) {
    test("fit the operator's schema, and name nothing that it does not know", () => {
      const crd = parse(readFileSync(file, "utf8"));
      const schema = crd.spec.versions.find(({ name }: { name: string }) => name === "v1").schema.openAPIV3Schema;
      closed(schema.properties.spec);
      const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
      for (const stack of [check, update]) expect([validate(stack), validate.errors]).toEqual([true, null]);
      expect(validate({ ...update, spec: { ...update.spec, comit: "a" } })).toBe(false);
    });
  }

  /** Kubernetes drops what it does not know, in silence. */
  function closed(schema: unknown): void {
    if (typeof schema !== "object" || schema === null) return;
    const one = schema as Record<string, unknown>;
    const isOpen = one["x-kubernetes-preserve-unknown-fields"] || "additionalProperties" in one;
    for (const value of Object.values(one)) closed(value);
    if (typeof one["properties"] === "object" && one["type"] === "object" && !isOpen)
      one["additionalProperties"] = false;
  }
});
