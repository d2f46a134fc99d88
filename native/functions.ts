// The look-ups, as functions of the plugin.

import { UNKNOWN_VALUE } from "../provider/endpoint/inputs.js";
import { Stopped } from "../provider/errors.js";
import type { Access } from "../provider/lookup/index.js";
import { FUNCTIONS, type FunctionSchema, type FunctionToken } from "./schema-functions.js";
import type { Props } from "./values.js";

type Lookups = typeof import("../provider/lookup/index.js");

const CALLS: { [K in FunctionToken]: (lookups: Lookups, access: Access, args: never) => Promise<object> } = {
  "compute:index:getEndpoint": (lookups, access, args) => lookups.getEndpoint(access, args),
  "compute:index:listEndpoints": async (lookups, access, args) => ({
    endpoints: await lookups.listEndpoints(access, args),
  }),
  "compute:index:getOperation": (lookups, access, args) => lookups.getOperation(access, args),
  "compute:index:listOperations": async (lookups, access, args) => ({
    operations: await lookups.operationsUpTo(
      access,
      args,
      (limit, most) => new Stopped(`limit ${limit}: listOperations gives at most ${most}. No request was sent`),
    ),
  }),
  "compute:index:getConnectionUri": async (lookups, access, args) => ({
    uri: await lookups.getConnectionUri(access, args),
  }),
};

/** Names of the values in a result that are secret. */
export function secretsOf(token: string): ReadonlySet<string> {
  const { outputs } = FUNCTIONS[token as FunctionToken] as FunctionSchema;
  return new Set(Object.keys(outputs.properties).filter((name) => outputs.properties[name]?.secret));
}

/** @throws Stopped for a function that does not exist, and for arguments that are not known yet */
export async function callFunction(token: string, lookups: Lookups, access: Access, args: Props): Promise<object> {
  const ask = Object.hasOwn(CALLS, token) ? CALLS[token as FunctionToken] : undefined;
  if (!ask) throw new Stopped(`unknown function ${token}; known functions: ${Object.keys(CALLS).join(", ")}`);
  const unknown = Object.keys(args).filter((name) => args[name] === UNKNOWN_VALUE);
  if (unknown.length > 0)
    throw new Stopped(
      `${unknown.join(" and ")} ${unknown.length > 1 ? "are" : "is"} not known yet: no request was sent`,
    );
  return ask(lookups, access, args as never);
}
