// Builds the error of a create that finds a leftover compute of an interrupted run. It prints commands that need no change of the
// program: in a loop, you can't set `adopt` for one replica only.

import { Stopped } from "../errors.js";
import type { ForeseenFailure } from "../rules/foreseen-failure.js";
import { resourceNameFrom } from "../rules/name.js";
import { isSecret } from "../rules/settings.js";
import { pulumiCommand, shellWord } from "../rules/shell.js";
import { identityOf, NATIVE_TYPE, providerUrnOf } from "../rules/urn.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { DesiredState } from "./inputs.js";
import { COMPUTE_PROPERTIES, KEPT_OPTIONS, managedOf } from "./outputs.js";
import type { Place } from "./places.js";
import type { CreateView } from "./shared-state.js";

const COMMAND = "npx --no compute-endpoint";

/**
 * @param what the compute, and why it may be a leftover
 * @param inProgram what to do if the program may be edited
 * @param foreseen how a preview says the same
 */
export function leftoverError(
  shared: CreateView,
  desiredState: DesiredState,
  project: string,
  leftover: WireEndpoint,
  { what, inProgram, foreseen }: { what: string; inProgram: string; foreseen: ForeseenFailure },
): Stopped {
  const target = `${project}/${leftover.id}`;
  const at = shared.places?.of({ ...desiredState.inputs, __autoName: desiredState.autoName });
  const stack = at && identityOf(at.urn)?.stack;
  const takeOver = takeOverCommand(shared, desiredState, { target, id: leftover.id, at });
  const remove = `${COMMAND} delete ${shellWord(target)}`;
  const ways = takeOver
    ? `Two steps repair this without changing the program; ${accountHint(shared)}. In a script, add --yes to each.
1. Take it over (Pulumi 3.254 or newer):
    ${takeOver}
   Or delete it, if nobody needs it:
    ${remove}
2. ${afterwards(stack)}.
In the program instead of step 1: ${inProgram}`
    : `Choose: ${inProgram}; or delete it if nobody needs it (${accountHint(shared)}; in a script, add --yes):
    ${remove}
${afterwards(stack)}`;
  return new Stopped(`${what}. It was not touched. ${ways}`, undefined, foreseen);
}

/** After a kill, Pulumi keeps the create as a pending operation, and warns of it in each run. It does not after a Ctrl-C. */
const afterwards = (stack: string | undefined): string =>
  `If Pulumi warns of pending CREATE operations, run \`${pulumiCommand("refresh", stack, "--clear-pending-creates")}\`. Then run \`${pulumiCommand("up", stack)}\` again`;

/** Commands do not read a stack's config. */
function accountHint({ config }: CreateView): string {
  const { account } = config;
  const source = account === undefined || account instanceof Error ? "" : account.keySource;
  const isElsewhere = !source.endsWith("(environment)");
  return isElsewhere && source !== ""
    ? `key and URL come from COMPUTE_API_KEY and COMPUTE_API_URL in the environment, not from the ${source}`
    : "key and URL come from the environment, as in this run";
}

/** Undefined if the command can't express all inputs. Triggers may be secret, so no error contains them. */
function takeOverCommand(
  shared: CreateView,
  desiredState: DesiredState,
  { target, id, at }: { target: string; id: string; at: Place | undefined },
): string | undefined {
  const { inputs, secrets, autoName } = desiredState;
  // The command's import file works only for the class.
  if (at && identityOf(at.urn)?.type.split("$").at(-1) === NATIVE_TYPE) return undefined;
  const name = at ? identityOf(at.urn)?.name : autoName && resourceNameFrom(autoName);
  const triggers = inputs.restartTriggers;
  const areShown = triggers?.every((one) => typeof one === "number" || typeof one === "boolean") ?? true;
  const managed = managedOf(inputs).filter((path) => path !== "projectId" && path !== "restartTriggers");
  if (!name || !areShown || isSecret("restartTriggers", secrets)) return undefined;
  if (managed.some((path) => path.includes(","))) return undefined;
  const { instance } = shared.config;
  const provider = at && instance !== undefined ? providerUrnOf(at.urn, instance) : undefined;
  const options = [...KEPT_OPTIONS, "restartTriggers"] as const;
  const hidden = [...secrets].filter((one) => COMPUTE_PROPERTIES.has(one)).sort();
  const file = `${id}.json`;
  const words = [
    ...["import-file", target, "--as", name],
    ...(at?.parent ? ["--parent", at.parent] : []),
    ...(provider ? ["--provider", provider] : []),
    ...["--owned", "--managed", managed.join(",")],
    ...(hidden.length > 0 ? ["--secret", hidden.join(",")] : []),
    ...options.flatMap((name) => (inputs[name] === undefined ? [] : ["--set", `${name}=${textOf(inputs[name])}`])),
    // The rest of the line is the next step.
    ...["--out", file, "--no-steps"],
  ];
  const stack = at && identityOf(at.urn)?.stack;
  // Without `--stack`, the import goes to the selected stack, and a destroy of that stack would delete the compute.
  const take = pulumiCommand("import", stack, "--file", shellWord(file), "--protect=false", "--generate-code=false");
  return `${COMMAND} ${words.map(shellWord).join(" ")} && ${take}`;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
