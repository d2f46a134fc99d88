/** What the policies say of what they are shown; that this is what the engine shows them, test/engine has. */
import type { ResourceValidationArgs, ResourceValidationPolicy } from "@pulumi/policy";
import { describe, expect, test } from "vitest";
import { type ComputePoliciesArgs, computePolicies, type Scope } from "../../policy/index.js";
import { type Fate, impactOf, restartText } from "../../provider/rules/impact.js";
import { type DesiredSettings, UNKNOWN } from "../../provider/rules/settings.js";
import { NATIVE_TYPE } from "../../provider/rules/urn.js";
import { ENDPOINT_TYPE } from "../../sdk/literal.js";

const urnOf = (stack: string, name: string, type = ENDPOINT_TYPE) => `urn:pulumi:${stack}::shop::${type}::${name}`;

/** The names of the policies that speak, with what the pack's config says as the engine fills it in. */
function spoken(props: Record<string, unknown>, args: ComputePoliciesArgs & { type?: string; urn?: string } = {}) {
  const { type = ENDPOINT_TYPE, urn = urnOf("prod", "primary"), ...rest } = args;
  return computePolicies(rest).flatMap((policy) => {
    const said: string[] = [];
    const resource = { type, urn, name: urn.split("::").at(-1), props, getConfig: () => defaultsOf(policy) };
    const { validateResource } = policy as { validateResource: (...args: unknown[]) => void };
    validateResource(resource as unknown as ResourceValidationArgs, (message: string) => said.push(message));
    return said.map(() => policy.name);
  });
}

const defaultsOf = ({ configSchema }: ResourceValidationPolicy): Scope =>
  Object.fromEntries(Object.entries(configSchema!.properties).map(([key, schema]) => [key, schema.default])) as Scope;

const marker = (old: DesiredSettings, desired: DesiredSettings, fate?: Fate) => ({
  restart: restartText(impactOf(old, desired), fate),
});
const RESTART = marker({ autoscalingLimitMaxCu: 1 }, { autoscalingLimitMaxCu: 2 });

describe("the notice", () => {
  test.each<[what: string, props: Record<string, unknown>, policies: string[]]>([
    ["of a size", RESTART, ["compute-restart"]],
    ["of a branch", marker({ branchId: "a" }, { branchId: "b" }), ["compute-restart"]],
    ["of triggers", marker({ restartTriggers: [1] }, { restartTriggers: [2] }), ["compute-restart"]],
    ["of a stop", marker({}, { disabled: true }), ["compute-stop"]],
    [
      "of a stop beside a size",
      marker({ autoscalingLimitMaxCu: 1 }, { autoscalingLimitMaxCu: 2, disabled: true }),
      ["compute-stop"],
    ],
    ["of another project", marker({ projectId: "a" }, { projectId: "b" }), ["compute-new-host"]],
    [
      "of another project that deletes",
      marker({ projectId: "a" }, { projectId: "b" }, "deleted"),
      ["compute-new-host"],
    ],
    [
      "of another project that releases",
      marker({ projectId: "a" }, { projectId: "b" }, "released"),
      ["compute-new-host"],
    ],
    [
      "of another project beside all else",
      marker({ projectId: "a", branchId: "a" }, { projectId: "b", branchId: "b", disabled: true }),
      ["compute-new-host"],
    ],
    ["of Postgres settings", marker({}, { pgSettings: { work_mem: "64MB" } }), ["compute-may-restart"]],
    ["of a value that is not known", marker({ disabled: false }, { disabled: UNKNOWN }), ["compute-may-restart"]],
    [
      "of an adoption",
      { restart: "maybe: adopts ep-a and sets size 1; where it has other values it may restart" },
      ["compute-may-restart"],
    ],
    ["of another version, in other words", { restart: "yes: something new" }, ["compute-restart"]],
    ["that is no", { restart: "no" }, []],
    ["that is not there", {}, []],
    ["that can't be read is taken for the worst", { restart: 7 }, ["compute-new-host"]],
    ["that only looks like one", { restart: "yesterday: a" }, ["compute-new-host"]],
  ])("%s: %j falls to %j", (_what, props, policies) => {
    expect(spoken(props)).toEqual(policies);
  });

  test("is heard of the plugin's resource as well, and of no other", () => {
    expect(spoken(RESTART, { type: NATIVE_TYPE, urn: urnOf("prod", "primary", NATIVE_TYPE) })).toEqual([
      "compute-restart",
    ]);
    expect(spoken(RESTART, { type: "compute:index:Other" })).toEqual([]);
  });

  test("of another type of resource is not ours", () => {
    const type = "pulumi-nodejs:dynamic:Resource";
    expect(spoken(RESTART, { type, urn: urnOf("prod", "primary", type) })).toEqual([]);
  });

  test("of a resource whose inputs can't be asked for what they lack is not asked for", () => {
    const strict = new Proxy({} as Record<string, unknown>, {
      get: (_, key) => {
        throw new Error(`asked for ${String(key)}`);
      },
    });
    expect(spoken(strict)).toEqual([]);
  });
});

