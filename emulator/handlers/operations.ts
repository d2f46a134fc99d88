import { operationAnswer } from "../answers.js";
import * as refuse from "../refuse.js";
import { type Answer, type Call, type Route, route } from "../route.js";
import { projectOf } from "./lookup.js";
import { wholeNumber } from "./query.js";

/** Modelling choice: the default is not documented. */
const DEFAULT_LIMIT = 100;
const LARGEST_LIMIT = 1000;

/**
 * Newest first. The cursor is the creation time of the page's last row, with the microseconds that the rows do not
 * show; the next page is strictly older. A page with rows always carries one, even the last.
 */
function list(call: Call): Answer {
  const project = projectOf(call);
  const limit = wholeNumber(call.query, "limit", 1, LARGEST_LIMIT) ?? DEFAULT_LIMIT;
  const cursor = call.query.get("cursor");
  if (cursor !== null && Number.isNaN(Date.parse(cursor))) throw refuse.badQuery("cursor", "not a time");
  const page = call.site.world.operations
    .filter((one) => one.project_id === project.id && (cursor === null || one.created_at < cursor))
    .reverse()
    .slice(0, limit);
  const last = page.at(-1);
  return {
    status: 200,
    body: { operations: page.map(operationAnswer), ...(last ? { pagination: { cursor: last.created_at } } : {}) },
  };
}

function get(call: Call): Answer {
  const project = projectOf(call);
  const id = call.params["operation"] as string;
  refuse.badOperationId(id);
  const operation = call.site.world.operations.find((one) => one.id === id.toLowerCase());
  if (operation?.project_id !== project.id) throw refuse.missing("operation");
  return { status: 200, body: { operation: operationAnswer(operation) } };
}

export const operationRoutes: Route[] = [
  route("GET", "/projects/:project/operations", list),
  route("GET", "/projects/:project/operations/:operation", get),
];
