// Which branch's primary a step's compute is. A branch has one at most: a new one can't come beside one that stays, nor
// before one that Pulumi deletes at the end.

import { UNKNOWN_VALUE } from "../../provider/endpoint/inputs.js";
import { identityOf } from "../../provider/rules/approval.js";
import { clean, quote } from "./clean.js";
import { isText } from "./preview.js";
import type { Raw, Step } from "./types.js";

/** As the provider's delete decides, which sees the old outputs only; or the engine, which then does not ask it. */
export function isReleased({ old }: Step): boolean {
  const { onDelete, adopted } = old?.outputs ?? {};
  return old?.raw["retainOnDelete"] === true || (onDelete ?? (adopted === true ? "release" : "delete")) === "release";
}

/** Whether the compute that is replaced stays, and is the primary that its successor would have to be: it is taken over again. */
export function isRetaken(step: Step): boolean {
  const before = placeOf(step.old?.outputs);
  return before !== undefined && before === placeOf(step.next?.inputs) && isReleased(step);
}

/** The first deletion at each place. A search through all steps for each step would take minutes in a large document. */
export function deletionsIn(steps: readonly Step[]): ReadonlyMap<string, Step> {
  const deletions = new Map<string, Step>();
  for (const step of steps) {
    if (step.op !== "delete") continue;
    const place = placeOf(step.old?.outputs ?? step.old?.inputs);
    if (place !== undefined && !deletions.has(place)) deletions.set(place, step);
  }
  return deletions;
}

/** Why a primary can't come to its branch before the end of the update, according to the deletions in the document. */
export function collision(step: Step, deletions: ReadonlyMap<string, Step>): string | undefined {
  const { next, old } = step;
  const place = placeOf(next?.inputs);
  const comes = step.op === "create" || step.op === "update" || step.op === "replace";
  const adopts = step.op !== "update" && Boolean(next?.inputs?.["adopt"]);
  if (!comes || !place || adopts || place === placeOf(old?.outputs ?? old?.inputs)) return undefined;
  const there = deletions.get(place);
  if (!there) return undefined;
  const name = quote(clean(identityOf(there.urn)?.name ?? there.urn));
  const branch = quote(clean(place.split(" ")[1] ?? ""));
  return isReleased(there)
    ? `this will fail: branch ${branch} has its primary, the compute of ${name}, which leaves the program and stays on the service. Name another branch, or take that compute over with adopt: true`
    : `this will fail: branch ${branch} has its primary, the compute of ${name}, which leaves the program, and Pulumi deletes that last. Take ${name} out in a \`pulumi up\` of its own before`;
}

/** Only of a primary whose place is known. */
function placeOf(values: Raw | undefined): string | undefined {
  const { projectId, branchId, type = "read_write" } = values ?? {};
  return isId(projectId) && isId(branchId) && type === "read_write" ? `${projectId} ${branchId}` : undefined;
}

/** A secret is none, nor is a value that preview does not know. */
const isId = (value: unknown): boolean => isText(value) && /^[a-z0-9-]{1,60}$/.test(value) && value !== UNKNOWN_VALUE;
