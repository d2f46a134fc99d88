// The emulator's control routes. The addresses are relative, so the page works behind a proxy too.

import type { Changes } from "../model/change-types.js";

/** The emulator refused, in its own words. */
export class Refused extends Error {
  override readonly name = "Refused";
}

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export async function send<T = unknown>(method: Method, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`_emulator${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Refused(`${response.status}: ${messageIn(text)}`);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

export const changesSince = (cursor: string | undefined): Promise<Changes> =>
  send("GET", `/changes${cursor === undefined ? "" : `?cursor=${cursor}`}`);

function messageIn(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text;
  }
}
