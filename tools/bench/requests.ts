/** Figures from an emulator's record of requests. */
import type { RequestRecord } from "../../emulator/index";

const LOCKED = 423;

export const isMutation = ({ method }: RequestRecord): boolean => method !== "GET";

/** Per cent of the changing requests that met a lock (423). */
export function lockedShare(requests: readonly RequestRecord[]): number {
  const mutations = requests.filter(isMutation);
  return (100 * mutations.filter(({ status }) => status === LOCKED).length) / mutations.length;
}

/** Whether it asks for operations. */
export const isPoll = ({ method, path }: RequestRecord): boolean =>
  method === "GET" && /^\/projects\/[^/]+\/operations/.test(path);

/** The number of polls of a project's operations. */
export const pollsIn = (requests: readonly RequestRecord[], project: string): number =>
  requests.filter((one) => isPoll(one) && one.path.startsWith(`/projects/${project}/`)).length;
