import { type FaultRule, Faults, type Spoiling } from "./faults.js";
import { control } from "./handlers/control.js";
import { password, uuid } from "./ids.js";
import type { Emulator, EmulatorAnswer, EmulatorOptions, EmulatorRequest, Key, RequestRecord } from "./index.js";
import { progress, release } from "./progress.js";
import * as refuse from "./refuse.js";
import type { Answer } from "./route.js";
import { find } from "./routes.js";
import type { Rules, Site } from "./rules.js";
import { SEED, seededWorld } from "./seed.js";
import { realTime } from "./time.js";

export const BASE_PATH = "/api/v2";
const CONTROL_PATH = "/_emulator";
export const LARGEST_BODY_BYTES = 1_000_000;
const DEFAULT_OPERATION_MS = 500;
const DEFAULT_SUSPEND_SECONDS = 300;
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The control plane without a socket: one request in, one answer out. */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const time = options.time ?? realTime;
  const random = options.random ?? Math.random;
  const faults = new Faults();
  const rules = rulesOf(options);
  const apiKey = options.apiKey ?? `key_${password(random).slice(4)}`;
  const keys: Key[] = [{ key: apiKey }, ...(options.keys ?? [])];
  const requests: RequestRecord[] = [];
  const world = seededWorld({ rules, faults, random, now: time.now() });

  /** The world as it is now. */
  const present = (): Site => {
    const site: Site = { world, rules, faults, random, now: time.now() };
    progress(site);
    return site;
  };

  async function handle(request: EmulatorRequest): Promise<EmulatorAnswer | { cut: true }> {
    const headers = lowerCased(request.headers);
    const id = REQUEST_ID.test(headers["x-request-id"] ?? "") ? (headers["x-request-id"] as string) : uuid(random);
    const method = request.method.toUpperCase();
    const [path, query] = split(request.path);
    if (path === CONTROL_PATH || path.startsWith(`${CONTROL_PATH}/`)) {
      return attempt(id, () => {
        const body = parsed(request.body);
        return control({
          method,
          segments: segmentsOf(path.slice(CONTROL_PATH.length)),
          body,
          site: present(),
          requests,
        });
      });
    }

    const inside = path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : path;
    const record: RequestRecord = {
      method,
      path: query === "" ? inside : `${inside}?${query}`,
      ...(request.body ? { body: readable(request.body) } : {}),
      time: time.now(),
    };
    requests.push(record);
    const work = () =>
      attempt(id, () => {
        const key = keys.find((one) => headers["authorization"] === `Bearer ${one.key}`);
        if (!key) throw refuse.unauthorized();
        if (inside === path) throw refuse.missing("route");
        const { handler, params } = find(method, segmentsOf(inside));
        const body = parsed(request.body);
        return handler({ site: present(), params, query: new URLSearchParams(query), body, reach: key.projectId });
      });
    const spoiling = faults.forRequest(method, inside);
    const answer = spoiling ? await spoil(spoiling, id, work) : work();
    record.status = "cut" in answer ? "cut" : answer.status;
    return answer;
  }

  /** The work is done at once, so that a client that gives up during the wait meets a request that was carried out. */
  async function spoil(rule: Spoiling, id: string, work: () => EmulatorAnswer) {
    const honest = rule.work ? work() : undefined;
    if (rule.delayMs) await time.sleep(rule.delayMs);
    if (rule.cut) return { cut: true as const };
    if (rule.status === undefined) {
      const answer = honest ?? work();
      return { ...answer, headers: { ...answer.headers, ...lowerCased(rule.headers ?? {}) } };
    }
    return scripted(rule, rule.status, id);
  }

  return {
    apiKey,
    seed: SEED,
    get world() {
      return present().world;
    },
    requests,
    faults: {
      add: (rule: FaultRule) => faults.add(rule),
      clear: () => {
        faults.clear();
        release(present());
      },
    },
    handle,
  };
}

function rulesOf(options: EmulatorOptions): Rules {
  const { operationMs: given = DEFAULT_OPERATION_MS } = options;
  return {
    operationMs: (action) =>
      typeof given === "number" ? given : (given[action] ?? given.default ?? DEFAULT_OPERATION_MS),
    idleUpdate: options.idleUpdate ?? "operations",
    restartIdleStatus: options.restartIdleStatus ?? 412,
    lock: options.lock ?? "project",
    suspendDefaultSeconds: options.suspendDefaultSeconds ?? DEFAULT_SUSPEND_SECONDS,
  };
}

/** Runs the work; a refusal becomes its answer, and so does a mistake of ours, so that no request takes the process down. */
function attempt(id: string, work: () => Answer): EmulatorAnswer {
  try {
    const { status, body } = work();
    return answer(id, status, body);
  } catch (error) {
    if (error instanceof refuse.Refusal) return problem(id, error.status, error.message, error.code);
    return problem(id, 500, `the emulator itself failed: ${(error as Error).stack}`);
  }
}

const problem = (id: string, status: number, message: string, code = "") =>
  answer(id, status, { request_id: id, code, message });

function answer(id: string, status: number, body?: unknown): EmulatorAnswer {
  const headers = { "x-neon-ret-request-id": id };
  if (body === undefined) return { status, headers, body: "" };
  return {
    status,
    headers: { ...headers, "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify(body),
  };
}

/** The answer of a fault rule: HTML where the body is a text, an error body like the service's where it is left out. */
function scripted(rule: Spoiling, status: number, id: string): EmulatorAnswer {
  const headers = lowerCased(rule.headers ?? {});
  const plain =
    rule.body === undefined && status >= 400
      ? problem(id, status, WORDS[status] ?? "scripted fault")
      : typeof rule.body === "string"
        ? { ...answer(id, status), headers: { "content-type": "text/html; charset=utf-8" }, body: rule.body }
        : answer(id, status, rule.body);
  return { ...plain, headers: { ...plain.headers, ...headers } };
}

const WORDS: Record<number, string> = {
  423: "project already has running conflicting operations, scheduling of new ones is prohibited",
  429: "rate limit exceeded",
};

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function split(path: string): [path: string, query: string] {
  const [before = "", ...after] = path.split("#", 1)[0]?.split("?") ?? [];
  return [before, after.join("?")];
}

function segmentsOf(path: string): string[] {
  try {
    return path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    throw refuse.brokenPath();
  }
}

/** An empty body, and the `{}` that some clients send instead of it, are both no body. */
function parsed(body: string | undefined): unknown {
  if (body === undefined || body.trim() === "") return undefined;
  if (Buffer.byteLength(body) > LARGEST_BODY_BYTES) throw refuse.tooLarge();
  try {
    return JSON.parse(body);
  } catch (error) {
    throw refuse.brokenJson((error as Error).message);
  }
}

function readable(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body.slice(0, LARGEST_BODY_BYTES);
  }
}
