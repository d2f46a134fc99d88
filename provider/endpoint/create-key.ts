import { canonical } from "../rules/equality.js";

/**
 * Identifies a create, since Pulumi's shim passes no URN on. Two primaries never have equal keys in one run: both would
 * be on the same branch, which has one primary at most.
 */
export const createKeyOf = ({ __autoName, name, projectId, branchId }: Record<string, unknown>): string =>
  canonical([__autoName, name, projectId, branchId]);
