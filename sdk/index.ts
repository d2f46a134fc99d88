/**
 * Serverless Postgres computes as Pulumi resources.
 * @module
 */

export type { OperationLabel } from "../provider/lookup/info.js";
export type { Capacity } from "../provider/rules/capacity.js";
export type { EndpointType, PreloadLibraries } from "../provider/rules/settings.js";
export {
  Endpoint,
  type EndpointArgs,
  type EndpointLookupState,
  type EndpointSettings,
  type EndpointSettingsArgs,
  type PreloadLibrariesArgs,
} from "./endpoint.js";
export {
  type EndpointInfo,
  type GetConnectionUriArgs,
  type GetEndpointArgs,
  type GetOperationArgs,
  getConnectionUri,
  getConnectionUriOutput,
  getEndpoint,
  getEndpointOutput,
  getOperation,
  getOperationOutput,
  type ListEndpointsArgs,
  type ListOperationsArgs,
  LookupError,
  type LookupInputs,
  type LookupOptions,
  type LookupOutputOptions,
  listEndpoints,
  listEndpointsOutput,
  listOperations,
  listOperationsOutput,
  type OperationInfo,
} from "./lookups.js";
export { Provider, type ProviderArgs } from "./provider.js";
