import type { Handler, Route } from "../http/route.js";
import { methodNotAllowedError, notFoundError } from "../model/errors.js";
import { accountRoutes } from "./account.js";
import { apiKeyRoutes } from "./api-keys.js";
import { branchRoutes } from "./branches.js";
import { connectionRoutes } from "./connection-uris.js";
import { databaseRoutes } from "./databases.js";
import { emptyRoutes } from "./empty-lists.js";
import { endpointRoutes } from "./endpoints.js";
import { operationRoutes } from "./operations.js";
import { projectRoutes } from "./projects.js";
import { restoreRoutes } from "./restore.js";
import { roleRoutes } from "./roles.js";
import { sharingRoutes } from "./sharing.js";

// "Modelling choice" in a comment of a handler: the service does not document this behaviour, and no option changes it yet.
const ROUTES: Route[] = [
  ...accountRoutes,
  ...apiKeyRoutes,
  ...projectRoutes,
  ...sharingRoutes,
  ...branchRoutes,
  ...restoreRoutes,
  ...roleRoutes,
  ...databaseRoutes,
  ...endpointRoutes,
  ...operationRoutes,
  ...connectionRoutes,
  ...emptyRoutes,
];

const nameOf = ({ method, segments }: Pick<Route, "method" | "segments">) => `${method} /${segments.join("/")}`;

/** Each route as `GET /projects/:project`, for tests that must cover all of them. */
export const ROUTE_NAMES: readonly string[] = ROUTES.map(nameOf);

interface Found {
  handler: Handler;
  params: Record<string, string>;
  /** The same for all requests to the route: `GET /projects/:project`. */
  name: string;
}

/** The handler of the first route that matches the path. Throws a 404 or 405 if there is none. */
export function findRoute(method: string, segments: string[]): Found {
  let known = false;
  for (const route of ROUTES) {
    const params = match(route.segments, segments);
    if (!params) continue;
    known = true;
    if (route.method === method) return { handler: route.handler, params, name: nameOf(route) };
  }
  throw known ? methodNotAllowedError() : notFoundError("route");
}

function match(pattern: string[], segments: string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const given = segments[index] as string;
    if (part.startsWith(":")) params[part.slice(1)] = given;
    else if (part !== given) return undefined;
  }
  return params;
}
