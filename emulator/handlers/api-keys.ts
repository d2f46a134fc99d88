import { shown } from "../answers.js";
import { apiKeyId, apiKeyText } from "../ids.js";
import { own } from "../own.js";
import * as refuse from "../refuse.js";
import { type Answer, type Call, type Route, route } from "../route.js";
import { instant } from "../time.js";
import type { ApiKeyRow, World } from "../world.js";
import { creator, ofPerson } from "./account.js";
import { ApiKeyCreateBody } from "./bodies.js";

/**
 * Keys that are made by request. Each reaches everything until it is revoked. Modelling choices: the keys that the
 * emulator was started with are not in the list and can't be revoked, and nothing records when a key was used.
 */

/** The row of the key that a client sends, if a request made that key. */
export const madeKey = ({ api_keys: keys = {} }: World, text: string): ApiKeyRow | undefined =>
  Object.values(keys).find((one) => one.key === text);

const NEVER_USED = { last_used_from_addr: "" };

/** The fields of a key in an answer, without the key itself. */
const described = ({ key: _, ...row }: ApiKeyRow) => shown(row);

function create(call: Call): Answer {
  ofPerson(call);
  const { site } = call;
  const { key_name: name } = refuse.badBody("CreateApiKey", ApiKeyCreateBody, call.body);
  site.world.api_keys ??= {};
  const rows = site.world.api_keys;
  const id = apiKeyId(site.random, rows);
  const row = { id, name, key: apiKeyText(site.random), created_at: instant(site.now) };
  rows[id] = row;
  return { status: 200, body: { ...described(row), key: row.key, created_by: creator.id } };
}

function list(call: Call): Answer {
  ofPerson(call);
  const rows = Object.values(call.site.world.api_keys ?? {});
  return { status: 200, body: rows.map((row) => ({ ...described(row), created_by: creator, ...NEVER_USED })) };
}

function revoke(call: Call): Answer {
  ofPerson(call);
  const rows = call.site.world.api_keys ?? {};
  const row = own(rows, call.params["key"]);
  if (!row) throw refuse.missing("key");
  delete rows[row.id];
  return { status: 200, body: { ...described(row), created_by: creator.id, ...NEVER_USED, revoked: true } };
}

export const apiKeyRoutes: Route[] = [
  route("GET", "/api_keys", list),
  route("POST", "/api_keys", create),
  route("DELETE", "/api_keys/:key", revoke),
];
