/** What stands in an emulator's record of requests. */
import type { RequestRecord } from "../../emulator/index";

const LOCKED = 423;

export const isMutation = ({ method }: RequestRecord): boolean => method !== "GET";

/** Per cent of the requests that change something that were sent in vain because something was locked. */
export function lockedShare(requests: readonly RequestRecord[]): number {
  const mutations = requests.filter(isMutation);
  return (100 * mutations.filter(({ status }) => status === LOCKED).length) / mutations.length;
}

/** Looks at a project's operations. */
export const pollsIn = (requests: readonly RequestRecord[], project: string): number =>
  requests.filter(({ method, path }) => method === "GET" && path.startsWith(`/projects/${project}/operations`)).length;
