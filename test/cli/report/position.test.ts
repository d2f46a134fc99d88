/** Where an annotation points: a file of the repository, or nowhere. */
import { describe, expect, test } from "vitest";
import { BASE, oneCompute, preview, report, resize, step } from "./support";

describe("the annotated place is a file of the repository", () => {
  const at = async (sourcePosition: unknown, stackTrace: unknown = undefined, args: string[] = []) =>
    (await oneCompute(preview([resize({ nextMore: { sourcePosition, stackTrace } })]), args)).position;

  test.each<[string, unknown]>([
    ["project:///index.ts#27,11", { file: "index.ts", line: 27, column: 11 }],
    ["project:///src/db%20main.ts#3", { file: "src/db main.ts", line: 3 }],
    ...[
      "project:///../other/index.ts#1,1",
      "project:///a/../../index.ts#1,1",
      "project:////etc/passwd#1,1",
      "project:///%2e%2e/x.ts#1,1",
      "project:///%2Fetc/x#1",
      "file:///etc/passwd#1,1",
      "project:///node_modules/x/index.js#1,1",
      "project:///a/node_modules/x.js#1",
      "project:///.git/config#1",
      "project:///a\\..\\b#1",
      "project:///C:/x.ts#1",
      "project:///index.ts",
      "project:///index.ts#x",
      "project:///a%0Ab.ts#1",
      "project:///%#1",
      "project:///~/x#1",
      "project:///dist/sdk/endpoint.js#77,16",
      "project:///dist/sdk/modules.js#4077,16",
      "",
      "x",
      7,
      null,
      {},
    ].map((bad): [string, unknown] => [bad as string, undefined]),
  ])("%j", async (position, place) => expect(await at(position)).toEqual(place));

  test("the first frame that is one, where the position is in a package or in our class", async () => {
    const stack = [
      {},
      { sourcePosition: "project:///../../clone/node_modules/x.js#1,1" },
      null,
      { sourcePosition: "project:///lib/db.ts#9,2" },
      { sourcePosition: "project:///index.ts#1,1" },
    ];
    expect(await at("project:///sdk/endpoint.ts#77,16", stack)).toEqual({ file: "lib/db.ts", line: 9, column: 2 });
  });

  test("a deletion has no line: it is gone", async () => {
    const gone = step({ op: "delete", old: BASE, oldMore: { sourcePosition: "project:///index.ts#27,11" } });
    expect((await oneCompute(preview([gone]))).position).toBeUndefined();
  });

  test("--folder is where Pulumi.yaml stands", async () => {
    expect(await at("project:///index.ts#1,1", undefined, ["--folder", "./infra/db/"])).toEqual({
      file: "infra/db/index.ts",
      line: 1,
      column: 1,
    });
  });
  test.each(["../x", "/x", "a/../../x", "node_modules/x"])("--folder %s is bad usage", async (folder) => {
    expect(await report(["--folder", folder])).toMatchObject({ code: 2, stderr: expect.stringContaining("--folder") });
  });
});
