/** The question whether the engine will find the package is asked only where Pulumi itself runs the program. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { refuseUnreachable } from "../../sdk/installation.js";

const elsewhere = mkdtempSync(join(tmpdir(), "compute-endpoint-reach-"));
afterAll(() => rmSync(elsewhere, { recursive: true }));

const RUN = "/srv/node_modules/@pulumi/pulumi/cmd/run/index.js";

describe("a program fails", () => {
  test.each([RUN, "C:\\srv\\node_modules\\@pulumi\\pulumi\\cmd\\run\\index.js"])(
    "where %s runs it in a folder that does not see the package",
    (main) => {
      expect(() => refuseUnreachable(main, elsewhere)).toThrow(
        `can't be found from the program's folder ${elsewhere}, where`,
      );
    },
  );

  test.each<[string, string | undefined, string]>([
    ["in a folder that does", RUN, resolve(__dirname, "../..")],
    ["in an inline program or a unit test", "/srv/deploy.js", elsewhere],
    ["where nobody says what was started", undefined, elsewhere],
  ])("and does not %s", (_, main, folder) => {
    expect(() => refuseUnreachable(main, folder)).not.toThrow();
  });
});
