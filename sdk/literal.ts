/**
 * The provider as Pulumi keeps it in the state of every resource: one line that loads this package from the program's
 * folder. Frozen: a changed text would show as a change of every resource, and old states keep the old text for ever.
 */
export const PROVIDER_TEXT = 'exports.handler = () => require("pulumi-compute-endpoint/provider").provider;';

export { ENDPOINT_TYPE } from "../provider/rules/urn.js";
