// Look-ups for programs (`sdk/lookups.ts`). They run in the program's own process, with the client, the limits and the errors of
// the provider.

import { Stopped } from "../errors.js";
import { compareNaturally } from "../rules/natural-order.js";
import { someOf } from "../rules/some-of.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { type Access, deadlineOf, explainMissingProject, isMissing, missing } from "./access.js";
import type { EndpointInfo, OperationInfo } from "./info.js";
import { endpointInfo, operationInfo } from "./to-info.js";

export {
  type Access,
  accessTo,
  keepSecret,
  /** @public */
  LOOKUP_MS,
  /** @public */
  redacted,
  withoutSecrets,
} from "./access.js";
export { configFor } from "./account.js";
// Knip does not see what `sdk/` takes from the module that it loads at run time.
export {
  /** @public */
  computeIn,
  /** @public */
  couldNotLook,
  /** @public */
  creationOutlookIfKnown,
  projectNow,
  /** @public */
  updateOutlook,
} from "./live.js";
export {
  listOperations,
  /** @public */
  operationsUpTo,
} from "./pages.js";

/** GET …/endpoints/{id}. */
export async function getEndpoint(access: Access, args: { projectId: string; id: string }): Promise<EndpointInfo> {
  const { projectId, id } = args;
  try {
    const deadline = deadlineOf(access);
    return endpointInfo(await access.context.client.getEndpoint(projectId, id, deadline), projectId);
  } catch (error) {
    if (!isMissing(error)) throw error;
    // A compute that is gone and a project that can't be seen look the same: the project's list tells them apart.
    const all = await list(access, projectId);
    const found = all.find((one) => one.id === id);
    if (found) return endpointInfo(found, projectId);
    throw missing(`compute ${id} is not in project ${projectId}, which ${holding(all)}`, error);
  }
}

/** GET …/endpoints: all computes of a project, or those of one branch; ordered by id, since a service has no order. */
export async function listEndpoints(
  access: Access,
  args: { projectId: string; branchId?: string },
): Promise<EndpointInfo[]> {
  const { projectId, branchId } = args;
  const all = await list(access, projectId);
  return all
    .filter((one) => branchId === undefined || one.branch_id === branchId)
    .map((one) => endpointInfo(one, projectId))
    .sort((a, b) => compareNaturally(a.id, b.id));
}

/** GET …/operations/{id}. */
export async function getOperation(access: Access, args: { projectId: string; id: string }): Promise<OperationInfo> {
  const { projectId, id } = args;
  try {
    return operationInfo(await access.context.client.getOperation(projectId, id, deadlineOf(access)), projectId);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw missing(
      `operation ${id} is not in project ${projectId}, or the key (from ${access.keySource}) can't see the project; records older than 6 months may be gone`,
      error,
    );
  }
}

/** GET …/connection_uri. */
export async function getConnectionUri(
  access: Access,
  args: {
    projectId: string;
    databaseName: string;
    roleName: string;
    branchId?: string;
    endpointId?: string;
    pooled?: boolean;
  },
): Promise<string> {
  const { projectId, databaseName, roleName, branchId, endpointId, pooled } = args;
  for (const [name, value] of Object.entries({ databaseName, roleName })) {
    if (typeof value !== "string" || value === "") throw new Stopped(`${name} is required; no request was sent`);
  }
  const query = {
    database_name: databaseName,
    role_name: roleName,
    ...(branchId === undefined ? {} : { branch_id: branchId }),
    ...(endpointId === undefined ? {} : { endpoint_id: endpointId }),
    ...(pooled === undefined ? {} : { pooled: String(pooled) }),
  };
  try {
    return await access.context.client.getConnectionUri(projectId, query, deadlineOf(access));
  } catch (error) {
    if (!isMissing(error)) throw error;
    const where = endpointId ?? branchId;
    throw missing(
      `no connection URI for role ${roleName} and database ${databaseName}${where ? ` of ${where}` : ""} in project ${projectId}: one of them does not exist, there is no primary, or the key (from ${access.keySource}) can't see the project`,
      error,
    );
  }
}

/** A fresh list. Callers that ask at the same moment share one request. */
async function list(access: Access, projectId: string): Promise<WireEndpoint[]> {
  try {
    return await access.context.lists.fresh(projectId, deadlineOf(access));
  } catch (error) {
    throw explainMissingProject(access, projectId, error);
  }
}

const SHOWN = 10;

function holding(all: WireEndpoint[]): string {
  if (all.length === 0) return "has none";
  const ids = all.map((one) => one.id).sort(compareNaturally);
  return `has ${someOf(ids, SHOWN)}`;
}
