// Functions that read computes and operations and manage nothing. Each look-up has two forms: one takes plain values and gives a
// promise, the other (`…Output`) takes and gives outputs. Both also run in previews, if all arguments are known.

import * as pulumi from "@pulumi/pulumi";
import type { EndpointInfo, OperationInfo } from "../provider/lookup/info.js";
import { failure } from "./failure.js";
import { answer, answerOutput, type Lookup, mockedAnswer, openAccess } from "./lookups/ask.js";
import { asLookupError } from "./lookups/error.js";
import type { LookupInputs, LookupOptions, LookupOutputOptions } from "./lookups/options.js";
import { isMocked } from "./pulumi-run.js";

export type { EndpointInfo, OperationInfo } from "../provider/lookup/info.js";
export { LookupError } from "./lookups/error.js";
export type { LookupInputs, LookupOptions, LookupOutputOptions } from "./lookups/options.js";

/** Which compute. */
export interface GetEndpointArgs {
  projectId: string;
  /** `ep-…` */
  id: string;
}

/** Which computes. */
export interface ListEndpointsArgs {
  projectId: string;
  /** Only those of this branch. For a branch that does not exist the list is empty; that is not an error. */
  branchId?: string;
}

/** Which operation. */
export interface GetOperationArgs {
  projectId: string;
  /** As in an endpoint's `unfinished`, in an error of the provider, or from `listOperations`. */
  id: string;
}

/** Which operations. */
export interface ListOperationsArgs {
  projectId: string;
  /**
   * How many operations at most, the newest first.
   * @default all of them; 1000 in the `…Output` form, which is also its maximum
   */
  limit?: number;
}

/** Which connection. */
export interface GetConnectionUriArgs {
  projectId: string;
  databaseName: string;
  roleName: string;
  /** @default that of the compute, else the project's default branch */
  branchId?: string;
  /** `ep-…` @default the primary of the branch */
  endpointId?: string;
  /**
   * Whether the URI leads through the connection pooler.
   * @default the service's own: no
   */
  pooled?: boolean;
}

const ENDPOINT: Lookup<GetEndpointArgs, EndpointInfo> = {
  name: "getEndpoint",
  ask: (lookups, access, args) => lookups.getEndpoint(access, args),
};

/**
 * A compute as it is at this moment, with what is live: its state, when it was used last. Nothing is managed.
 *
 * Route: `GET /projects/{project}/endpoints/{id}`.
 * @throws LookupError with status 404 when the project does not have it, or the key can't see the project
 */
export function getEndpoint(args: GetEndpointArgs, opts?: LookupOptions): Promise<EndpointInfo> {
  return answer(ENDPOINT, args, opts);
}

/** `getEndpoint` for outputs: unknown in a preview that does not know the arguments yet. */
export function getEndpointOutput(
  args: LookupInputs<GetEndpointArgs>,
  opts?: LookupOutputOptions,
): pulumi.Output<EndpointInfo> {
  return answerOutput(ENDPOINT, args, opts);
}

const ENDPOINTS: Lookup<ListEndpointsArgs, EndpointInfo[]> = {
  name: "listEndpoints",
  ask: (lookups, access, args) => lookups.listEndpoints(access, args),
  field: "endpoints",
};

/**
 * The computes of a project, or of one of its branches, primaries and replicas, ordered by id.
 *
 * Route: `GET /projects/{project}/endpoints`.
 * @throws LookupError with status 404 when the project is not there, or the key can't see it
 */
export function listEndpoints(args: ListEndpointsArgs, opts?: LookupOptions): Promise<EndpointInfo[]> {
  return answer(ENDPOINTS, args, opts);
}

/** `listEndpoints` for outputs: unknown in a preview that does not know the arguments yet. */
export function listEndpointsOutput(
  args: LookupInputs<ListEndpointsArgs>,
  opts?: LookupOutputOptions,
): pulumi.Output<EndpointInfo[]> {
  return answerOutput(ENDPOINTS, args, opts);
}

