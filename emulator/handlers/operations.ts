import { type Call, type HandlerResponse, type Route, route } from "../http/route.js";
import { assertOperationId } from "../model/assertions.js";
import { notFoundError, queryError } from "../model/errors.js";
import { projectOf } from "./lookup.js";
import { wholeNumber } from "./query.js";
import { operationResponse } from "./responses.js";

/** Modelling choice: the default is not documented. */
const DEFAULT_LIMIT = 100;
const LARGEST_LIMIT = 1000;

/**
 * Newest first. The cursor is the creation time of the page's last row, with the microseconds that the rows do not show. All rows
 * of the next page are older. Each page with rows has a cursor, even the last one.
 */
function list(call: Call): HandlerResponse {
  const project = projectOf(call);
  const limit = wholeNumber(call.query, "limit", 1, LARGEST_LIMIT) ?? DEFAULT_LIMIT;
  const cursor = call.query.get("cursor");
  if (cursor !== null && Number.isNaN(Date.parse(cursor))) throw queryError("cursor", "not a time");
  const page = call.sim.world.operations
    .filter((one) => one.project_id === project.id && (cursor === null || one.created_at < cursor))
    .reverse()
    .slice(0, limit);
  const last = page.at(-1);
  return {
    status: 200,
    body: { operations: page.map(operationResponse), ...(last ? { pagination: { cursor: last.created_at } } : {}) },
  };
}

function get(call: Call): HandlerResponse {
  const project = projectOf(call);
  const id = call.params["operation"] as string;
  assertOperationId(id);
  const operation = call.sim.world.operations.find((one) => one.id === id.toLowerCase());
  if (operation?.project_id !== project.id) throw notFoundError("operation");
  return { status: 200, body: { operation: operationResponse(operation) } };
}

export const operationRoutes: Route[] = [
  route("GET", "/projects/:project/operations", list),
  route("GET", "/projects/:project/operations/:operation", get),
];
