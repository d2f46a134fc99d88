import { accountRoutes } from "./handlers/account.js";
import { apiKeyRoutes } from "./handlers/api-keys.js";
import { branchRoutes } from "./handlers/branches.js";
import { connectionRoutes } from "./handlers/connections.js";
import { databaseRoutes } from "./handlers/databases.js";
import { endpointRoutes } from "./handlers/endpoints.js";
import { emptyRoutes } from "./handlers/none.js";
import { operationRoutes } from "./handlers/operations.js";
import { projectRoutes } from "./handlers/projects.js";
import { restoreRoutes } from "./handlers/restore.js";
import { roleRoutes } from "./handlers/roles.js";
import { sharingRoutes } from "./handlers/sharing.js";
import { missing, wrongMethod } from "./refuse.js";
import type { Handler, Route } from "./route.js";

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

/** Each route as `GET /projects/:project`, for tests that want to have seen them all. */
export const ROUTE_NAMES: readonly string[] = ROUTES.map(nameOf);

interface Found {
  handler: Handler;
  params: Record<string, string>;
  /** The same for all requests to the route: `GET /projects/:project`. */
  name: string;
}

/** The handler of a path, the earlier route first. Throws the refusal where there is none. */
export function find(method: string, segments: string[]): Found {
  let known = false;
  for (const route of ROUTES) {
    const params = match(route.segments, segments);
    if (!params) continue;
    known = true;
    if (route.method === method) return { handler: route.handler, params, name: nameOf(route) };
  }
  throw known ? wrongMethod() : missing("route");
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
