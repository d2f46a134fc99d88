import type { Site } from "./rules.js";

export interface Call {
  site: Site;
  params: Record<string, string>;
  query: URLSearchParams;
  body: unknown;
  /** The only project that the key reaches, if it does not reach everything. */
  reach?: string;
}

export interface Answer {
  status: number;
  body?: unknown;
}

export type Handler = (call: Call) => Answer;

export interface Route {
  method: string;
  segments: string[];
  handler: Handler;
}

/** `:name` in the path is a parameter. */
export const route = (method: string, path: string, handler: Handler): Route => ({
  method,
  segments: path.split("/").slice(1),
  handler,
});
