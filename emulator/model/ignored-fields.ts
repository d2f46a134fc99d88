import type { Simulation } from "./simulation.js";

/** A compute can't be created without these, so a POST never ignores them. */
const NEEDED = ["branch_id", "type"];

const SIZE_FIELDS = ["autoscaling_limit_min_cu", "autoscaling_limit_max_cu"];

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);

/** The input without the fields that the service ignores. Those keep their stored value. */
export function withoutIgnoredFields<T extends object>(
  sim: Simulation,
  method: "POST" | "PATCH",
  input: T,
  stored: object = {},
): T {
  const ignored = [
    ...sim.behavior.ignoredFields,
    ...sim.faults.takeIgnoredFields(method, (path) => hasField(input as Tree, path)),
  ];
  // To ignore one size alone could leave a minimum above the maximum.
  return (SIZE_FIELDS.some((limit) => ignored.includes(limit)) ? [...ignored, ...SIZE_FIELDS] : ignored)
    .filter((path) => method === "PATCH" || !NEEDED.includes(path))
    .reduce<Tree>((left, path) => keepStored(left, stored as Tree, path), input as Tree) as T;
}

function hasField(input: Tree, path: string): boolean {
  if (Object.hasOwn(input, path)) return true;
  const [name = "", ...rest] = path.split(".");
  const inner = input[name];
  return isTree(inner) && hasField(inner, rest.join("."));
}

/** A name may contain dots itself (`auto_explain.log_analyze`), so the longest existing name is tried first. */
function keepStored(input: Tree, stored: Tree, path: string): Tree {
  if (Object.hasOwn(input, path)) {
    const { [path]: _, ...others } = input;
    return Object.hasOwn(stored, path) ? { ...others, [path]: stored[path] } : others;
  }
  const [name = "", ...rest] = path.split(".");
  const inner = input[name];
  if (rest.length === 0 || !isTree(inner)) return input;
  const below = isTree(stored[name]) ? stored[name] : {};
  return { ...input, [name]: keepStored(inner, below, rest.join(".")) };
}