const OPERATION: Lookup<GetOperationArgs, OperationInfo> = {
  name: "getOperation",
  ask: (lookups, access, args) => lookups.getOperation(access, args),
};

/**
 * An operation: its action, its status (the API's word and the console's label) and its duration. Records older than 6 months may
 * be gone.
 *
 * Route: `GET /projects/{project}/operations/{id}`.
 * @throws LookupError with status 404 when the project does not have it, or the key can't see the project
 */
export function getOperation(args: GetOperationArgs, opts?: LookupOptions): Promise<OperationInfo> {
  return answer(OPERATION, args, opts);
}

/** `getOperation` for outputs: unknown in a preview that does not know the arguments yet. */
export function getOperationOutput(
  args: LookupInputs<GetOperationArgs>,
  opts?: LookupOutputOptions,
): pulumi.Output<OperationInfo> {
  return answerOutput(OPERATION, args, opts);
}

const OPERATIONS: Lookup<ListOperationsArgs, OperationInfo[]> = {
  name: "listOperations",
  ask: (lookups, access, args) =>
    lookups.operationsUpTo(access, args, (limit, most) =>
      failure(`limit ${limit}: listOperationsOutput gives at most ${most}; listOperations has no such bound`),
    ),
  field: "operations",
};

/**
 * The operations of a project, newest first, whoever began them. Pages are asked for as the loop goes on, so leaving it early
 * saves requests:
 *
 * ```ts
 * for await (const operation of listOperations({ projectId })) {
 *   if (operation.label === "Error") console.log(operation.action, operation.error);
 * }
 * ```
 *
 * Route: `GET /projects/{project}/operations`, 100 rows at a time, or with `limit` up to 1000.
 * @throws LookupError with status 404 when the project is not there, or the key can't see it
 */
export async function* listOperations(
  args: ListOperationsArgs,
  opts: LookupOptions = {},
): AsyncGenerator<OperationInfo, void, undefined> {
  if (isMocked()) {
    const { operations } = await mockedAnswer(OPERATIONS.name, args);
    return yield* operations as OperationInfo[];
  }
  try {
    const [lookups, access] = await openAccess(opts);
    yield* lookups.listOperations(access, args);
  } catch (error) {
    throw asLookupError(error);
  }
}

/**
 * `listOperations` for outputs: an array of the newest 1000, or of `limit`. Unknown in a preview that does not know the
 * arguments yet.
 */
export function listOperationsOutput(
  args: LookupInputs<ListOperationsArgs>,
  opts?: LookupOutputOptions,
): pulumi.Output<OperationInfo[]> {
  return answerOutput(OPERATIONS, args, opts);
}

const CONNECTION_URI: Lookup<GetConnectionUriArgs, string> = {
  name: "getConnectionUri",
  ask: (lookups, access, args) => lookups.getConnectionUri(access, args),
  field: "uri",
};

/**
 * A connection URI: `postgresql://role:password@host/database?sslmode=require`. It holds a password, so the promise gives a
 * **secret output**: encrypted in the state, hidden in everything printed.
 *
 * Route: `GET /projects/{project}/connection_uri`.
 * @throws LookupError with status 404 when the project, the branch, the compute, the role or the database is not there
 */
export async function getConnectionUri(
  args: GetConnectionUriArgs,
  opts?: LookupOptions,
): Promise<pulumi.Output<string>> {
  return pulumi.secret(await answer(CONNECTION_URI, args, opts));
}

/** `getConnectionUri` for outputs: a secret, and unknown in a preview that does not know the arguments yet. */
export function getConnectionUriOutput(
  args: LookupInputs<GetConnectionUriArgs>,
  opts?: LookupOutputOptions,
): pulumi.Output<string> {
  return pulumi.secret(answerOutput(CONNECTION_URI, args, opts));
}
