import { Stopped } from "../errors.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { type Access, deadlineOf, explainMissingProject } from "./access.js";

/** A project, or one of its computes. */
export interface SelectTarget {
  projectId: string;
  endpointId?: string | undefined;
}

/**
 * Finds the computes that the targets name, each once.
 * @param isWanted which computes of a target without an id
 * @param missing the error if a project does not have the named compute
 */
export async function selectComputes(
  access: Access,
  targets: readonly SelectTarget[],
  isWanted: (one: WireEndpoint) => boolean,
  missing: (projectId: string, id: string) => Error | Promise<Error>,
): Promise<{ projectId: string; endpoint: WireEndpoint }[]> {
  const found = new Map<string, { projectId: string; endpoint: WireEndpoint }>();
  for (const { projectId, endpointId } of targets) {
    const all = await access.context.lists.recent(projectId, deadlineOf(access)).catch((error: unknown) => {
      throw explainMissingProject(access, projectId, error);
    });
    const selected = all.filter((one) => (endpointId === undefined ? isWanted(one) : one.id === endpointId));
    if (endpointId !== undefined && selected.length === 0) throw await missing(projectId, endpointId);
    if (selected.length === 0) throw new Stopped(`project ${projectId} has no computes`);
    for (const endpoint of selected) found.set(endpoint.id, { projectId, endpoint });
  }
  return [...found.values()];
}
