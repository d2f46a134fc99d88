import * as pulumi from "@pulumi/pulumi";
import { type Capacity, capacityOf } from "../provider/rules/capacity.js";
import type { EndpointType } from "../provider/rules/settings.js";
import { refuseForeignHosts } from "./config-guard.js";
import { warnOfConfig } from "./config-warnings.js";
import { failure } from "./failure.js";
import { mayReplaceOf, parentHint, secretHint, urnOf } from "./hints.js";
import { hookOfRun } from "./hook.js";
import { refuseTwoCopies, refuseUnreachable } from "./installation.js";
import { ENDPOINT_TYPE, PROVIDER_TEXT } from "./literal.js";
import { NO_OUTPUTS } from "./outputs.js";
import { quietPromises } from "./quiet-promises.js";
import { previewHint } from "./soft-preview.js";
import { keepOutputs } from "./unchanged-outputs.js";

/** Libraries that Postgres loads when it starts. */
export interface PreloadLibrariesArgs {
  /** Whether the service's default libraries are loaded. */
  useDefaults?: pulumi.Input<boolean>;
  /** Names of further libraries; their order does not matter. */
  enabledLibraries?: pulumi.Input<pulumi.Input<string>[]>;
}

/** Settings of Postgres itself. What is not named here stays as it is on the service. */
export interface EndpointSettingsArgs {
  /** Postgres parameters, all values as text: `{ work_mem: "64MB" }`. A change may restart the compute. */
  pgSettings?: pulumi.Input<Record<string, pulumi.Input<string>>>;
  /** A change is stored at once and takes effect at the compute's next start; see `restartTriggers`. */
  preloadLibraries?: pulumi.Input<PreloadLibrariesArgs>;
}

/**
 * The arguments of a compute. A property that you leave out is not managed: it is neither sent nor compared. If you remove a
 * property later, it keeps its value on the service.
 */
export interface EndpointArgs {
  /** The project. A change creates a new compute with a **new host**. */
  projectId: pulumi.Input<string>;
  /**
   * The branch the compute serves. A change is made in place (the host stays), reconfigures the compute and drops open
   * connections. The branch must not have a primary if this is one.
   */
  branchId: pulumi.Input<string>;
  /**
   * `read_write` is the branch's primary, of which there is one at most; `read_only` is a read replica. A change creates
   * a new compute with a **new host**; a replica can't become the primary of a branch that has one.
   * @default "read_write"
   */
  type?: pulumi.Input<EndpointType>;
  /** The project's region. If you set it, another region is an error; the compute never moves. */
  regionId?: pulumi.Input<string>;
  /**
   * A fixed size in compute units (1 CU is 1 vCPU and 4 GB): 0.25, 0.5, 1 to 16 in steps of 1, 18 to 56 in steps of 2;
   * above 16 the compute never suspends. The same as both limits with this value. **A change restarts the compute.**
   */
  size?: pulumi.Input<number>;
  /**
   * The lower limit of autoscaling in CU. Both limits or none; they are at most 8 CU apart and at most 16.
   * **A change restarts the compute**; scaling between the limits does not.
   */
  autoscalingLimitMinCu?: pulumi.Input<number>;
  /** The upper limit of autoscaling in CU. **A change restarts the compute.** */
  autoscalingLimitMaxCu?: pulumi.Input<number>;
  /**
   * Seconds without activity after which the compute suspends: -1 never, 0 the service's default (5 minutes), or 60 to
   * 604800.
   */
  suspendTimeoutSeconds?: pulumi.Input<number>;
  /**
   * A label, 1 to 64 characters.
   * @default for a compute that this resource creates, the resource's name and 8 hex digits
   */
  name?: pulumi.Input<string>;
  /** `true` **stops the compute** and refuses connections. */
  disabled?: pulumi.Input<boolean>;
  /** Deprecated by the public service, where the pooled host needs no setting. */
  poolerEnabled?: pulumi.Input<boolean>;
  settings?: pulumi.Input<EndpointSettingsArgs>;
  /**
   * Values of any kind: when they differ from those of the last `pulumi up`, **the compute restarts if it is active**. It
   * restarts once, even if another change of the same `up` restarts it too. An idle or disabled compute has nothing to restart.
   * Creating or adopting a compute is not a restart. Adding the first triggers later restarts it; removing them does not. No
   * notice shows the values.
   *
   * ```ts
   * restartTriggers: [libraries, "2026-05 maintenance"]
   * ```
   *
   * Route: `POST /projects/{project}/endpoints/{id}/restart`.
   */
  restartTriggers?: pulumi.Input<pulumi.Input<unknown>[]>;
  /**
   * Adopt an existing compute instead of creating one. It has an effect only when the resource is created. `true`: the primary of
   * the branch; if there is none, it is created. An id: that compute.
   * @default false
   */
  adopt?: pulumi.Input<boolean | string>;
  /**
   * What happens to the compute when the resource is deleted: `delete` it, or `release` it as it is.
   * @default "delete"; "release" where the compute was adopted
   */
  onDelete?: pulumi.Input<"delete" | "release">;
  /**
   * What to do about a change that restarts, stops or replaces the compute. `allow`: mark it in the diff. `warn`: also
   * warn at the resource. `refuse`: fail the preview.
   * @default the stack's config `compute:onRestart`, else "warn"
   */
  onRestart?: pulumi.Input<"allow" | "warn" | "refuse">;
  /**
   * Whether create, update and delete wait until the service is done.
   * @default true
   */
  waitForReady?: pulumi.Input<boolean>;
}

