/**
 * Policies for Pulumi policy packs: they warn about changes that restart a compute, stop it or give it a new host, or
 * block them, for organizations that decide this for all programs.
 *
 * Nothing of `@pulumi/policy` is loaded, so it does not matter which copy of it the pack has.
 *
 * @packageDocumentation
 */
import type { PolicyConfigSchema, ResourceValidationArgs, ResourceValidationPolicy } from "@pulumi/policy";
import { type ImpactNotice, NOTICE, readNotice, withoutFirstWord } from "../provider/rules/notice.js";
import { isEndpointType } from "../provider/rules/urn.js";
import { covers, DESCRIPTIONS, NO_SCOPE, type Scope } from "./scope.js";

export type { Scope } from "./scope.js";

/** The effect of a policy: a warning, a failure of the preview and the update, or nothing. */
export type Level = "advisory" | "mandatory" | "disabled";

/** The arguments of {@link computePolicies}. The scope and the levels can be set in the pack's config, which wins. */
export interface ComputePoliciesArgs extends Scope {
  /** Changes that may restart a compute, also where a preview can't know whether they do. @default "advisory" */
  mayRestart?: Level;
  /** Changes that restart a compute if it is active. @default "advisory" */
  restart?: Level;
  /** Changes that stop a compute. @default "advisory" */
  stop?: Level;
  /** Changes that give a compute a new host. @default "advisory" */
  newHost?: Level;
  /** The prefix of the policies' names. A second set in the same pack needs another one. @default "compute" */
  name?: string;
}

interface Kind {
  arg: "mayRestart" | "restart" | "stop" | "newHost";
  /** The impact that the policy reports; also the end of its name. */
  impact: ImpactNotice["impact"];
  description: string;
}

const KINDS: Kind[] = [
  {
    arg: "mayRestart",
    impact: "may-restart",
    description: "A change must not put open connections of a compute in danger, not even perhaps.",
  },
  { arg: "restart", impact: "restart", description: "A change must not restart a compute." },
  { arg: "stop", impact: "stop", description: "A change must not stop a compute." },
  { arg: "newHost", impact: "new-host", description: "A change must not give a compute a new host." },
];

/**
 * Four policies, one for each kind of harm: `compute-may-restart`, `compute-restart`, `compute-stop` and
 * `compute-new-host`. Each change is reported by one policy, that of its worst impact.
 *
 * A whole pack that blocks restarts, stops and new hosts in production, and warns everywhere else:
 *
 * ```ts
 * import { PolicyPack } from "@pulumi/policy";
 * import { computePolicies } from "pulumi-compute-endpoint/policy";
 *
 * new PolicyPack("computes", {
 *   policies: [
 *     ...computePolicies({
 *       name: "production",
 *       restart: "mandatory",
 *       stop: "mandatory",
 *       newHost: "mandatory",
 *       stacks: ["shop/prod"],
 *     }),
 *     ...computePolicies({ exceptStacks: ["shop/prod"] }),
 *   ],
 * });
 * ```
 *
 * They read what the provider's check adds to the inputs. So they see no deletion, no replacement that only `--target-replace`,
 * `--replace` or a taint asks for, and no approval: `compute:approve` is about `onRestart: "refuse"`.
 */
export function computePolicies(args: ComputePoliciesArgs = {}): ResourceValidationPolicy[] {
  const { name = "compute" } = args;
  return KINDS.map(({ arg, impact, description }) => ({
    name: `${name}-${impact}`,
    description,
    enforcementLevel: args[arg] ?? "advisory",
    configSchema: { properties: schemaOf(args) },
    validateResource: (resource, report) => {
      if (!isEndpointType(resource.type) || !covers(resource.getConfig<Scope>(), resource.urn)) return;
      const inputs = checkedInputs(resource);
      if (inputs === undefined) return;
      // A notice that can't be read may say anything: it is taken for the worst.
      const notice = readNotice(inputs);
      const text = notice === undefined ? UNREAD : withoutFirstWord(inputs["restart"]) || description;
      if ((notice?.impact ?? "new-host") === impact) report(messageOf(text, resource, `${name}-${impact}`));
    },
  }));
}

const UNREAD =
  "the notice of this change can't be read: another version of pulumi-compute-endpoint may have written it";

/** The arguments are the defaults of the pack's config. */
const schemaOf = (args: Scope): PolicyConfigSchema["properties"] =>
  Object.fromEntries(
    (Object.keys(NO_SCOPE) as (keyof Scope)[]).map((key) => [
      key,
      { type: "array", items: { type: "string" }, description: DESCRIPTIONS[key], default: args[key] ?? NO_SCOPE[key] },
    ]),
  );

/** The inputs that check adds. Undefined for resources that were not checked, such as reads. */
function checkedInputs({ props }: ResourceValidationArgs): Record<string, unknown> | undefined {
  const found = [NOTICE, "restart"].filter((name) => name in props);
  return found.length === 0 ? undefined : Object.fromEntries(found.map((name) => [name, props[name]]));
}

const messageOf = (text: string, { name }: ResourceValidationArgs, policy: string): string =>
  `${text}. To let it pass, name this stack in exceptStacks, or "${name}" in exceptResources, in the configuration of ${policy}.`;
