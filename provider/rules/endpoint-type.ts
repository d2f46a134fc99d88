/** The type in every URN. Frozen: another one would be another resource to every state. */
export const ENDPOINT_TYPE = "pulumi-nodejs:dynamic/compute:Endpoint";

/** The type of the same resource where a separate provider plugin serves it to programs in any language. */
export const NATIVE_TYPE = "compute:index:Endpoint";

/** Whether a resource's own type, without its parents', is that of a compute. */
export const isEndpointType = (type: string | undefined): boolean => type === ENDPOINT_TYPE || type === NATIVE_TYPE;
