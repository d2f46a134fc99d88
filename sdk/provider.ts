import * as pulumi from "@pulumi/pulumi";
import { INSTANCE } from "../provider/rules/config-names.js";
import { isForeign } from "../provider/rules/service-url.js";
import { refuseForeignHosts } from "./config-guard.js";
import { failure } from "./failure.js";
import { refuseTwoCopies } from "./installation.js";
import { isConfigSecret } from "./pulumi-run.js";

/** The account of a `Provider`. */
export interface ProviderArgs {
  /**
   * The API key of the account: personal, of an organization, or of one project. It is a secret whether the program says
   * so or not: encrypted in the state, hidden in everything printed.
   */
  apiKey: pulumi.Input<string>;
  /**
   * The base URL of the service, ending in its version: `https://console.example.com/api/v2`. `http:` is accepted for this
   * machine only. Where it is left out, no other layer (environment, stack config) may name a URL either.
   * @default the public service, https://console.neon.tech/api/v2
   */
  apiUrl?: pulumi.Input<string>;
}

/** The settings of an instance, for look-ups. A global symbol, so that two copies of the package find the same settings. */
const SETTINGS = Symbol.for("pulumi-compute-endpoint:provider-settings");

/** @internal */
export type InstanceConfig = Record<string, pulumi.Input<string>>;

/**
 * Another account, for several accounts or services in one stack.
 *
 * ```ts
 * const eu = new Provider("eu", { apiKey: config.requireSecret("euKey") });
 * const primary = new Endpoint("primary", { projectId, branchId }, { provider: eu });
 * ```
 *
 * It has priority over the environment and the stack's config: resources of an instance never use another key. The stack's other
 * settings (`compute:onRestart`, `compute:sizes`, …) hold for it as for everything else. Each instance runs in a provider process
 * of its own. Moving a compute to an instance, or back, changes nothing about the compute, and a new key is an update of the
 * instance alone.
 *
 * In a component, `providers: [eu]` gives it to everything inside, also to dynamic resources that are not ours.
 */
export class Provider extends pulumi.ProviderResource {
  /**
   * @param name the instance's name; it stands in every message about its key or URL
   * @throws RunError when `apiKey` is known to be missing or empty, as an unset variable of the environment is, and when
   *   the stack's config has a name that only an instance may set
   */
  constructor(name: string, args: ProviderArgs, opts?: pulumi.ResourceOptions) {
    refuseTwoCopies();
    refuseForeignHosts();
    const config = instanceConfig(name, args);
    // Pulumi calls it so: all dynamic resources share one package.
    super("pulumi-nodejs", name, config, opts);
    Object.defineProperty(this, SETTINGS, { value: config });
  }
}

/**
 * What the instance's process gets for its config, as inputs of Pulumi's provider resource.
 * @internal
 */
export function configOfInstance(provider: pulumi.ProviderResource): InstanceConfig {
  const config = (provider as { [SETTINGS]?: InstanceConfig })[SETTINGS];
  if (config) return config;
  throw failure("the option `provider` takes an instance of the class Provider of pulumi-compute-endpoint");
}

function instanceConfig(name: string, args: ProviderArgs): InstanceConfig {
  const { apiKey, apiUrl } = args ?? {};
  if (apiKey === undefined || apiKey === null || apiKey === "") {
    throw failure(
      `Provider "${name}": apiKey is ${apiKey === "" ? "empty" : "missing"}. Give it the key of the account, for example config.requireSecret("…"); a variable of the environment that is not set is undefined`,
    );
  }
  return {
    ...stackConfig(apiUrl === undefined),
    [INSTANCE.name]: name,
    [INSTANCE.apiKey]: pulumi.secret(apiKey),
    ...(apiUrl === undefined ? {} : { [INSTANCE.apiUrl]: apiUrl, ...byProgram(apiUrl) }),
  };
}

/** Says that the program set a URL of another host. Other URLs get no flag: a flag would show as a change of the `Provider`. */
function byProgram(apiUrl: pulumi.Input<string>): InstanceConfig {
  const flagFor = (url: string) => (isForeign(url) ? "true" : undefined);
  if (typeof apiUrl !== "string")
    return { [INSTANCE.byProgram]: pulumi.output(apiUrl).apply(flagFor) as pulumi.Output<string> };
  const flag = flagFor(apiUrl);
  return flag === undefined ? {} : { [INSTANCE.byProgram]: flag };
}

/**
 * `compute:…` of the stack's config, which Pulumi gives to default providers only: a stack that refuses restarts must
 * do so for an instance's computes as well. An instance without a URL gets the stack's too, so that the provider
 * refuses the pair.
 */
function stackConfig(withUrl: boolean): InstanceConfig {
  const ours = Object.entries(pulumi.runtime.allConfig()).filter(
    ([name]) => name.startsWith("compute:") && name !== "compute:apiKey" && (withUrl || name !== "compute:apiUrl"),
  );
  return Object.fromEntries(ours.map(([name, value]) => [name, isConfigSecret(name) ? pulumi.secret(value) : value]));
}
