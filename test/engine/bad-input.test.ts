/** Bad input gets one clear error at its resource, and changes nothing: not the state, not the service. */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWithEngine, ENGINE_TEST_MS, type PreviewDocument } from "../support/engine";
import { changes, files, SEED, type Story, startStory } from "./support";

const KEY = "napi_the_key_that_must_not_show";
const WRONG = "napi_a_key_that_nobody_knows";
const ON_DEV = `branchId: "${SEED.branches.dev}"`;
const SIZES = "(sizes are 0.25, 0.5, 1 to 16 in steps of 1, 18 to 56 in steps of 2)";

/** Arguments -> property and reason. */
const REFUSED_BY_CHECK: [rule: string, args: string, ...failures: [property: string, reason: string][]][] = [
  ["a size off the ladder", "size: 3.5", ["size", `3.5 is not a size: the nearest are 3 and 4 ${SIZES}`]],
  [
    "min above max",
    "autoscalingLimitMinCu: 4, autoscalingLimitMaxCu: 2",
    ["autoscalingLimitMaxCu", "the lower limit 4 is above the upper limit 2: swap them"],
  ],
  [
    "a range too wide",
    "autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 16",
    [
      "autoscalingLimitMaxCu",
      "the range 1 to 16 is too wide: the limits may be at most 8 CU apart. Raise the lower limit to 8 or more, or lower the upper one to 9 or less",
    ],
  ],
  [
    "one bound alone",
    "autoscalingLimitMaxCu: 4",
    ["autoscalingLimitMaxCu", "autoscalingLimitMaxCu needs autoscalingLimitMinCu beside it; for a fixed size use size"],
  ],
  [
    "an unknown property",
    "autoscaling_limit_min_cu: 4",
    ["autoscaling_limit_min_cu", "there is no property autoscaling_limit_min_cu: did you mean autoscalingLimitMinCu?"],
  ],
  ["a property that is missing", "branchId: undefined", ["branchId", "branchId is required"]],
  [
    "several at once, each at its property",
    'size: 3.5, suspendTimeoutSeconds: 5, onDelete: "keep", settings: { pgSettings: { max_connections: 100 } }',
    [
      "settings.pgSettings.max_connections",
      'a number is not a string: Postgres settings are sent as text, for example "128MB" or "100"',
    ],
    ["onDelete", '"keep" is not one of "delete", "release"'],
    [
      "suspendTimeoutSeconds",
      "5 is not a suspend timeout: use -1 (never), 0 (the service's default, 5 minutes), or whole seconds from 60 to 604800 (7 days)",
    ],
    ["size", `3.5 is not a size: the nearest are 3 and 4 ${SIZES}`],
  ],
];

interface Refusal {
  rule: string;
  args?: string;
  options?: string;
  env?: (urls: Record<"html" | "silent" | "json", string>) => NodeJS.ProcessEnv;
  says: RegExp | string;
  /** Requests that reach the emulator. @default none */
  requests?: string[];
}

const LIST = `GET /projects/${SEED.projectId}/endpoints`;
const SHORT = '{ customTimeouts: { create: "1s" } }';

const REFUSED_LATER: Refusal[] = [
  {
    rule: "an unknown branch",
    args: 'branchId: "br-nowhere"',
    says: /^branch br-nowhere of project \S+ does not exist, or this key can't see it, so no compute was created\. Check branchId and the key \(.*the service answered 404: branch not found \(request id \S+\)\)$/,
    requests: [LIST, `POST /projects/${SEED.projectId}/endpoints`],
  },
  {
    rule: "an unknown project",
    args: 'projectId: "nowhere"',
    says: /^project nowhere does not exist, or this key can't see it, so no compute was created\. Check projectId and the key \(.*the service answered 404: project not found \(request id \S+\)\)$/,
    requests: ["GET /projects/nowhere/endpoints"],
  },
  {
    rule: "a wrong key, which is not shown, but where it comes from",
    env: () => ({ COMPUTE_API_KEY: WRONG }),
    says: /the service answered 401: .+ \(the key comes from COMPUTE_API_KEY \(environment\)\)/,
    requests: [LIST],
  },
  {
    rule: "no key",
    env: () => ({ COMPUTE_API_KEY: undefined, COMPUTE_API_URL: undefined }),
    says: "no API key: set COMPUTE_API_KEY in the environment, or run `pulumi config set --secret compute:apiKey …`. A .env file that only the program reads does not reach Pulumi's engine",
  },
  {
    rule: "a key without a URL, while a lower layer has one",
    env: () => ({ COMPUTE_API_URL: undefined, NEON_API_HOST: "https://other.example.com/api/v2" }),
    says: "COMPUTE_API_KEY (environment) is set without a URL, while NEON_API_HOST (environment) names one: it is unclear which service to use. Key and URL must be set together: set COMPUTE_API_URL (environment) as well (the public service is https://console.neon.tech/api/v2), or remove NEON_API_HOST (environment)",
  },
  {
    rule: "a URL that is not https",
    env: () => ({ COMPUTE_API_URL: "http://api.example.com/api/v2" }),
    says: "COMPUTE_API_URL (environment): the URL must begin with https:// (http:// is accepted for this machine only): the API key would travel unencrypted",
  },
  {
    rule: "a server that answers HTML",
    env: ({ html }) => ({ COMPUTE_API_URL: html }),
    says: /the service answered 200: an HTML page from \S+: Sign in Welcome to the proxy; tried 3 times in /,
  },
  {
    rule: "a server that answers other JSON",
    env: ({ json }) => ({ COMPUTE_API_URL: json }),
    says: /the service answered 200: JSON that is not from the API from \S+: \{"hello":1\}; tried 3 times in /,
  },
  {
    rule: "a server that answers nothing",
    options: SHORT,
    env: ({ silent }) => ({ COMPUTE_API_URL: silent }),
    says: /the response did not complete in time/,
  },
  {
    rule: "a server that is not there",
    options: SHORT,
    env: () => ({ COMPUTE_API_URL: "http://127.0.0.1:9/api/v2" }),
    says: /no connection to 127\.0\.0\.1:9: the connection was refused \(ECONNREFUSED\); nothing was sent; tried .*\. Check the service's URL/,
  },
  {
    rule: "a compute that is not there",
    args: 'adopt: "ep-nowhere-12345678"',
    says: `adopt names ep-nowhere-12345678, but project ${SEED.projectId} has no such compute. It has: ${SEED.primaryId} (read_write on ${SEED.branches.main}). Nothing was changed. Set adopt to one of these, or leave it out to create a new compute`,
    // The list may be behind, so the compute is asked for itself.
    requests: [LIST, `${LIST}/ep-nowhere-12345678`],
  },
  {
    rule: "a branch that has its primary",
    args: "branchId",
    says: `branch ${SEED.branches.main} of project ${SEED.projectId} already has its primary compute, ${SEED.primaryId}, and a branch has only one (a new project or branch often comes with it). Nothing was changed. Choose: adopt: true takes it over with its host; type: "read_only" creates a read replica; or set another branch`,
    // Before it stops, it asks whether only the list still has that one.
    requests: [LIST, `${LIST}/${SEED.primaryId}`],
  },
];

