import type { Simulation } from "../model/simulation.js";

export interface Call {
  sim: Simulation;
  params: Record<string, string>;
  query: URLSearchParams;
  body: unknown;
  /** The only project that the key reaches. Undefined: the key reaches everything. */
  keyProjectId?: string;
}

export interface HandlerResponse {
  status: number;
  body?: unknown;
}

export type Handler = (call: Call) => HandlerResponse;

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
