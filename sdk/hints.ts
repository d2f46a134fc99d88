// Builds the internal inputs through which the class passes facts to check.

import * as pulumi from "@pulumi/pulumi";
import { ENDPOINT_TYPE } from "./literal.js";
import { fromRuntimeState } from "./pulumi-run.js";

/**
 * The resource's URN. Check uses it in messages, for approvals, and to find the old inputs in the second check of a
 * replacement.
 */
export function urnOf(name: string, parent: pulumi.Resource | undefined): pulumi.Input<string> {
  // A plain text costs Pulumi less than an Output.
  if (!parent) return `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${ENDPOINT_TYPE}::${name}`;
  const urn = pulumi.createUrn(name, ENDPOINT_TYPE, parent);
  // An Output of the parent's URN would make the compute depend on the component. The component depends on its children, so the
  // compute would depend on itself.
  return pulumi.output(new Promise<string>((resolve) => urn.apply(resolve)));
}

/** The URN of the parent, for the command that takes over what an interrupted create has left. No preview prints it. */
export function parentHint(parent: pulumi.Resource | undefined): { __parent?: pulumi.Output<string> } {
  if (!parent || pulumi.runtime.isDryRun()) return {};
  // As above, a plain promise makes no dependency.
  return { __parent: pulumi.output(new Promise<string>((resolve) => parent.urn.apply(resolve))) };
}

/**
 * The names of the arguments that are secret, or nothing where none is. The provider gets secrets unwrapped: without
 * this it would repeat their values in the restart notice.
 */
export function secretsOf(args: object): pulumi.Output<string[] | undefined> | undefined {
  const names = Object.entries(args).flatMap(([name, value]) => (mayBeSecret(value) ? [name] : []));
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

/** Whether an Output or a promise stands anywhere in the value: only those can be secret. */
function mayBeSecret(value: unknown): boolean {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) return true;
  return value !== null && typeof value === "object" && Object.values(value).some(mayBeSecret);
}

type MayReplace = true | "transforms";

/**
 * Whether a change may become a replacement by the option `replaceOnChanges`: `true` if the constructor got the option,
 * "transforms" if `transforms` or `transformations` may add it later.
 */
export function mayReplaceOf(
  opts: pulumi.CustomResourceOptions,
): MayReplace | pulumi.Output<MayReplace | undefined> | undefined {
  if (opts.replaceOnChanges?.length) return true;
  if (opts.transforms?.length || opts.transformations?.length || transformationsAbove(opts) || hasCallbacks())
    return "transforms";
  const { parent } = opts;
  if (!parent) return undefined;
  // A component registers its transforms before it has its URN. A plain promise makes no dependency on the component.
  return pulumi.output(
    new Promise<MayReplace | undefined>((resolve) =>
      parent.urn.apply(() => resolve(hasCallbacks() ? "transforms" : undefined)),
    ),
  );
}

/** Transformations of the parents and of the stack, which each resource inherits. */
function transformationsAbove({ parent }: pulumi.CustomResourceOptions): boolean {
  const above = (parent ?? fromRuntimeState((state) => state.getStackResource?.(), undefined)) as
    | { __transformations?: unknown[] }
    | undefined;
  return (above?.__transformations?.length ?? 0) > 0;
}

/** Whether the program registered other callbacks than our hook: transforms or hooks. */
const hasCallbacks = (): boolean =>
  fromRuntimeState((state) => state.getStore?.().callbacks?._callbacks?.size ?? 0, 0) > OUR_CALLBACKS;
/** The hook. */
const OUR_CALLBACKS = 1;
