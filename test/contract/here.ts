/** The place where all tests of the suite work, once it is made, and what they look at. */
import { expect } from "vitest";
import { fixed, type Place, Setup } from "./place";
import type { Body, Reply } from "./service";

/** A real service takes seconds for each operation. */
export const LIMIT = { timeout: 300_000 };
export const setup = new Setup();
/** Filled before the first test. */
export const place = {} as Place;

export const get = async (path: string = place.primary): Promise<Body> =>
  (await place.service.ask("GET", path)).body.endpoint;
export const actions = ({ body }: Reply): string[] => body.operations.map((one: Body) => one.action);
export const listed = async (path: string): Promise<string[]> =>
  (await place.service.ask("GET", path)).body.endpoints.map((one: Body) => one.id);

/** The primary, active whatever a test before this one left. */
export async function active(): Promise<Body> {
  if ((await get()).current_state !== "active") await place.service.done("POST", `${place.primary}/start`);
  return get();
}
export async function idle(): Promise<void> {
  if ((await get()).current_state !== "idle") await place.service.done("POST", `${place.primary}/suspend`);
}

/** Another compute of the branch, gone after the test. */
export async function withReplica(work: (path: string, made: Reply) => Promise<void>): Promise<void> {
  const wish = { branch_id: place.branchId, type: "read_only", name: "contract", ...fixed(0.25) };
  const made = await place.service.ask("POST", place.endpoints, { endpoint: wish });
  expect(made.status).toBe(201);
  const path = `${place.endpoints}/${made.body.endpoint.id}`;
  try {
    await work(path, made);
  } finally {
    await place.service.ask("DELETE", path);
  }
}
