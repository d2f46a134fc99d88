// Hints that the class hands to the provider's check, which can see none of them by itself.

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

type MayReplace = true | "rules";

/**
 * Whether a change may become a replacement by the option `replaceOnChanges`: `true` where the constructor got it, "rules"
 * where rules of the program may add it later. Those see the resource after the constructor.
 */
export function mayReplaceOf(
  opts: pulumi.CustomResourceOptions,
): MayReplace | pulumi.Output<MayReplace | undefined> | undefined {
  if (opts.replaceOnChanges?.length) return true;
  if (opts.transforms?.length || opts.transformations?.length || transformationsAbove(opts) || hasCallbacks())
    return "rules";
  const { parent } = opts;
  if (!parent) return undefined;
  // A component registers its transforms before it has its URN. A plain promise makes no dependency on the component.
  return pulumi.output(
    new Promise<MayReplace | undefined>((resolve) =>
      parent.urn.apply(() => resolve(hasCallbacks() ? "rules" : undefined)),
    ),
  );
}

interface Internals {
  getStackResource?: () => { __transformations?: unknown[] } | undefined;
  getStore?: () => { callbacks?: { _callbacks?: { size?: number } } };
}

/** What Pulumi says to nobody. Nothing is found where another version keeps it elsewhere. */
function internals(): Internals {
  try {
    return require("@pulumi/pulumi/runtime/state") as Internals;
  } catch {
    return {};
  }
}

/** Transformations of the parents and of the stack, which each resource inherits. */
function transformationsAbove({ parent }: pulumi.CustomResourceOptions): boolean {
  const above = (parent ?? internals().getStackResource?.()) as { __transformations?: unknown[] } | undefined;
  return (above?.__transformations?.length ?? 0) > 0;
}

/** Whether the program has given the engine more functions to call than our hook: transforms, or other hooks. */
const hasCallbacks = (): boolean => (internals().getStore?.().callbacks?._callbacks?.size ?? 0) > OURS;
const OURS = 1;
