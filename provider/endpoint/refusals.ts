// Why a step stops before it changes anything.

import { isKind, Stopped, urlDoubtOf } from "../errors.js";
import type { ForeseenFailure } from "../rules/foreseen-failure.js";
import { looksGenerated } from "../rules/name.js";
import { isSecret } from "../rules/settings.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import type { DesiredState } from "./inputs.js";
import type { CreateView } from "./shared-state.js";

/** Fails where the program's region is not the compute's. */
export function assertRegion({ inputs, secrets }: DesiredState, regionId: string | undefined, what: string): void {
  if (inputs.regionId === undefined || regionId === undefined || inputs.regionId === regionId) return;
  const asked = isSecret("regionId", secrets)
    ? `regionId (a secret) is not the region of ${what}, which is in ${regionId}`
    : `regionId is ${inputs.regionId}, but ${what} is in ${regionId}`;
  throw new Stopped(
    `${asked}, and a compute is always in its project's region. Nothing was changed. Set regionId to ${regionId} or leave it out, or name a project of that region`,
    undefined,
    { problem: asked, way: `Set regionId to ${regionId}, or leave it out` },
  );
}

export const goneError = (project: string, id: string): Stopped =>
  new Stopped(
    `compute ${id} is not in project ${project} any more: somebody deleted it. The state was left as it was. Run \`pulumi refresh\`, and the next \`pulumi up\` creates a new one (with a new host)`,
    undefined,
    {
      problem: `project ${project} has no compute ${id} any more: somebody deleted it`,
      way: "Run `pulumi refresh`, and the next `pulumi up` creates a new one (with a new host)",
    },
  );

/** A sentence about the resource that has the conflicting compute; empty if this run does not know it. */
export function ownerHint({ ownership, claimed }: CreateView, { id, name }: Pick<WireEndpoint, "id" | "name">): string {
  const resource = ownership?.resourceWith(id);
  if (resource !== undefined) return ` It is the compute of resource ${resource} of this stack.`;
  if (claimed.has(id)) return " Another resource of this same run has created it or taken it over.";
  if (ownership?.isHeld(id)) return " Another resource of this program has it, with another Provider instance.";
  if (name === undefined) return "";
  return looksGenerated(name)
    ? ` Its name, ${name}, was generated for a resource of this package, perhaps in another stack. If this change removes that resource from the program, remove it first, in a \`pulumi up\` of its own: Pulumi deletes last.`
    : ` Its name is ${name}.`;
}

/** A 404 for the project, or a key that can't see it, must never look as if the compute were gone. */
export function projectProblem(error: unknown, project: string, id: string): unknown {
  if (!isKind(error, "service") || error.answer.status !== 404) return error;
  const doubt = urlDoubtOf(error);
  if (doubt !== undefined) {
    const left = `so nothing is known of compute ${id} and the state was left as it is`;
    return new Stopped(`project ${project} was not found (${doubt}), ${left}. Check the URL`);
  }
  return new Stopped(
    `project ${project} does not exist, or this key can't see it, so nothing is known of compute ${id} and the state was left as it is. Check the key and the project; if the project is really deleted, \`pulumi state delete\` forgets the compute (${error.message})`,
  );
}

/** The error for a change that the preview did not show. A refresh brings the change into the next preview. */
export const unannouncedError = (id: string, paths: readonly string[]): Stopped =>
  new Stopped(
    `updating compute ${id} would change ${paths.join(", ")}, which this preview does not show: an earlier update failed, or the compute was changed since. Nothing was changed, and the state was left as it was. Run \`pulumi up --refresh\`: it reads the compute first, and its preview shows what changes`,
  );

/** What a preview says about a missing project or branch. @param urlDoubt why the service's URL may be the reason */
export const notFoundFailure = (what: string, property: string, urlDoubt?: string): ForeseenFailure =>
  urlDoubt === undefined
    ? { problem: `${what} does not exist, or this key can't see it`, way: `Check ${property} and the key` }
    : { problem: `${what} was not found (${urlDoubt})`, way: "Check the URL" };

/** Explains a 404 of a create or an update. @param then what did not happen */
export function notFoundError(
  error: unknown,
  what: string,
  property: string,
  then = "no compute was created",
): unknown {
  if (!isKind(error, "service") || error.answer.status !== 404) return error;
  const doubt = urlDoubtOf(error);
  const foreseen = notFoundFailure(what, property, doubt);
  const { problem, way } = foreseen;
  const details = doubt === undefined ? ` (${error.message})` : "";
  return new Stopped(`${problem}, so ${then}. ${way}${details}`, undefined, foreseen);
}

/** A read found no compute. Replaces the engine's "resource does not exist". @param where the program names the project */
export const notThere = (project: unknown, id: string, where = ""): Stopped =>
  new Stopped(
    `compute ${id} is not in project ${project}: the project's list of computes does not have it. Check the id and the project${where}`,
  );
