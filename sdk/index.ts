/**
 * Serverless Postgres computes as Pulumi resources.
 * @module
 */
export type { Capacity } from "../provider/rules/capacity.js";
export type { EndpointType } from "../provider/rules/settings.js";
export {
  Endpoint,
  type EndpointArgs,
  type EndpointSettings,
  type EndpointSettingsArgs,
  type PreloadLibrariesArgs,
} from "./endpoint.js";
