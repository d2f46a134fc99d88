/** Programs that set variables by themselves, as a loader of `.env` files does: the engine, and the computes, never see them. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import { type Account, type Stack, startAccount, startStack } from "./account";
import { requests } from "./support";

describeWithEngine("a program that sets variables by itself", (engine) => {
  let [first, second]: Account[] = [];
  let stack: Stack;
  beforeAll(async () => {
    [first, second] = await Promise.all(["first", "second"].map((name) => startAccount(`key-${name}-1`)));
    stack = await startStack(engine, variablesOf(first!));
  }, ENGINE_TEST_MS);
  afterAll(async () => {
    await stack?.ws.close();
    await Promise.all([first, second].map((one) => one?.em.close()));
  });

  const variablesOf = (account: Account) => ({ COMPUTE_API_KEY: account.key.key, COMPUTE_API_URL: account.url });
  const none = { COMPUTE_API_KEY: undefined, COMPUTE_API_URL: undefined };
  const program = (variables: object, size: number, asks: boolean) => `
Object.assign(process.env, ${JSON.stringify(variables)});
new Endpoint("primary", { projectId, branchId, adopt: true, size: ${size} });
${asks ? `exports.cu = getEndpointOutput({ projectId, id: "${SEED.primaryId}" }).autoscalingLimitMaxCu;` : ""}`;
  const asked = () => [first, second].map((account) => requests(account!.em).length);
  const warnings = (document: { diagnostics?: { severity: string; message: string }[] }) =>
    (document.diagnostics ?? []).filter(({ severity }) => severity === "warning").map(({ message }) => message);

  test(
    "to the account that the engine has: nothing is different",
    async () => {
      const same = variablesOf(first!);
      await stack.use(program(same, 1, false));
      await stack.ws.up({ args: ["--skip-preview"] });
      asked();
      await stack.use(program(same, 2, true));
      const { document } = await stack.ws.previewJson();
      expect(warnings(document)).toEqual([expect.stringContaining("It is active")]);
      expect(asked()).toEqual([2, 0]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "to another account than the engine has: look-ups are refused, and warnings tell nothing of the moment",
    async () => {
      await stack.use(program(variablesOf(second!), 2, false));
      const { document } = await stack.ws.previewJson();
      expect(warnings(document)).toEqual([expect.not.stringContaining("It is")]);
      await stack.use(program(variablesOf(second!), 2, true));
      const { stdout } = await stack.ws.preview({ fails: true });
      expect(stdout).toContain(
        "error: COMPUTE_API_KEY and COMPUTE_API_URL were changed by the program itself; Pulumi's engine, which changes the computes, has other values.",
      );
      expect(asked()).toEqual([0, 0]);
    },
    ENGINE_TEST_MS,
  );

  test(
    "where the engine has none: look-ups say what to export",
    async () => {
      const { stdout } = await stack.ws.preview({ env: none, fails: true });
      expect(stdout).toMatch(
        /error: COMPUTE_API_KEY and .* set by the program itself; .* does not have them\..* Export them/,
      );
      expect(stdout).not.toMatch(/\n\s+at /);
      expect(asked()).toEqual([0, 0]);
    },
    ENGINE_TEST_MS,
  );
});
