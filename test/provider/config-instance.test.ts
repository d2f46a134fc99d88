/** The account of a `Provider` instance is the strongest layer, and never falls back to a weaker one. */
import { describe, expect, test } from "vitest";
import { readConfig } from "../../provider/config.js";
import { ConfigError } from "../../provider/errors.js";
import { INSTANCE } from "../../provider/rules/config-names.js";
import { DEFAULT_API_URL } from "../../provider/rules/service-url.js";

type Values = Record<string, string>;

const accountOf = (stack: Values, env: Values = {}) => readConfig({ get: (name) => stack[name] }, env).account;
/** The message of an account that can't be used. */
function problem(stack: Values, env?: Values): string {
  const account = accountOf(stack, env);
  if (!(account instanceof ConfigError)) throw new Error(`a usable account, from ${account.keySource}`);
  return account.message;
}

const own = (apiKey?: string, apiUrl?: string): Values => ({
  [INSTANCE.name]: "eu",
  ...(apiKey === undefined ? {} : { [INSTANCE.apiKey]: apiKey }),
  ...(apiUrl === undefined ? {} : { [INSTANCE.apiUrl]: apiUrl, [INSTANCE.byProgram]: "true" }),
});
const OWN_URL = "https://own.test/v2";
const ENV = { COMPUTE_API_KEY: "key-env", COMPUTE_API_URL: "https://env.test/v2" };
const STACK = { "compute:apiKey": "key-stack", "compute:apiUrl": "http://127.0.0.1:4010/v2" };
const NEON = { NEON_API_KEY: "key-neon", NEON_API_HOST: "https://neon.test/v2" };

describe("an instance's account", () => {
  test("wins over all layers, and is named as the key's source", () => {
    expect(accountOf({ ...STACK, ...own("key-own", OWN_URL) }, { ...ENV, ...NEON })).toMatchObject({
      apiKey: "key-own",
      apiUrl: OWN_URL,
      keySource: 'apiKey of the Provider "eu"',
      urlSource: 'apiUrl of the Provider "eu"',
    });
  });

  test("without a URL is of the public service", () => {
    expect(accountOf(own("key-own"))).toMatchObject({ apiKey: "key-own", apiUrl: DEFAULT_API_URL });
  });

  test.each<[string, Values, Values, string]>([
    ["in the environment", {}, ENV, "COMPUTE_API_URL (environment)"],
    ["in the stack, which the class hands on", { "compute:apiUrl": OWN_URL }, {}, "compute:apiUrl (stack config)"],
    ["of the vendor's tools", {}, { NEON_API_HOST: OWN_URL }, "NEON_API_HOST (environment)"],
  ])("without a URL, beside one %s, names both and the public service's", (_, stack, env, lower) => {
    const message = problem({ ...stack, ...own("key-own") }, env);
    for (const part of [
      'apiKey of the Provider "eu" is set without a URL',
      `while ${lower} names one`,
      DEFAULT_API_URL,
    ])
      expect(message).toContain(part);
  });

  test.each([own(""), own("  "), own(undefined, OWN_URL), own()])("that is %j uses nobody else's key", (stack) => {
    expect(problem({ ...STACK, ...stack }, { ...ENV, ...NEON })).toBe(
      'apiKey of the Provider "eu" is empty: give it the key of its account',
    );
  });

  test("with a URL that would let the key travel in clear is an error that names the instance", () => {
    expect(problem(own("key-own", "http://console.example.com/v2"))).toMatch(
      /^apiUrl of the Provider "eu": .*must begin with https:\/\//,
    );
    expect(accountOf(own("key-own", "http://127.0.0.1:4010/v2"))).toMatchObject({ apiKey: "key-own" });
  });
});

describe("for a key that may be an old one, a hint says what to do when it is refused", () => {
  test.each<[string, Values, Values, RegExp | undefined]>([
    ["an instance", own("k"), {}, /run `pulumi up` first, or pass --run-program$/],
    ["the stack", { "compute:apiKey": "k" }, {}, /set COMPUTE_API_KEY for them, or give them --run-program$/],
    ["the stack, with a URL", STACK, {}, /set COMPUTE_API_KEY and COMPUTE_API_URL for them/],
    ["the environment, which is always the present one", {}, ENV, undefined],
  ])("%s", (_, stack, env, hint) => {
    const account = accountOf(stack, env) as { keyHint?: string };
    if (hint) expect(account.keyHint).toMatch(hint);
    else expect(account).not.toHaveProperty("keyHint");
  });
});

describe("an account that can't be used", () => {
  const problemsOf = (stack: Values) => readConfig({ get: (name) => stack[name] }, ENV).problems;

  test("fails a check where it is an instance's, before anything is sent", () => {
    const reason = problem(own("key-own"), ENV);
    expect(reason).toMatch(/unclear which service to use/);
    expect(problemsOf(own("key-own"))).toEqual([{ name: "provider", reason }]);
    expect(problemsOf(own("key-own", OWN_URL))).toEqual([]);
  });

  test("else fails only what sends a request: a preview needs no key", () => {
    expect(readConfig({ get: () => undefined }, {})).toMatchObject({ account: expect.any(ConfigError), problems: [] });
  });
});
