/** Large documents, as a change could make them: the time grows with the size, and no number of steps ends the command. */
import { expect, test } from "vitest";
import { BASE, outputsOf, preview, report, step } from "./support";

/** A quadratic look takes minutes for these. */
const LIMIT_MS = 60_000;
const COUNT = 15_000;

const places = (from: string) =>
  Array.from({ length: COUNT }, (_, at) => ({ name: `${from}-${at}`, branchId: `br-${from}-${at}` }));
const creations = places("new").map(({ name, branchId }) =>
  step({ op: "create", name, next: { ...BASE, branchId, restart: "no" } }),
);
const deletions = places("old").map(({ name, branchId }) => {
  const old = { ...BASE, branchId };
  return step({ op: "delete", name, id: `ep-${name}`, old, outputs: outputsOf(old) });
});

test.each(["markdown", "text", "json", "github"])(
  "many computes that come and go, as %s",
  async (format) => {
    const document = JSON.stringify(preview([...creations, ...deletions]));
    const start = performance.now();
    const { code, stderr } = await report(["--format", format, "--fail-on", "restart,delete"], document);
    expect([code, stderr]).toEqual([3, ""]);
    expect(performance.now() - start).toBeLessThan(LIMIT_MS);
  },
  2 * LIMIT_MS,
);

test(
  "a change of very many Postgres settings",
  async () => {
    const settings = (value: string) => ({
      pgSettings: Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`a${at}`, value])),
    });
    const change = step({ old: { ...BASE, settings: settings("1") }, next: { ...BASE, settings: settings("2") } });
    const { code, stderr } = await report(["--format", "json"], JSON.stringify(preview([change])));
    expect([code, stderr]).toEqual([0, ""]);
  },
  LIMIT_MS,
);

test(
  "braces, and nothing else",
  async () => {
    const start = performance.now();
    const { code } = await report(["--format", "json"], "{\n".repeat(1_000_000));
    expect(code).toBe(2);
    expect(performance.now() - start).toBeLessThan(20_000);
  },
  LIMIT_MS,
);
