// Keys that requests create. Each reaches everything until it is revoked. Modelling choices: the list lacks the keys of the
// options, which can't be revoked, and nothing records when a key was used.

import { parseBody } from "../http/parse-body.js";
import { type Call, type HandlerResponse, type Route, route } from "../http/route.js";
import { notFoundError } from "../model/errors.js";
import { apiKeyId, apiKeyText } from "../model/ids.js";
import { ApiKeyCreateBody } from "../model/request-bodies.js";
import type { ApiKeyRow } from "../model/rows.js";
import { timestamp } from "../model/time.js";
import { findRow, type World } from "../model/world.js";
import { assertAccountKey, creator } from "./account.js";
import { publicFields } from "./responses.js";

/** The row of a key that a client sends, if a request created it. */
export const findApiKey = ({ api_keys: keys = {} }: World, text: string): ApiKeyRow | undefined =>
  Object.values(keys).find((one) => one.key === text);

const NEVER_USED = { last_used_from_addr: "" };

/** The fields of a key in a response, without the key itself. */
const described = ({ key: _, ...row }: ApiKeyRow) => publicFields(row);

function create(call: Call): HandlerResponse {
  assertAccountKey(call);
  const { sim } = call;
  const { key_name: name } = parseBody("CreateApiKey", ApiKeyCreateBody, call.body);
  sim.world.api_keys ??= {};
  const rows = sim.world.api_keys;
  const id = apiKeyId(sim.random, rows);
  const row = { id, name, key: apiKeyText(sim.random), created_at: timestamp(sim.now) };
  rows[id] = row;
  return { status: 200, body: { ...described(row), key: row.key, created_by: creator.id } };
}

function list(call: Call): HandlerResponse {
  assertAccountKey(call);
  const rows = Object.values(call.sim.world.api_keys ?? {});
  return { status: 200, body: rows.map((row) => ({ ...described(row), created_by: creator, ...NEVER_USED })) };
}

function revoke(call: Call): HandlerResponse {
  assertAccountKey(call);
  const rows = call.sim.world.api_keys ?? {};
  const row = findRow(rows, call.params["key"]);
  if (!row) throw notFoundError("key");
  delete rows[row.id];
  return { status: 200, body: { ...described(row), created_by: creator.id, ...NEVER_USED, revoked: true } };
}

export const apiKeyRoutes: Route[] = [
  route("GET", "/api_keys", list),
  route("POST", "/api_keys", create),
  route("DELETE", "/api_keys/:key", revoke),
];
