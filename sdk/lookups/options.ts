// The types of look-ups that programs name. They import nothing of the provider's, so a program's compiler reads none of its types.

import type * as pulumi from "@pulumi/pulumi";
import type { Provider } from "../provider.js";

/** Options of a look-up. */
export interface LookupOptions {
  /**
   * The account to ask with.
   * @default that of `parent`, else what an `Endpoint` without a provider gets: the environment, then the stack's config.
   * An inline program of the Automation API does not see the environment of its engine: the stack's config has the key, or the
   * look-up is refused
   */
  provider?: Provider;
  /** In a component, usually `this`: the look-up uses the account of the component's children. */
  parent?: pulumi.Resource;
  /**
   * Seconds for each request and its retries.
   * @default 120
   */
  timeoutSeconds?: number;
}

/** Options of a look-up that takes and returns outputs. */
export interface LookupOutputOptions extends LookupOptions {
  /** Resources to wait for, beside those that the arguments come from. */
  dependsOn?: pulumi.Input<pulumi.Input<pulumi.Resource>[]> | pulumi.Input<pulumi.Resource>;
}

/** The arguments of a look-up, each of which may be an output. */
export type LookupInputs<T> = { [K in keyof T]: pulumi.Input<T[K]> };
