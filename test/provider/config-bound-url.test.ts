/** A key of the stack's config goes to a foreign host only where one value, which nobody can take apart, holds both. */
import { describe, expect, test } from "vitest";
import { readConfig } from "../../provider/config.js";
import { INSTANCE } from "../../provider/rules/config-names.js";

type Values = Record<string, string>;
const FOREIGN = "https://keys.example.com/api/v2";
const KEY = "napi_secret_key_1";
const BOUND = `${FOREIGN}#${KEY}`;
const ENV = { COMPUTE_API_KEY: "key-env", COMPUTE_API_URL: "https://env.example.com/v2" };

const read = (stack: Values, env: Values = {}) => readConfig({ get: (name) => stack[name] }, env);
const instance = (apiKey: string, more: Values = {}): Values => ({
  [INSTANCE.name]: "eu",
  [INSTANCE.apiKey]: apiKey,
  ...more,
});

describe("a key with its URL in one value", () => {
  test.each<[string, Values, Values]>([
    ["of the stack's config", { "compute:apiKey": BOUND }, {}],
    [
      "of the stack's config, with the same URL beside it",
      { "compute:apiKey": BOUND, "compute:apiUrl": `${FOREIGN}/` },
      {},
    ],
    ["with white space around", { "compute:apiKey": ` ${BOUND}\n` }, {}],
  ])("%s is used there", (_, stack, env) => {
    const { account, problems } = read(stack, env);
    expect(account).toMatchObject({ apiKey: KEY, apiUrl: FOREIGN });
    expect(problems).toEqual([]);
  });

  test("may hold further # signs in the key", () => {
    expect(read({ "compute:apiKey": `${FOREIGN}#a#b` }).account).toMatchObject({ apiKey: "a#b", apiUrl: FOREIGN });
  });

  test.each<[string, Values, RegExp]>([
    [
      "beside another URL",
      { "compute:apiKey": BOUND, "compute:apiUrl": "https://evil.example.net/v2" },
      /contains a URL, and a different URL is set as well/,
    ],
    ["without the key", { "compute:apiKey": FOREIGN }, /is not a key, and not a URL that ends with #KEY/],
    ["with an empty key", { "compute:apiKey": `${FOREIGN}#` }, /is not a key, and not a URL that ends with #KEY/],
    [
      "with a URL that lets the key travel in clear",
      { "compute:apiKey": `http://keys.example.com/v2#${KEY}` },
      /must begin with https/,
    ],
    ["in quotes that a shell has kept", { "compute:apiKey": `'${BOUND}'` }, /is not a key/],
    ["without its scheme", { "compute:apiKey": BOUND.slice("https://".length) }, /is not a key/],
    ["as a list of one, in JSON", { "compute:apiKey": JSON.stringify([BOUND]) }, /is not a key/],
    ["of a Provider, whose URL stands in the program", instance(BOUND), /is not a key: give it the key alone/],
  ])("%s is an error that does not show it", (_, stack, problem) => {
    const { account } = read(stack);
    expect(account).toBeInstanceOf(Error);
    expect((account as Error).message).toMatch(problem);
    expect((account as Error).message).not.toContain(KEY);
  });
});

describe("a URL or a key of the stack's config alone", () => {
  const COMMAND = "`pulumi config set --secret compute:apiKey 'https://…/api/v2#KEY'`";
  const textOf = (stack: Values, env?: Values) => (read(stack, env).account as Error).message;

  test("the way on for a foreign URL is one that is not refused", () => {
    expect(textOf({ "compute:apiUrl": FOREIGN })).toContain(`Put key and URL into one secret (${COMMAND}) and remove`);
    expect(textOf({ "compute:apiUrl": "http://127.0.0.1:1/v2" })).toContain(
      "Set compute:apiKey (stack config) as well",
    );
  });

  test("so is the way on for a key beside a foreign URL of a lower layer", () => {
    const text = textOf({ "compute:apiKey": KEY }, { NEON_API_HOST: FOREIGN });
    expect(text).toContain(`for another host put both into one secret: ${COMMAND}`);
  });
});

test("of the environment it is an error that does not show it", () => {
  const { account } = read({}, { COMPUTE_API_KEY: BOUND });
  expect((account as Error).message).toMatch(/^COMPUTE_API_KEY \(environment\) is not a key/);
  expect((account as Error).message).not.toContain(KEY);
});

describe("a key of the stack's config beside the URL of another host", () => {
  test.each([FOREIGN, "https://console.neon.tech.example.com/api/v2", "https://console.neon.tech:8443/api/v2"])(
    "%s is refused, and fails a check",
    (url) => {
      const { account, problems } = read({ "compute:apiKey": KEY, "compute:apiUrl": url });
      expect((account as Error).message).toMatch(
        /^compute:apiUrl in the stack's config is not used beside compute:apiKey/,
      );
      expect(problems).toEqual([{ name: "compute:apiUrl", reason: (account as Error).message }]);
    },
  );

  test("does not matter where the environment has the account", () => {
    const { account, problems } = read({ "compute:apiKey": KEY, "compute:apiUrl": FOREIGN }, ENV);
    expect([account, problems]).toEqual([expect.objectContaining({ apiKey: "key-env" }), []]);
  });
});

describe("an instance's account at another host", () => {
  const own = instance(KEY, { [INSTANCE.apiUrl]: FOREIGN });
  test("is used where the program made the instance", () => {
    expect(read({ ...own, [INSTANCE.byProgram]: "true" }).account).toMatchObject({ apiKey: KEY, apiUrl: FOREIGN });
  });

  test("is refused where nothing says so, as for names that somebody added to the stack's file", () => {
    const { account, problems } = read(own);
    expect((account as Error).message).toMatch(/no Provider of the program has given/);
    expect(problems).toEqual([{ name: "provider", reason: (account as Error).message }]);
  });
});