describe("the scope", () => {
  test.each<[args: ComputePoliciesArgs, isCovered: boolean]>([
    [{}, true],
    [{ stacks: ["shop/prod"] }, true],
    [{ stacks: ["*/prod"] }, true],
    [{ stacks: ["shop/*"] }, true],
    [{ stacks: ["s*p/p*d"] }, true],
    [{ stacks: ["*"] }, true],
    [{ stacks: ["shop/dev"] }, false],
    [{ stacks: ["shop/pro"] }, false],
    [{ stacks: ["shop/prod*prod"] }, false],
    [{ stacks: ["shop/pr.d"] }, false],
    [{ stacks: ["SHOP/prod"] }, false],
    [{ stacks: [] }, false],
    [{ stacks: ["shop/dev", "shop/prod"] }, true],
    [{ exceptStacks: ["shop/prod"] }, false],
    [{ exceptStacks: ["shop/dev"] }, true],
    [{ resources: ["primary"] }, true],
    [{ resources: ["prim*"] }, true],
    [{ resources: ["replica"] }, false],
    [{ resources: [urnOf("prod", "primary")] }, true],
    [{ resources: ["urn:*::primary"] }, true],
    [{ resources: ["urn:*::replica"] }, false],
    [{ exceptResources: ["primary"] }, false],
    [{ exceptResources: ["urn:pulumi:prod::shop::*"] }, false],
    [{ exceptResources: ["shop/prod"] }, true],
    [{ stacks: ["*/prod"], exceptResources: ["*"] }, false],
  ])("%j: %s", (args, isCovered) => {
    expect(spoken(RESTART, args).length > 0).toBe(isCovered);
  });

  test.each<Scope>([{ stacks: ["prod"] }, { exceptStacks: ["shop/dev", "prod"] }])(
    "that names a stack without its project matches no stack, and says how to write it: %j",
    (scope) => {
      expect(() => spoken(RESTART, scope)).toThrow(
        /the stack "prod" .* matches no stack: write PROJECT\/STACK, or \*\/prod/,
      );
    },
  );

  test("of a name that says urn: by itself is its URN's, not its name's", () => {
    const urn = urnOf("prod", "urn:mine");
    expect(spoken(RESTART, { urn, exceptResources: ["urn:mine"] })).toEqual(["compute-restart"]);
  });

  test("excepts nothing whose stack can't be told", () => {
    expect(spoken(RESTART, { urn: "odd", exceptStacks: ["*"] })).toEqual(["compute-restart"]);
  });

  test("takes no longer for a pattern that means harm", () => {
    const urn = urnOf("prod", "a".repeat(5000));
    expect(spoken(RESTART, { urn, resources: [`${"*a".repeat(2000)}*b`] })).toEqual([]);
  });
});

describe("the levels", () => {
  test("are advisory unless said otherwise, each by itself", () => {
    const levels = (args: ComputePoliciesArgs) => computePolicies(args).map((one) => [one.name, one.enforcementLevel]);
    expect(levels({})).toEqual([
      ["compute-may-restart", "advisory"],
      ["compute-restart", "advisory"],
      ["compute-stop", "advisory"],
      ["compute-new-host", "advisory"],
    ]);
    expect(levels({ name: "prod", mayRestart: "disabled", restart: "mandatory", newHost: "mandatory" })).toEqual([
      ["prod-may-restart", "disabled"],
      ["prod-restart", "mandatory"],
      ["prod-stop", "advisory"],
      ["prod-new-host", "mandatory"],
    ]);
  });

  test("and the scope can be set from outside: every policy publishes the schema of its config", () => {
    for (const policy of computePolicies({ exceptStacks: ["a/b"] })) {
      expect(defaultsOf(policy)).toEqual({
        stacks: ["*"],
        exceptStacks: ["a/b"],
        resources: ["*"],
        exceptResources: [],
      });
    }
  });
});