/** What `Endpoint.get` needs beside the id: every route of the service goes through the project. */
export interface EndpointLookupState {
  projectId: pulumi.Input<string>;
}

/** The settings of Postgres as they are on the service. */
export interface EndpointSettings {
  pgSettings?: Record<string, string>;
  preloadLibraries?: { useDefaults?: boolean; enabledLibraries?: string[] };
}

/**
 * A compute ("endpoint") of a serverless Postgres project: the primary of a branch, or a read replica.
 *
 * ```ts
 * const primary = new Endpoint("primary", {
 *   projectId,
 *   branchId,
 *   autoscalingLimitMinCu: 1,
 *   autoscalingLimitMaxCu: 4,
 * });
 * export const host = primary.host;
 * ```
 *
 * Routes: `POST`, `PATCH`, `DELETE` and `GET /projects/{project}/endpoints`, `GET /projects/{project}/operations`. The resource
 * option `provider` takes an instance of the class `Provider`, for another account than the stack's. The resource option
 * `customTimeouts` sets how long each step may take (10 minutes each, counted from when the step begins).
 */
export class Endpoint extends pulumi.CustomResource {
  declare readonly projectId: pulumi.Output<string>;
  declare readonly branchId: pulumi.Output<string>;
  declare readonly type: pulumi.Output<EndpointType>;
  /** Region of the project, for example `aws-us-east-2`. */
  declare readonly regionId: pulumi.Output<string>;
  /** The fixed size, where the program says `size`. */
  declare readonly size: pulumi.Output<number | undefined>;
  declare readonly autoscalingLimitMinCu: pulumi.Output<number>;
  declare readonly autoscalingLimitMaxCu: pulumi.Output<number>;
  declare readonly suspendTimeoutSeconds: pulumi.Output<number>;
  declare readonly name: pulumi.Output<string | undefined>;
  declare readonly disabled: pulumi.Output<boolean>;
  declare readonly poolerEnabled: pulumi.Output<boolean>;
  declare readonly settings: pulumi.Output<EndpointSettings>;
  /** The host to connect to. It stays the same through every update; only a replacement has a new one. */
  declare readonly host: pulumi.Output<string>;
  /** The host of the connection pooler in front of the compute: up to 10,000 client connections. */
  declare readonly poolerHost: pulumi.Output<string>;
  /** The proxy of the region. */
  declare readonly proxyHost: pulumi.Output<string>;
  /** When the compute was created, RFC 3339 in UTC. */
  declare readonly createdAt: pulumi.Output<string>;
  declare readonly poolerMode: pulumi.Output<string | undefined>;
  declare readonly passwordlessAccess: pulumi.Output<boolean | undefined>;
  declare readonly provisioner: pulumi.Output<string | undefined>;
  /** Whether the compute existed before and was taken over. */
  declare readonly adopted: pulumi.Output<boolean>;
  /**
   * What the planned change does to connections: `no`, `maybe: …` or `yes: …`. After the change it is `no` again.
   */
  declare readonly restart: pulumi.Output<string>;
  /** Paths of the properties that the program manages. */
  declare readonly managed: pulumi.Output<string[]>;
  /**
   * Ids of operations of a failed step that still run or have failed; `unknown` stands for operations whose ids are not known. Absent if
   * there are none.
   */
  declare readonly unfinished: pulumi.Output<string[] | undefined>;
  /** Memory, disk and connections of the compute's size, as documented by the service; approximate. */
  get capacity(): pulumi.Output<Capacity> {
    return pulumi
      .all([this.autoscalingLimitMinCu, this.autoscalingLimitMaxCu])
      .apply(([min, max]) => capacityOf(min, max));
  }

