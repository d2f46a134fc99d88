import { z } from "zod";
import { EndpointCreateBody } from "../provider/wire/endpoint.js";
import type { Site } from "./rules.js";

/** Fields that a server takes note of with a friendly 200, and does not take. */

const FIELDS = Object.keys(EndpointCreateBody.shape.endpoint.shape);
/** Without these there is no compute to create. */
const NEEDED = ["branch_id", "type"];

const LONGEST_FIELD = 300;

const LIMITS = ["autoscaling_limit_min_cu", "autoscaling_limit_max_cu"];

/** A field of a compute in a request, or a part of one: `settings.pg_settings.work_mem`. */
export const KnownField = z
  .string()
  .max(LONGEST_FIELD)
  .refine((path) => FIELDS.includes(path.split(".", 1)[0] as string), {
    error: (issue) => `${JSON.stringify(issue.input)} is no field of a compute`,
  });

type Tree = Record<string, unknown>;
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);

/** What a wish comes to when the server ignores what it ignores: there, what is stored stays. */
export function taken<T extends object>(site: Site, method: "POST" | "PATCH", wish: T, stored: object = {}): T {
  const ignored = [...site.rules.ignoredFields, ...site.faults.ignoredIn(method, (path) => names(wish as Tree, path))];
  // One limit alone could leave a pair that no service has: the lower above the upper.
  return (LIMITS.some((limit) => ignored.includes(limit)) ? [...ignored, ...LIMITS] : ignored)
    .filter((path) => method === "PATCH" || !NEEDED.includes(path))
    .reduce<Tree>((left, path) => kept(left, stored as Tree, path), wish as Tree) as T;
}

function names(wish: Tree, path: string): boolean {
  if (Object.hasOwn(wish, path)) return true;
  const [name = "", ...rest] = path.split(".");
  const inner = wish[name];
  return isTree(inner) && names(inner, rest.join("."));
}

/** Names may hold dots themselves (`auto_explain.log_analyze`), so the longest name that is there is taken first. */
function kept(wish: Tree, stored: Tree, path: string): Tree {
  if (Object.hasOwn(wish, path)) {
    const { [path]: _, ...others } = wish;
    return Object.hasOwn(stored, path) ? { ...others, [path]: stored[path] } : others;
  }
  const [name = "", ...rest] = path.split(".");
  const inner = wish[name];
  if (rest.length === 0 || !isTree(inner)) return wish;
  const below = isTree(stored[name]) ? stored[name] : {};
  return { ...wish, [name]: kept(inner, below, rest.join(".")) };
}
