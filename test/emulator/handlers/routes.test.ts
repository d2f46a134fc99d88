/** The documented list of routes, held to `handlers/routes.ts` and to the calls that the service's own clients have. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { ROUTE_NAMES } from "../../../emulator/handlers/routes.js";
import { SEED } from "../../../emulator/index.js";
import { emulator } from "../support.js";

const PAGE = readFileSync(join(__dirname, "../../../docs/emulator-routes.md"), "utf8");
/** Names of parameters are nobody's promise. */
const unnamed = (call: string) => call.replace(/\{\w+\}|:\w+/g, "*");

/** The calls of the table under a heading: `GET /projects/*`. */
function documented(heading: string): string[] {
  const section = PAGE.split(/^## /m).find((one) => one.startsWith(heading)) ?? "";
  return [...section.matchAll(/^\| ((?:`[A-Z]+` ?)+)\| `(\/[^`]*)`/gm)].flatMap(([, methods = "", path = ""]) =>
    [...methods.matchAll(/[A-Z]+/g)].map(([method]) => unnamed(`${method} ${path}`)),
  );
}

/** What the service publishes: the schema in one of its clients, and the calls of the other, which knows newer ones. */
function publishedCalls(): string[] {
  const schema = join(
    dirname(require.resolve("@neondatabase/api-client/package.json")),
    "public-v2-for-users.gen.yaml",
  );
  const { paths } = parse(readFileSync(schema, "utf8")) as { paths: Record<string, object> };
  const older = Object.entries(paths).flatMap(([path, calls]) =>
    Object.keys(calls)
      .filter((method) => /^(get|post|put|patch|delete)$/.test(method))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  const sdk = readFileSync(join(dirname(require.resolve("@neon/sdk")), "client/sdk.gen.js"), "utf8");
  const newer = sdk
    .split(/\burl: "/)
    .slice(1)
    .map((after, index) => {
      const before = sdk.split(/\burl: "/)[index] as string;
      const [, method = ""] = [...before.matchAll(/\.(get|post|put|patch|delete)\(\{/g)].at(-1) ?? [];
      return `${method.toUpperCase()} ${after.slice(0, after.indexOf('"'))}`;
    });
  return [...new Set([...older, ...newer].map(unnamed))];
}

const covers = (pattern: string) => (call: string) =>
  pattern.endsWith("/**") ? call.startsWith(pattern.slice(0, -2)) : call === pattern;

describe("the documented routes", () => {
  const served = documented("What it serves");
  const missing = documented("What it does not serve");

  test("are those of `handlers/routes.ts`, each once", () => {
    expect([...served].sort()).toEqual(ROUTE_NAMES.map(unnamed).sort());
  });

  test("are, with those that are documented as missing, all that the service publishes, and no others", () => {
    const published = publishedCalls();
    expect(published.length).toBeGreaterThanOrEqual(180);
    expect(published.filter((call) => !/^[A-Z]+ \/\S+$/.test(call))).toEqual([]);
    expect(served.filter((call) => !published.includes(call))).toEqual([]);
    const undocumented = published.filter(
      (call) => !served.includes(call) && !missing.some((one) => covers(one)(call)),
    );
    expect(undocumented).toEqual([]);
    expect(missing.filter((one) => !published.some(covers(one)))).toEqual([]);
    expect(missing.filter((one) => served.some(covers(one)))).toEqual([]);
  });

  test.each(missing)("%s is not there: 404, or 405 where another method is", async (call) => {
    const [method = "", path = ""] = call.split(" ");
    const here = path.replace("/projects/*", `/projects/${SEED.projectId}`).replace(/\*+/g, "x");
    const known = ROUTE_NAMES.some((name) => unnamed(name).endsWith(` ${path}`));
    const { status, body } = await emulator().call(method, here, method === "GET" ? undefined : {});
    expect([status, body.message]).toEqual(known ? [405, "method not allowed"] : [404, "route not found"]);
  });
});
