// A key and the URL that it belongs to, as one layer of the configuration has them.

import { DEFAULT_API_URL, isThisMachine } from "./service-url.js";

export interface KeyAndUrl {
  apiKey?: string;
  apiUrl?: string;
  /** Whether key and URL are bound: the URL is part of the key's value, in one secret. */
  isBound: boolean;
  /** The error, as a phrase that follows the name of the key's source. */
  problem?: string;
}

/**
 * @param mayContainUrl whether the value may be `https://console.example.com/api/v2#KEY`. A reader of the file can't separate key and
 * URL if both are one secret. Only the stack's config needs this: the environment is in no file, and a program sets the URL of a
 * `Provider` itself
 */
export function keyAndUrl(value: string | undefined, url: string | undefined, mayContainUrl: boolean): KeyAndUrl {
  const [key, apiUrl] = [text(value), text(url)];
  if (key === undefined) return { apiUrl, isBound: false };
  const alone = { apiKey: key, apiUrl, isBound: false };
  if (!mayContainUrl || !/^https?:\/\//i.test(key))
    return isKey(key) ? alone : { ...alone, problem: noKey(mayContainUrl) };
  const end = key.indexOf("#");
  const boundKey = end < 0 ? undefined : text(key.slice(end + 1));
  if (boundKey === undefined || !isKey(boundKey)) return { ...alone, isBound: true, problem: noKey(true) };
  const bound = { apiKey: boundKey, apiUrl: key.slice(0, end), isBound: true };
  if (apiUrl === undefined || withoutSlash(apiUrl) === withoutSlash(bound.apiUrl)) return bound;
  return { ...bound, problem: "contains a URL, and a different URL is set as well: remove the other setting" };
}

/** The whole value, and the key in it: no message shows either. */
export function secretsIn(value: string | undefined): string[] {
  const { apiKey } = keyAndUrl(value, undefined, true);
  return [...new Set([apiKey, text(value)])].filter((one) => one !== undefined);
}

/** A mistyped URL (for example with quotes) must not be sent to the public service as a key. */
const isKey = (key: string): boolean => /^[\x21-\x7e]+$/.test(key) && !/["'`[\]{}]|:\/\/|\/api\/v\d/.test(key);

const noKey = (mayContainUrl: boolean): string =>
  `is not a key${mayContainUrl ? ", and not a URL that ends with #KEY, as in https://…/api/v2#KEY" : ""}: give it the key alone, without quotes and white space`;

const withoutSlash = (url: string): string => url.replace(/\/+$/, "");

const text = (value: string | undefined): string | undefined => value?.trim() || undefined;

/** What is wrong with a URL. Never shows the value: users may have swapped key and URL. */
export function urlProblem(value: string): string | undefined {
  if (!URL.canParse(value)) return `its value is not a URL; it looks like ${DEFAULT_API_URL}`;
  const url = new URL(value);
  if (url.username || url.password) return "a URL with a user name or a password in it is not accepted";
  // Not `search` and `hash`: both are empty for a URL that ends in "?" or "#", and the paths of requests would be appended to
  // its query or fragment.
  if (/[?#]/.test(value)) return 'the URL must end with its path, such as /api/v2: remove "?" or "#" and what follows';
  // The parser of URLs drops these or reads them as "/": the request would go to another URL than the one in the config.
  if (/[\s\\]/.test(value)) return "the URL has white space or a backslash in it: remove it";
  if (url.protocol === "https:" || (url.protocol === "http:" && isThisMachine(url.hostname))) return undefined;
  return "the URL must begin with https:// (http:// is accepted for this machine only): the API key would travel unencrypted";
}
