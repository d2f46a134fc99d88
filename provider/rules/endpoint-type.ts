/** The type in every URN. Frozen: another one would be another resource to every state. */
export const ENDPOINT_TYPE = "pulumi-nodejs:dynamic/compute:Endpoint";
