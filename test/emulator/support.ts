import { expect } from "vitest";
import { createEmulator, type EmulatorOptions, SEED, seededRandom, virtualTime } from "../../emulator/index.js";
import { problemsOf } from "./handlers/published.js";

export const KEY = "key-of-the-tests";
export const PROJECT = `/projects/${SEED.projectId}`;
export const ENDPOINTS = `${PROJECT}/endpoints`;
export const PRIMARY = `${ENDPOINTS}/${SEED.primaryId}`;
/** What an operation takes in these tests. */
export const OPERATION_MS = 500;

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as a client in any language would, without our types
export type Body = any;

export interface Reply {
  status: number | "cut";
  headers: Record<string, string>;
  text: string;
  body: Body;
}

/**
 * An emulator in virtual time, with a client that is not ours. Each honest answer to it is held to the published schema;
 * where a test spoils answers, they are what the test says.
 */
export function emulator({ startMs, ...options }: EmulatorOptions & { startMs?: number } = {}) {
  const time = virtualTime(startMs);
  const running = createEmulator({ apiKey: KEY, time, random: seededRandom(1), operationMs: OPERATION_MS, ...options });

  async function raw(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const answer = await running.handle({ method, path, headers, ...(body === undefined ? {} : { body }) });
    if ("cut" in answer) return { status: "cut", headers: {}, text: "", body: undefined };
    const json = answer.headers["content-type"]?.startsWith("application/json");
    return { ...answer, text: answer.body, body: json ? JSON.parse(answer.body) : undefined };
  }
  let honest = true;
  const { add } = running.faults;
  running.faults.add = (rule) => {
    if ("match" in rule) honest = false;
    add(rule);
  };
  /** A request to the API with the key. */
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const reply = await raw(method, `/api/v2${path}`, text, { Authorization: `Bearer ${KEY}`, ...headers });
    if (honest && reply.status !== "cut") expect(problemsOf(method, path, reply.status, reply.body)).toEqual([]);
    return reply;
  };
  /** A request to the control routes, without a key. */
  const control = (method: string, path: string, body?: unknown) => {
    if (path === "/faults") honest = false;
    return raw(method, `/_emulator${path}`, body === undefined ? undefined : JSON.stringify(body));
  };
  /** Lets everything end that is under way. */
  const settle = () => time.advance(60_000);
  const endpoint = async (id: string = SEED.primaryId): Promise<Body> =>
    (await call("GET", `${ENDPOINTS}/${id}`)).body.endpoint;
  const primary = () => running.world.endpoints[SEED.primaryId]!;

  return { running, time, raw, call, control, settle, endpoint, primary };
}

export const actions = (reply: Reply): [string, string][] =>
  reply.body.operations.map((one: Body) => [one.action, one.status]);

export const statuses = async (
  { call }: Pick<ReturnType<typeof emulator>, "call">,
  reply: Reply,
): Promise<string[]> => {
  const rows = await Promise.all(
    reply.body.operations.map((one: Body) => call("GET", `/projects/${one.project_id}/operations/${one.id}`)),
  );
  return rows.map((row) => row.body.operation.status);
};
