import { branchRoutes } from "./handlers/branches.js";
import { connectionRoutes } from "./handlers/connections.js";
import { endpointRoutes } from "./handlers/endpoints.js";
import { operationRoutes } from "./handlers/operations.js";
import { projectRoutes } from "./handlers/projects.js";
import { missing, wrongMethod } from "./refuse.js";
import type { Handler, Route } from "./route.js";

const ROUTES: Route[] = [...projectRoutes, ...branchRoutes, ...endpointRoutes, ...operationRoutes, ...connectionRoutes];

/** The handler of a path, the earlier route first. Throws the refusal where there is none. */
export function find(method: string, segments: string[]): { handler: Handler; params: Record<string, string> } {
  let known = false;
  for (const one of ROUTES) {
    const params = match(one.segments, segments);
    if (!params) continue;
    known = true;
    if (one.method === method) return { handler: one.handler, params };
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
