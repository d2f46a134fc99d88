// Describes an existing compute for an import: the resource as the state has it afterwards, and the arguments of a
// program in which the next preview shows no change.

import { argsOf } from "../provider/endpoint/import-arguments.js";
import { type DesiredState, desiredStateOf, INTERNAL_INPUTS, type Inputs } from "../provider/endpoint/inputs.js";
import { COMPUTE_PROPERTIES, inputsOf, managedOf, type Outputs, outputsOf } from "../provider/endpoint/outputs.js";
import { SECRET_SIGNATURE, SIGNATURE } from "../provider/rules/equality.js";
import { autoNameOf, looksGenerated, looksGeneratedFor } from "../provider/rules/name.js";
import { NESTED_SETTINGS } from "../provider/rules/settings.js";
import { childUrnOf } from "../provider/rules/urn.js";
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

/** The resource's place in the program, and whether the compute is deleted with the resource. */
export interface ImportOptions {
  /** The URN of the parent; absent where that is the stack. */
  parent?: string;
  /** The URN of the program's `Provider`; absent for the stack's own account. */
  provider?: string;
  /** Whether the compute counts as created by this resource: then it is deleted with the resource. */
  isOwned?: boolean;
}

/**
 * The `nameTable` of the import file: the names by which entries refer to a parent or a provider, with their URNs. Each
 * name is the URN itself, because no resource in the file can have such a name.
 */
export const nameTable = ({ parent, provider }: ImportOptions): Record<string, string> =>
  Object.fromEntries([parent, provider].filter((urn) => urn !== undefined).map((urn) => [urn, urn]));

export function imported(name: string, endpoint: WireEndpoint, args: Inputs, options: ImportOptions = {}): Imported {
  // As with `adopt`, the program did not create the compute. So a destroy releases it, unless the program says
  // otherwise.
  const outputs = outputsOf(endpoint, desiredStateOf({ ...args }), { adopted: !options.isOwned });
  return importedWith(name, args, { ...args }, outputs, endpoint.id, options);
}

function importedWith(
  name: string,
  args: Inputs,
  inputs: object,
  outputs: object,
  id: string,
  { parent, provider }: ImportOptions,
): Imported {
  const ours = {
    restart: "no",
    __provider: PROVIDER_TEXT,
  };
  const place = { ...(parent === undefined ? {} : { parent }), ...(provider === undefined ? {} : { provider }) };
  return {
    name,
    id,
    args,
    entry: {
      type: ENDPOINT_TYPE,
      name,
      id,
      ...place,
      inputs: { ...inputs, ...ours },
      outputs: { ...outputs, ...ours },
    },
  };
}

/** A resource that the program has already, and what the program says of it. */
export interface ProgramResource extends ImportOptions {
  name: string;
  /** Paths of the properties that the program sets. Absent: those whose values are not the defaults. */
  managed?: readonly string[];
  /** Properties that can't be read from a compute, such as `onDelete`. */
  set: Inputs;
  /** Properties whose values the program keeps secret. */
  secrets?: readonly string[];
}

/** A value as Pulumi's documents have secrets; `pulumi import` encrypts it for the state. */
const secret = (value: unknown): object => ({
  [SIGNATURE]: SECRET_SIGNATURE,
  plaintext: JSON.stringify(value),
});

const withSecrets = (properties: object, names: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [key, names.includes(key) ? secret(value) : value]),
  );

/**
 * The state of a resource that takes over this compute without a change. Its inputs are the program's properties with the
 * compute's values, so that a preview shows where the program says otherwise, and nothing else.
 * @param notes gets a line for what the person should know
 */
export function importedForResource(
  { name, managed, set, secrets = [], ...options }: ProgramResource,
  endpoint: WireEndpoint,
  projectId: string,
  notes: string[],
): Imported {
  const generated = endpoint.name !== undefined && !managed?.includes("name") && looksGeneratedFor(name, endpoint.name);
  const autoName = generated ? endpoint.name : undefined;
  noteOtherName(endpoint, name, options.parent, notes);
  const chosen =
    managed ?? managedOf(argsOf(endpoint, projectId, notes)).filter((path) => path !== "name" || !generated);
  const paths = [...new Set(["projectId", "branchId", ...chosen, ...managedOf(set)])].sort();
  const desiredState: DesiredState = {
    ...desiredStateOf({ ...set, projectId, ...(endpoint.branch_id ? { branchId: endpoint.branch_id } : {}) }),
    ...(autoName === undefined ? {} : { autoName }),
    secrets: new Set(secrets),
  };
  const outputs: Outputs = { ...outputsOf(endpoint, desiredState, { adopted: !options.isOwned }), managed: paths };
  const { autoscalingLimitMinCu: min, autoscalingLimitMaxCu: max } = outputs;
  if (paths.includes("size") && min === max && max !== undefined) outputs.size = max;
  const inputs = inputsOf(outputs);
  const args = Object.fromEntries(
    Object.entries(inputs).filter(([key]) => !(INTERNAL_INPUTS as readonly string[]).includes(key)),
  ) as Inputs;
  const [shownInputs, shownOutputs] = [withSecrets(inputs, secrets), withSecrets(outputs, secrets)];
  return importedWith(name, args, shownInputs, shownOutputs, endpoint.id, options);
}

/** A generated name tells for which resource the compute was created. Another resource may still have it in a state. */
function noteOtherName(
  { id, name }: WireEndpoint,
  resource: string,
  parent: string | undefined,
  notes: string[],
): void {
  if (name === undefined || !looksGenerated(name)) return;
  const urn = parent === undefined ? undefined : childUrnOf(parent, resource);
  const isItsOwn = urn === undefined ? looksGeneratedFor(resource, name) : autoNameOf(urn) === name;
  if (isItsOwn) return;
  notes.push(
    `${id} has the name ${name}, generated for another resource than this one. Make sure that no other state has the compute: deleting that resource would delete it`,
  );
}

/** Whether a program can set a property of this path. */
export function isPropertyPath(path: string): boolean {
  const part = NESTED_SETTINGS.find((one) => path.startsWith(`settings.${one}.`));
  return part === undefined
    ? COMPUTE_PROPERTIES.has(path) && path !== "settings"
    : path.length > `settings.${part}.`.length;
}
