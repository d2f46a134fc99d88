import { findApiKey } from "./handlers/api-keys.js";
import { ChangeLog } from "./handlers/changes.js";
import { control } from "./handlers/control.js";
import { findRoute } from "./handlers/routes.js";
import {
  BASE_PATH,
  CONTROL_PATH,
  type EmulatorAnswer,
  type EmulatorRequest,
  errorResponse,
  isControl,
  jsonResponse,
  lowerCased,
  parseJsonBody,
  recordedBody,
  recordedSize,
  responseForError,
  scriptedResponse,
  segmentsOf,
  splitQuery,
} from "./http/messages.js";
import { RateLimiter } from "./http/rate-limiter.js";
import { RequestLog, type RequestRecord } from "./http/request-log.js";
import type { HandlerResponse } from "./http/route.js";
import { clockOf, type EmulatorClock } from "./model/clock.js";
import {
  notFoundError,
  pathTooLongError,
  rateLimitError,
  tooManyDelayedError,
  unauthorizedError,
} from "./model/errors.js";
import { finishStuckOperations, runDueEvents } from "./model/event-runner.js";
import type { FaultRule } from "./model/fault-types.js";
import { Faults, type RequestEffect } from "./model/faults.js";
import { password, uuid } from "./model/ids.js";
import { LIMITS } from "./model/limits.js";
import { assertOptions, behaviorOf, type EmulatorOptions, type Key } from "./model/options.js";
import type { OperationRow } from "./model/rows.js";
import { SEED, type Seed, seededWorld } from "./model/seed.js";
import { type ServiceOperation, startServiceOperation } from "./model/service-operations.js";
import type { Simulation } from "./model/simulation.js";
import type { World } from "./model/world.js";
import { loadState, StateWriter } from "./state/state-file.js";

/** A control plane in this process, without a socket. */
export interface Emulator {
  /** The key that reaches everything. */
  readonly apiKey: string;
  /** Ids of what a new world contains. */
  readonly seed: Seed;
  /** The world itself, brought up to the present. A change to it takes effect. */
  readonly world: World;
  /** The last 100,000 requests to the API. Set `length` to 0 to empty it. */
  readonly requests: RequestRecord[];
  readonly faults: {
    /** Throws an error if the rule makes no sense. */
    add(rule: FaultRule): void;
    /** Removes all rules. Operations that "never" end now succeed. */
    clear(): void;
  };
  readonly clock: EmulatorClock;
  /** Starts an operation of the service itself, which locks the project like any other. Throws if its subject does not exist. */
  startOperation(what: ServiceOperation): OperationRow[];
  /** One request, without a socket. */
  handle(request: EmulatorRequest): Promise<EmulatorAnswer | { cut: true }>;
}

const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** A control plane without a socket: one request in, one response out. It does nothing between two requests. */
export const createEmulator = (options: EmulatorOptions = {}): Emulator => buildEmulator(options).emulator;

/**
 * The emulator, and a function that saves its state.
 * @param stop ends the server, if there is one
 */
