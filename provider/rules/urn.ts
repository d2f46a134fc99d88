// URNs of resources, and the types in them.

/** The type in every URN. Never change it: for a state, another type means another resource. */
export const ENDPOINT_TYPE = "pulumi-nodejs:dynamic/compute:Endpoint";

/** The type of the same resource where a separate provider plugin serves it to programs in any language. */
export const NATIVE_TYPE = "compute:index:Endpoint";

/** Whether a resource's own type, without its parents', is that of a compute. */
export const isEndpointType = (type: string | undefined): boolean => type === ENDPOINT_TYPE || type === NATIVE_TYPE;

/** Whether the URN is a compute's. */
export const isEndpointUrn = (urn: string): boolean => isEndpointType(identityOf(urn)?.type.split("$").at(-1));

/**
 * The URN with the plugin's types written as those of the class, so generated names and digests stay the same
 * if a compute moves between the forms. Digests of approvals write the native type instead (`canonicalType` in `approval.ts`).
 * Neither can change any more: states and approvals contain the results.
 */
export const urnWithClassTypes = (urn: string): string => {
  const { stack, project, type, name } = identityOf(urn) ?? {};
  if (!stack || !type?.split("$").includes(NATIVE_TYPE)) return urn;
  const types = type.split("$").map((one) => (one === NATIVE_TYPE ? ENDPOINT_TYPE : one));
  return `${PREFIX}${stack}::${project}::${types.join("$")}::${name}`;
};

/** The parts of a resource's URN. */
export interface Identity {
  stack: string;
  project: string;
  type: string;
  name: string;
}

const PREFIX = "urn:pulumi:";

/** `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME`; undefined for a text that is no URN. Names may contain `::`. */
export function identityOf(urn: string): Identity | undefined {
  const [stack, project, type, ...name] = urn.startsWith(PREFIX) ? urn.slice(PREFIX.length).split("::") : [];
  if (!stack || !project || !type || name.length === 0) return undefined;
  return { stack, project, type, name: name.join("::") };
}

/** The URN of a compute's resource under this parent, which is a resource other than the stack. */
export function childUrnOf(parent: string, name: string): string | undefined {
  const { stack, project, type } = identityOf(parent) ?? {};
  return stack && `${PREFIX}${stack}::${project}::${type}$${ENDPOINT_TYPE}::${name}`;
}

/** The URN of the program's `Provider` of this name, in the stack of another resource. */
export function providerUrnOf(urn: string, name: string): string | undefined {
  const { stack, project } = identityOf(urn) ?? {};
  return stack && `${PREFIX}${stack}::${project}::pulumi:providers:pulumi-nodejs::${name}`;
}
