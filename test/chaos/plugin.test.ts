/** A few of the random scenarios, against the plugin's gRPC methods: in a process of its own, where the plugin loads its parts as it does itself. */
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { output } from "./planted/find";

test("100 scenarios break no promise of the plugin's", { timeout: 300_000 }, async () => {
  const args = ["--surface", "plugin", "--runs", "100", "--seed", "1", "--no-shrink"];
  const said = await output(resolve(__dirname, "../.."), args);
  expect(said).toContain("| runs | 100 |");
  expect(said).toContain("| **violations** | **0** |");
});
