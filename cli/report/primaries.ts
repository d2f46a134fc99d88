// Finds primaries that collide on a branch, from the document alone. A branch has one primary at most. So a new primary can't be
// created there while another one stays. Pulumi deletes at the end of the update, which is too late.
// provider/endpoint/branch-moves.ts and create-conflicts.ts apply the same rule to the computes on the service.

import { UNKNOWN_VALUE } from "../../provider/endpoint/inputs.js";
import { isReleasedBy } from "../../provider/rules/policies.js";
import { DEFAULT_TYPE } from "../../provider/rules/settings.js";
import { identityOf } from "../../provider/rules/urn.js";
import { cleanLine, quote } from "./clean.js";
import { isText } from "./preview.js";
import type { Raw, Step } from "./types.js";

/** Whether the old compute stays: by `retainOnDelete`, else by its old outputs, as the provider decides. */
export function isReleased({ old }: Step): boolean {
  return old?.raw["retainOnDelete"] === true || isReleasedBy(old?.outputs ?? {});
}

/** Whether the replacement would take over the same primary. */
export function isRetaken(step: Step): boolean {
  const before = primaryKeyOf(step.old?.outputs);
  return before !== undefined && before === primaryKeyOf(step.next?.inputs) && isReleased(step);
}

/**
 * The first deletion of a primary on each branch. A search through all steps for each step would take minutes in a large
 * document.
 */
export function deletionsIn(steps: readonly Step[]): ReadonlyMap<string, Step> {
  const deletions = new Map<string, Step>();
  for (const step of steps) {
    if (step.op !== "delete") continue;
    const key = primaryKeyOf(step.old?.outputs ?? step.old?.inputs);
    if (key !== undefined && !deletions.has(key)) deletions.set(key, step);
  }
  return deletions;
}

/** Why `up` will fail at this step: a compute that leaves the program is still the branch's primary. */
export function primaryConflict(step: Step, deletions: ReadonlyMap<string, Step>): string | undefined {
  const { next, old } = step;
  const key = primaryKeyOf(next?.inputs);
  const arrives = step.op === "create" || step.op === "update" || step.op === "replace";
  const adopts = step.op !== "update" && Boolean(next?.inputs?.["adopt"]);
  if (!arrives || !key || adopts || key === primaryKeyOf(old?.outputs ?? old?.inputs)) return undefined;
  const leaving = deletions.get(key);
  if (!leaving) return undefined;
  const name = quote(cleanLine(identityOf(leaving.urn)?.name ?? leaving.urn));
  const branch = quote(cleanLine(key.split(" ")[1] ?? ""));
  return isReleased(leaving)
    ? `branch ${branch} has its primary, the compute of ${name}, which leaves the program and stays on the service. Choose another branch, or take that compute over with adopt: true`
    : `branch ${branch} has its primary, the compute of ${name}, which leaves the program, and Pulumi deletes that last. Remove ${name} in a separate \`pulumi up\` first`;
}

/** The same key as `branchKeyOf` in branch-moves.ts, from a document. Undefined unless it is a primary with a known branch. */
function primaryKeyOf(values: Raw | undefined): string | undefined {
  const { projectId, branchId, type = DEFAULT_TYPE } = values ?? {};
  return isId(projectId) && isId(branchId) && type === "read_write" ? `${projectId} ${branchId}` : undefined;
}

/** Neither a secret nor a value that is not known yet is an id. */
const isId = (value: unknown): boolean => isText(value) && /^[a-z0-9-]{1,60}$/.test(value) && value !== UNKNOWN_VALUE;