export function buildEmulator(
  options: EmulatorOptions,
  stop?: () => void,
): { emulator: Emulator; save: () => Promise<void> } {
  assertOptions(options);
  const saved = options.state === undefined ? undefined : loadState(options.state);
  const clock = clockOf(options, saved?.clock);
  const random = options.random ?? Math.random;
  const faults = new Faults();
  const behavior = behaviorOf(options);
  const limit = new RateLimiter(behavior.rateLimit);
  const apiKey = options.apiKey ?? saved?.apiKey ?? `key_${password(random).slice(4)}`;
  const keys: Key[] = [{ key: apiKey }, ...(options.keys ?? [])];
  const log = new RequestLog();
  const requests = log.records;
  const changes = new ChangeLog();
  let delayed = 0;
  const availabilityChecks: Simulation["availabilityChecks"] = { from: clock.now(), last: new Map() };
  const base = { behavior, faults, random, availabilityChecks };
  const world = saved?.world ?? seededWorld({ ...base, now: clock.now() });
  const store =
    options.state === undefined
      ? undefined
      : new StateWriter(options.state, () => ({ apiKey, clock: clock.saved, world }));

  /** Whether anything may have changed since the last successful write of the state. */
  let changed = true;
  const save = async () => {
    if (!store) return;
    // A request that changed nothing waits too: what it has seen must be on the disk before its response.
    if (!changed) await store.saved();
    if (!changed) return;
    changed = false;
    try {
      await store.save();
    } catch (error) {
      changed = true;
      throw error;
    }
  };

  clock.onChange = () => {
    changed = true;
  };

  /** The simulation at this moment. */
  const catchUp = (): Simulation => {
    const sim: Simulation = { ...base, world, now: clock.now() };
    if (runDueEvents(sim)) changed = true;
    return sim;
  };

  /** Carries out a request, and saves the changes before the response. */
  async function attempt(method: string, id: string, work: () => HandlerResponse): Promise<EmulatorAnswer> {
    if (method !== "GET") changed = true;
    let response: EmulatorAnswer;
    try {
      const { status, body } = work();
      response = jsonResponse(id, status, body);
    } catch (error) {
      response = responseForError(error, id, behavior, clock.now());
    }
    try {
      if (store) await save();
    } catch (error) {
      return errorResponse(id, 500, `the emulator could not keep its state: ${(error as Error).message}`);
    }
    return response;
  }

  async function handle(request: EmulatorRequest): Promise<EmulatorAnswer | { cut: true }> {
    const headers = lowerCased(request.headers);
    const id = REQUEST_ID.test(headers["x-request-id"] ?? "") ? (headers["x-request-id"] as string) : uuid(random);
    const method = request.method.toUpperCase();
    const [path, query] = splitQuery(request.path);
    if (isControl(path)) {
      return attempt(method, id, () => {
        const body = parseJsonBody(path, { ...request, headers });
        const segments = segmentsOf(path.slice(CONTROL_PATH.length));
        const sim = catchUp();
        const call = { method, segments, query, body, sim, requests, changes, clock, catchUp };
        return control({ ...call, ...(stop ? { stop } : {}) });
      });
    }

    const isApi = path.startsWith(`${BASE_PATH}/`);
    const apiPath = isApi ? path.slice(BASE_PATH.length) : path;
    const record: RequestRecord = {
      method,
      path: query === "" ? apiPath : `${apiPath}?${query}`,
      ...(request.body ? { body: recordedBody(request.body) } : {}),
      time: clock.now(),
    };
    log.add(record, request.path.length + (request.body ? recordedSize(request.body, record.body) : 0));
    const { body: _, ...shown } = record;
    const view = changes.add({ ...shown, ...(request.body ? { body: request.body } : {}) });
    const work = () =>
      attempt(method, id, () => {
        const [, sent = ""] = /^Bearer (.+)$/.exec(headers["authorization"] ?? "") ?? [];
        const key: Key | undefined = keys.find((one) => one.key === sent) ?? findApiKey(world, sent);
        if (!key) throw unauthorizedError();
        if (apiPath.length > LIMITS.pathCharacters) throw pathTooLongError(LIMITS.pathCharacters);
        if (!isApi) throw notFoundError("route");
        const { handler, params, name } = findRoute(method, segmentsOf(apiPath));
        const wait = limit.take(name, clock.now());
        if (wait !== undefined) throw rateLimitError(wait);
        const body = parseJsonBody(path, { ...request, headers });
        return handler({
          sim: catchUp(),
          params,
          query: new URLSearchParams(query),
          body,
          keyProjectId: key.projectId,
        });
      });
    // A long path would make the comparison with the rules' patterns slow.
    const effect = apiPath.length > LIMITS.pathCharacters ? undefined : faults.takeForRequest(method, apiPath);
    const response = effect ? await applyFault(effect, id, work) : await work();
    record.status = "cut" in response ? "cut" : response.status;
    changes.answer(view, response);
    return response;
  }

  /** Carries out the request before the delay: a client that gives up early must find that its request took effect. */
  async function applyFault(effect: RequestEffect, id: string, work: () => Promise<EmulatorAnswer>) {
    const real = effect.work ? await work() : undefined;
    if (effect.delayMs) {
      if (delayed >= LIMITS.delayedResponses) {
        return responseForError(tooManyDelayedError(LIMITS.delayedResponses), id, behavior, clock.now());
      }
      delayed += 1;
      await clock.sleep(effect.delayMs).finally(() => {
        delayed -= 1;
      });
    }
    if (effect.cut) return { cut: true as const };
    if (effect.status === undefined) {
      const response = real ?? (await work());
      return { ...response, headers: { ...response.headers, ...lowerCased(effect.headers ?? {}) } };
    }
    return scriptedResponse(effect, effect.status, id);
  }

  const emulator: Emulator = {
    apiKey,
    seed: SEED,
    get world() {
      changed = true; // The caller may change the world.
      return catchUp().world;
    },
    requests,
    faults: {
      add: (rule) => faults.add(rule),
      clear: () => {
        faults.clear();
        finishStuckOperations(catchUp());
        changed = true;
      },
    },
    clock,
    startOperation: (what) => {
      changed = true;
      return startServiceOperation(catchUp(), what);
    },
    handle,
  };
  return { emulator, save };
}
