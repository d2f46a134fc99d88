// Two hints that the class hands to the provider's check, which can see neither by itself.

import * as pulumi from "@pulumi/pulumi";
import { ENDPOINT_TYPE } from "./literal.js";

/** The resource's URN: check names a compute by it, finds approvals by it, and tells the two checks of one replacement. */
export function urnOf(name: string, parent: pulumi.Resource | undefined): pulumi.Input<string> {
  // A plain text costs Pulumi less than an Output.
  if (!parent) return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${ENDPOINT_TYPE}::${name}`;
  const urn = pulumi.createUrn(name, ENDPOINT_TYPE, parent);
  // The URN of a parent component would make the compute depend on the component, and so on itself.
  return pulumi.output(new Promise<string>((resolve) => urn.apply(resolve)));
}

/**
 * The names of the arguments that are secret, or nothing where none is. The provider gets secrets unwrapped: without
 * this it would repeat their values in the restart notice.
 */
export function secretsOf(args: object): pulumi.Output<string[] | undefined> | undefined {
  const names = Object.entries(args).flatMap(([name, value]) => (mayHide(value) ? [name] : []));
  if (names.length === 0) return undefined;
  const values = args as Record<string, unknown>;
  const flags = names.map((name) => pulumi.isSecret(pulumi.output(values[name])));
  return pulumi.all(flags).apply((secret) => {
    const hidden = names.filter((_, index) => secret[index]);
    return hidden.length > 0 ? hidden : undefined;
  });
}

/** The names as an input: the provider shows none of these values in its texts. */
export function secretHint(args: object | undefined): { __secret?: pulumi.Output<string[] | undefined> } {
  const secret = secretsOf(args ?? {});
  return secret ? { __secret: secret } : {};
}

/** Whether an Output or a promise stands anywhere in the value. */
function mayHide(value: unknown): boolean {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) return true;
  return value !== null && typeof value === "object" && Object.values(value).some(mayHide);
}