  /**
   * Reads a compute that exists, with all its outputs, and manages nothing: it is never changed, and `destroy` leaves it alone.
   * To manage it, `adopt` it; for its live state and last activity, use `getEndpoint`.
   *
   * ```ts
   * const primary = Endpoint.get("primary", "ep-amber-field-a5x7w3rt", { projectId });
   * ```
   *
   * Route: `GET /projects/{project}/endpoints`, at each preview, up and refresh. A compute that is not in the project, and a
   * project that the key can't see, fail the preview.
   * @param id `ep-…`
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    state: EndpointLookupState,
    opts?: pulumi.CustomResourceOptions,
  ): Endpoint {
    const { projectId } = state ?? {};
    // No `branchId`: a look-up sets nothing, and the output has the service's value.
    return new Endpoint(name, { projectId } as EndpointArgs, { ...opts, id });
  }

  /**
   * @param name the resource's name; also the beginning of the compute's name, where `args` give none
   * @param opts `deleteBeforeReplace` is on by default, since a branch has only one primary
   * @throws RunError for the option `import`, which can't work, for `customTimeouts` among the arguments, and where the engine
   * can't find this package from the program's folder
   */
  constructor(name: string, args: EndpointArgs, opts: pulumi.CustomResourceOptions = {}) {
    // A compute that is only looked up is neither checked nor changed. Inputs for check would stay in its state.
    const isLookUp = opts.id !== undefined;
    refuseMisplaced(name, args, opts);
    refuseUnreachable();
    refuseTwoCopies();
    const runHook = isLookUp ? undefined : hookOfRun();
    warnOfConfig();
    refuseForeignHosts();
    const urn = isLookUp ? undefined : urnOf(name, opts.parent);
    if (urn) runHook?.projects.recordAccount(urn, opts);
    const inputs = {
      ...NO_OUTPUTS,
      ...args,
      __provider: PROVIDER_TEXT,
      ...(isLookUp ? secretHint(args) : { __urn: urn, ...parentHint(opts.parent), ...hintsOf(args, opts) }),
    };
    const options: pulumi.CustomResourceOptions = {
      ...opts,
      ...(isLookUp
        ? {}
        : {
            deleteBeforeReplace: opts.deleteBeforeReplace ?? true,
            // Values that the service did not apply. We can't see whether `transforms` of the program made them secret.
            additionalSecretOutputs: [...(opts.additionalSecretOutputs ?? []), "__asked"],
            // Internal inputs. The diff shows the same changes at the properties that the program sets.
            hideDiffs: [...(opts.hideDiffs ?? []), ...NOT_SHOWN],
          }),
      ...(runHook ? { hooks: withHook(opts.hooks, runHook.hook) } : {}),
    };
    const endQuiet = quietPromises();
    try {
      super(ENDPOINT_TYPE, name, inputs, options);
    } finally {
      endQuiet();
    }
    if (!runHook) return;
    keepOutputs(this, runHook.unchangedOutputs);
    // Another version of this package, loaded beside this one, may have made the hook.
    runHook.end?.follow(this);
  }
}

/** Internal inputs to hide in diffs. Older engines show them. */
const NOT_SHOWN = ["__notice", "__secret", "__autoName", "__retain"];

/**
 * Hints for check, which sees no options. Only those that are set: each property costs Pulumi a fifth of a millisecond.
 */
function hintsOf(args: EndpointArgs, opts: pulumi.CustomResourceOptions) {
  const { customTimeouts, retainOnDelete, deleteBeforeReplace } = opts;
  const mayReplace = mayReplaceOf(opts);
  return {
    ...(customTimeouts ? { customTimeouts } : {}),
    ...secretHint(args),
    ...previewHint(),
    ...(mayReplace ? { __mayReplace: mayReplace } : {}),
    ...(retainOnDelete ? { __retain: true } : {}),
    ...(deleteBeforeReplace === false ? { __createFirst: true } : {}),
  };
}

/** Throws with advice where Pulumi would print a stack trace or nothing. */
function refuseMisplaced(name: string, args: EndpointArgs, opts: pulumi.CustomResourceOptions): void {
  if (opts.import !== undefined) {
    throw failure(
      `Endpoint "${name}": the option import can't work for a dynamic resource. Use the argument adopt: "ep-…" instead, or \`npx --no compute-endpoint import-file\` for many at once`,
    );
  }
  if ((args as { customTimeouts?: unknown } | undefined)?.customTimeouts !== undefined) {
    throw failure(`Endpoint "${name}": customTimeouts is a resource option: pass it in the third argument`);
  }
}

function withHook(
  hooks: pulumi.ResourceHookBinding | undefined,
  hook: pulumi.ResourceHook,
): pulumi.ResourceHookBinding {
  return {
    ...hooks,
    beforeCreate: [...(hooks?.beforeCreate ?? []), hook],
    beforeUpdate: [...(hooks?.beforeUpdate ?? []), hook],
  };
}
