// A compute as it is -> what stands in a state that has taken it over, and the program that fits.

import { checkInputs, type Inputs, programOf } from "../provider/endpoint/inputs.js";
import { liveOf } from "../provider/endpoint/mapping.js";
import { outputsOf } from "../provider/endpoint/outputs.js";
import { pruned } from "../provider/rules/pruned.js";
import type { WireEndpoint } from "../provider/wire/endpoint.js";
import { ENDPOINT_TYPE, PROVIDER_TEXT } from "../sdk/literal.js";

export interface Imported {
  /** The resource's name. */
  name: string;
  id: string;
  /** The arguments of the resource in the program. */
  args: Inputs;
  /** The entry of the file for `pulumi import --file`. */
  entry: object;
}

/**
 * What a program has to say for a compute to be as it is. What is as the service has it by default stays unmanaged.
 * @param notes hears what can't be said in a program
 */
export function argsOf(endpoint: WireEndpoint, projectId: string, notes: string[]): Inputs {
  const live = liveOf(endpoint);
  const { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max, pgSettings, preloadLibraries } = live;
  const fixed = min === max;
  const settings = pruned({ pgSettings: filled(pgSettings), preloadLibraries: filled(preloadLibraries) });
  const args: Inputs = pruned({
    projectId,
    branchId: live.branchId,
    type: live.type === "read_only" ? live.type : undefined,
    size: fixed ? max : undefined,
    autoscalingLimitMinCu: fixed ? undefined : min,
    autoscalingLimitMaxCu: fixed ? undefined : max,
    suspendTimeoutSeconds: live.suspendTimeoutSeconds || undefined,
    name: live.name,
    disabled: live.disabled || undefined,
    poolerEnabled: live.poolerEnabled || undefined,
    settings: filled(settings),
  });
  const { problems, sizeProblems } = checkInputs({ ...args });
  for (const { property, reason } of [...problems, ...sizeProblems]) {
    if (SIZES.has(property)) {
      notes.push(`${endpoint.id}: ${reason}; \`pulumi config set compute:sizes unchecked\` lets it pass`);
    } else {
      delete args[property.split(".")[0] as keyof Inputs];
      notes.push(`${endpoint.id}: ${property} is left out and stays as it is (${reason})`);
    }
  }
  return args;
}

const SIZES = new Set(["size", "autoscalingLimitMinCu", "autoscalingLimitMaxCu"]);

const filled = <T extends object>(value: T | undefined): T | undefined =>
  value && Object.keys(value).length > 0 ? value : undefined;

export function imported(name: string, endpoint: WireEndpoint, args: Inputs): Imported {
  const { id } = endpoint;
  // Not made by this program: as with `adopt`, a destroy leaves it alone unless the program says otherwise.
  const outputs = outputsOf(endpoint, programOf({ ...args }), { adopted: true });
  const ours = { restart: "no", __provider: PROVIDER_TEXT };
  return {
    name,
    id,
    args,
    entry: { type: ENDPOINT_TYPE, name, id, inputs: { ...args, ...ours }, outputs: { ...outputs, ...ours } },
  };
}

/** Resource names, by id: the compute's own, else what it is; with its id behind it where two would be called the same. */
export function namesOf(endpoints: readonly WireEndpoint[], prefix: string): Map<string, string> {
  const base = ({ name, type }: WireEndpoint) => slug(name ?? "") || (type === "read_only" ? "replica" : "primary");
  const count = new Map<string, number>();
  for (const one of endpoints) count.set(base(one), (count.get(base(one)) ?? 0) + 1);
  const taken = new Set([...count].flatMap(([name, times]) => (times === 1 ? [name] : [])));
  return new Map(
    endpoints.map((one) => {
      const name = base(one);
      if (count.get(name) === 1) return [one.id, prefix + name];
      let unique = `${name}-${one.id.replace(/^ep-/, "")}`;
      while (taken.has(unique)) unique += "-2";
      taken.add(unique);
      return [one.id, prefix + unique];
    }),
  );
}

const slug = (name: string): string => name.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^-+|-+$/g, "");
