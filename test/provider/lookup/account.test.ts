/** One account for one compute: a look-up asks with the key that the engine's side has, or with none. */
import { describe, expect, test } from "vitest";
import { configFor, type EngineEnvironment } from "../../../provider/lookup/account.js";

type Values = Record<string, string>;

const US = { COMPUTE_API_KEY: "key-us", COMPUTE_API_URL: "https://us.test/api/v2" };
const EU = { COMPUTE_API_KEY: "key-eu", COMPUTE_API_URL: "https://eu.test/api/v2" };
const NEON = { NEON_API_KEY: "key-neon", NEON_API_HOST: "https://neon.test/api/v2" };
const STACK = { "compute:apiKey": "key-stack", "compute:apiUrl": "http://localhost:4010/api/v2" };
const SAME_AS_STACK = { COMPUTE_API_KEY: "key-stack", COMPUTE_API_URL: "http://localhost:4010/api/v2" };
const OWN = {
  "compute:instance": "own",
  "compute:instanceApiKey": "key-own",
  "compute:instanceApiUrl": "https://own.test/api/v2",
  "compute:instance:by:program": "true",
};

const keyFor = (stack: Values, env: Values, engine: EngineEnvironment): string => {
  const { account } = configFor({ get: (name) => stack[name] }, env, engine);
  return `${account.apiKey} ${new URL(account.apiUrl).hostname}`;
};
const startedWith = (variables: Values): EngineEnvironment => ({ kind: "inherited", variables });
const inline = (seen?: Values): EngineEnvironment => ({ kind: "inline", seen });

describe("the account of a look-up", () => {
  test.each<[string, Values, Values, EngineEnvironment, string]>([
    ["without an engine is the process's", {}, US, { kind: "none" }, "key-us us.test"],
    ["is the engine's, which the program inherited", {}, US, startedWith(US), "key-us us.test"],
    ["is the config's, for both", STACK, {}, startedWith({}), "key-stack localhost"],
    ["is the stronger layer's, for both", STACK, { ...US, ...NEON }, startedWith({ ...US, ...NEON }), "key-us us.test"],
    ["stays where the program sets weaker variables", STACK, NEON, startedWith({}), "key-stack localhost"],
    ["stays where the program sets the same values", {}, { ...US }, startedWith(US), "key-us us.test"],
    [
      "stays where the program names the config's account",
      STACK,
      SAME_AS_STACK,
      startedWith({}),
      "key-stack localhost",
    ],
    ["is an instance's, whatever the program set", OWN, EU, startedWith(US), "key-own own.test"],
    ["is an instance's in an inline program", { ...STACK, ...OWN }, US, inline(EU), "key-own own.test"],
    ["is the config's in an inline program", STACK, {}, inline(), "key-stack localhost"],
    ["is the config's where weaker variables are there", STACK, NEON, inline(NEON), "key-stack localhost"],
    ["is the config's where the engine has nothing stronger", STACK, {}, inline({}), "key-stack localhost"],
    ["is the config's where all name the same", STACK, SAME_AS_STACK, inline(SAME_AS_STACK), "key-stack localhost"],
  ])("%s", (_rule, stack, env, engine, account) => {
    expect(keyFor(stack, env, engine)).toBe(account);
  });
});

describe("a look-up is refused", () => {
  const engineLacks = "by the program itself; Pulumi's engine, which changes the computes, ";
  test.each<[string, Values, Values, EngineEnvironment, string]>([
    ["where nobody has a key", {}, {}, startedWith({}), "no API key: set COMPUTE_API_KEY in the environment"],
    [
      "where the program set key and URL",
      {},
      US,
      startedWith({}),
      `COMPUTE_API_KEY and COMPUTE_API_URL were set ${engineLacks}does not have them. Nothing was asked, since it would be another account. Export them before \`pulumi up\``,
    ],
    [
      "where the program set a key alone",
      {},
      { COMPUTE_API_KEY: "k" },
      startedWith({}),
      `COMPUTE_API_KEY was set ${engineLacks}does not have it.`,
    ],
    [
      "where it set the weakest layer's",
      {},
      { NEON_API_KEY: "k" },
      startedWith({}),
      `NEON_API_KEY was set ${engineLacks}does not have it.`,
    ],
    [
      "where it changed the account",
      {},
      EU,
      startedWith(US),
      `COMPUTE_API_KEY and COMPUTE_API_URL were changed ${engineLacks}has other values.`,
    ],
    [
      "where it changed the URL",
      {},
      { ...US, COMPUTE_API_URL: EU.COMPUTE_API_URL },
      startedWith(US),
      `COMPUTE_API_URL was changed ${engineLacks}has another value.`,
    ],
    [
      "where it removed the account",
      STACK,
      {},
      startedWith(US),
      `were removed ${engineLacks}still has them. Nothing was asked, since it would be another account. Leave them in the environment`,
    ],
    ["in an inline program without a key", {}, {}, inline(), "can't see the envVars of its workspace"],
    [
      "in an inline program whose process has a key",
      {},
      US,
      inline(),
      "compute:apiKey, as 'https://…/api/v2#KEY' for another service",
    ],
    [
      "in an inline program whose engine has the same key",
      {},
      US,
      inline(US),
      "can't see the envVars of its workspace",
    ],
    ["in an inline program with the weakest layer", {}, NEON, inline(), "can't see the envVars of its workspace"],
    [
      "in an inline program whose process has another account than the config",
      STACK,
      US,
      inline(),
      "compute:apiKey (stack config) names one account, and COMPUTE_API_KEY and COMPUTE_API_URL (environment) another",
    ],
    [
      "in an inline program whose engine was seen to have another",
      STACK,
      {},
      inline(EU),
      "names one account, and COMPUTE_API_KEY and",
    ],
    [
      "in an inline program whose engine has a URL alone",
      STACK,
      {},
      inline({ COMPUTE_API_URL: "https://eu.test/v2" }),
      "and COMPUTE_API_URL (environment) another",
    ],
    [
      "where an inline program's config can't be used",
      { ...STACK, "compute:apiUrl": "ftp://x" },
      {},
      inline(),
      "compute:apiUrl (stack config): the URL must begin with https://",
    ],
    [
      "for an instance with an empty key",
      { ...OWN, "compute:instanceApiKey": "" },
      US,
      inline(),
      'apiKey of the Provider "own" is empty',
    ],
  ])("%s", (_rule, stack, env, engine, words) => {
    const ask = () => keyFor(stack, env, engine);
    expect(ask).toThrow(words);
    expect(ask).toThrow(
      expect.objectContaining({ kind: "config", message: expect.not.stringMatching(/key-(us|eu|stack|neon)/) }),
    );
  });
});