describeWithEngine("bad input", (engine) => {
  let story: Story;
  const servers: Server[] = [];
  const urls = {} as Record<"html" | "silent" | "json", string>;
  let untouched: string;

  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2`;
  }

  const use = (args = "", options = "{}") =>
    story.ws.setProgram(files(`new Endpoint("db", { projectId, ${ON_DEV}, ${args} }, ${options});`));
  const worldNow = () => JSON.stringify(story.em.world);

  /** No stack of code, and no key. */
  function readsWell(...texts: string[]) {
    const text = texts.join("\n");
    expect(text).not.toMatch(/^\s+at .+:\d+/m);
    expect(text).not.toMatch(/node_modules|\bTypeError\b|undefined/);
    for (const key of [KEY, WRONG]) expect(text).not.toContain(key);
  }

  beforeAll(async () => {
    urls.html = await serve((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end("<!doctype html><title>Sign in</title><script>var x</script><h1>Welcome to the proxy</h1>");
    });
    urls.json = await serve((_request, response) => response.end('{"hello":1}'));
    urls.silent = await serve(() => {});
    story = await startStory(engine, { program: "", apiKey: KEY });
    // The computes' own work would show as a change.
    story.em.world.endpoints[SEED.primaryId]!.suspend_timeout_seconds = -1;
    untouched = worldNow();
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await story?.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  describe("fails the preview, before any request", () => {
    test.each(REFUSED_BY_CHECK)(
      "%s",
      async (_rule, args, ...failures) => {
        await use(args);
        const { document, stderr } = await story.ws.previewJson({ fails: true });
        expect(errorsIn(document)).toEqual(failures.map(([property, reason]) => ["db", property, reason]));
        readsWell(JSON.stringify(document.diagnostics), stderr);
        expect(story.em.requests).toEqual([]);
      },
      ENGINE_TEST_MS,
    );
  });

  describe("fails the update", () => {
    test.each(REFUSED_LATER.map((row) => [row.rule, row] as const))(
      "%s",
      async (_rule, { args, options, env, says, requests = [] }) => {
        const { ws, em } = story;
        await use(args, options);
        em.requests.length = 0;
        const { stdout, stderr } = await ws.up({ args: ["--skip-preview"], env: env?.(urls), fails: true });
        const errors = [...stdout.split("Diagnostics:")[1]!.matchAll(/^ {4}error: (.*)$/gm)].map(([, text]) => text);
        // Pulumi adds its own one, at the stack.
        expect(errors.filter((text) => text !== "update failed")).toEqual([
          typeof says === "string" ? says : expect.stringMatching(says),
        ]);
        expect(stdout).toContain("Endpoint (db):\n");
        readsWell(stdout, stderr);
        expect(em.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(requests);
        expect(changes(em).filter(({ status }) => Number(status) < 300)).toEqual([]);
        expect(worldNow()).toBe(untouched);
      },
      ENGINE_TEST_MS,
    );

    test(
      "and leaves nothing in the state",
      async () => {
        const { resources = [] } = (await story.ws.export()).deployment;
        expect(resources.filter(({ type }) => type.endsWith(":Endpoint"))).toEqual([]);
        for (const key of [KEY, WRONG]) expect(story.printed()).not.toContain(key);
      },
      ENGINE_TEST_MS,
    );
  });
});

/** Resource, property and reason of each error. */
function errorsIn({ diagnostics = [] }: PreviewDocument): unknown[] {
  return diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ urn, message }) => {
      const [, property, reason] = /property (\S+) value \{.*?\} has a problem: (.*)\n$/.exec(message) ?? [];
      return [urn?.split("::").at(-1), property, reason];
    });
}
