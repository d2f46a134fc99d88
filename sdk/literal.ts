/**
 * The provider text that Pulumi stores in the state of every resource: one line that loads this package. Never change it: every
 * resource would show a change, and old states keep the old text.
 */
export const PROVIDER_TEXT = 'exports.handler = () => require("pulumi-compute-endpoint/provider").provider;';

export { ENDPOINT_TYPE } from "../provider/rules/urn.js";
