import { Stopped } from "../errors.js";

// Ids come from programs, from the state and from answers. A text with `..`, a slash or an encoded form of them would reach
// another route, so it is refused before anything is sent.
const ID = /^[a-z0-9-]{1,60}$/;
const OPERATION_ID = /^[A-Za-z0-9-][A-Za-z0-9_.:~-]{0,199}$/;

/** The path of a project's computes, of one compute, or of an action on it. */
export function endpointPath(project: string, id?: string, action?: "restart" | "start" | "suspend"): string {
  const list = `${projectPath(project)}/endpoints`;
  if (id === undefined) return list;
  const one = `${list}/${checked("an endpoint id", id, ID)}`;
  return action ? `${one}/${action}` : one;
}

/** Path of a project's operations, or of one of them. */
export function operationPath(project: string, id?: string): string {
  const list = `${projectPath(project)}/operations`;
  return id === undefined ? list : `${list}/${checked("an operation id", id, OPERATION_ID)}`;
}

/** Path of a project's branches. */
export const branchPath = (project: string): string => `${projectPath(project)}/branches`;

/** Path of a project's connection URIs. */
export const connectionPath = (project: string): string => `${projectPath(project)}/connection_uri`;

function projectPath(project: string): string {
  return `/projects/${checked("a project id", project, ID)}`;
}

function checked(what: string, id: string, pattern: RegExp): string {
  if (typeof id !== "string" || !pattern.test(id)) {
    const shown = JSON.stringify(String(id).slice(0, 80));
    throw new Stopped(`${shown} is not ${what} (letters, digits and hyphens); no request was sent`);
  }
  return encodeURIComponent(id);
}
