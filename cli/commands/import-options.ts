// The flags of `compute-endpoint import-file`.

import { checkInputs, type Inputs } from "../../provider/endpoint/inputs.js";
import { COMPUTE_PROPERTIES } from "../../provider/endpoint/outputs.js";
import { identityOf } from "../../provider/rules/urn.js";
import { type ComputeTarget, UsageError } from "../arguments.js";
import { type ImportOptions, isPropertyPath, type ProgramResource } from "../imported.js";

export const DEFAULT_FILE = "compute-import.json";

export const IMPORT_OPTIONS = {
  out: { type: "string", default: DEFAULT_FILE },
  "name-prefix": { type: "string", default: "" },
  parent: { type: "string" },
  provider: { type: "string" },
  as: { type: "string" },
  owned: { type: "boolean" },
  managed: { type: "string" },
  secret: { type: "string" },
  set: { type: "string", multiple: true },
  "no-steps": { type: "boolean" },
} as const;

interface Values {
  "name-prefix": string;
  parent?: string | undefined;
  provider?: string | undefined;
  as?: string | undefined;
  owned?: boolean | undefined;
  managed?: string | undefined;
  secret?: string | undefined;
  set?: string[] | undefined;
}

interface ImportRequest {
  prefix: string;
  options: ImportOptions;
  /** The resource of `--as`. */
  resource?: ProgramResource;
}

export function parseImport(values: Values, targets: readonly ComputeTarget[]): ImportRequest {
  const { as: name, "name-prefix": prefix, parent, provider } = values;
  if (!/^[A-Za-z0-9_.-]*$/.test(prefix)) {
    throw new UsageError("--name-prefix may have letters, digits, dots, dashes and underscores");
  }
  for (const [flag, urn] of Object.entries({ parent, provider })) {
    if (urn !== undefined && !identityOf(urn)) {
      throw new UsageError(
        `--${flag} must be a URN, urn:pulumi:STACK::PROJECT::TYPE::NAME, not ${JSON.stringify(urn)}`,
      );
    }
  }
  const options: ImportOptions = { ...(parent ? { parent } : {}), ...(provider ? { provider } : {}) };
  if (name === undefined) {
    const alone = (["owned", "managed", "secret", "set"] as const).find((flag) => values[flag] !== undefined);
    if (alone) throw new UsageError(`--${alone} goes with --as: it is about one resource`);
    return { prefix, options };
  }
  if (name === "") throw new UsageError("--as needs the name of a resource");
  if (prefix !== "") throw new UsageError("--as gives the whole name: leave --name-prefix out");
  if (targets.length !== 1 || targets[0]?.endpointId === undefined) {
    throw new UsageError("--as is for one compute: give PROJECT/ENDPOINT");
  }
  const resource: ProgramResource = { name, ...options, set: parseSet(values.set ?? []) };
  if (values.owned) resource.isOwned = true;
  if (values.managed !== undefined) resource.managed = parsePaths("--managed", values.managed, isPropertyPath);
  if (values.secret !== undefined) {
    resource.secrets = parsePaths("--secret", values.secret, (one) => COMPUTE_PROPERTIES.has(one));
  }
  return { prefix, options, resource };
}

function parsePaths(flag: string, text: string, isKnown: (path: string) => boolean): string[] {
  const paths = text
    .split(",")
    .map((path) => path.trim())
    .filter(Boolean);
  const wrong = paths.find((path) => !isKnown(path));
  if (wrong === undefined) return paths;
  throw new UsageError(`${flag}: ${JSON.stringify(wrong)} is not a property of a compute`);
}

/** The import reads most settings from the compute. It can't read `restartTriggers` there, so `--set` may give them. */
const isSettable = (name: string): boolean => !COMPUTE_PROPERTIES.has(name) || name === "restartTriggers";

/** "onDelete=delete", "waitForReady=false", "customTimeouts={"create":"20m"}": JSON, or else a text. */
function parseSet(texts: readonly string[]): Inputs {
  const set: Record<string, unknown> = {};
  for (const text of texts) {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) {
      throw new UsageError(`--set must be NAME=VALUE, not ${JSON.stringify(text)}`);
    }
    if (!isSettable(name)) throw new UsageError(`--set: ${name} comes from the compute; name it in --managed`);
    set[name] = parsed(value);
  }
  const problem = checkInputs({ projectId: "any", branchId: "any", ...set }).problems[0];
  if (problem) throw new UsageError(`--set: ${problem.property}: ${problem.reason}`);
  return set as Inputs;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
