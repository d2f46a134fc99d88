import type { Emulator, EmulatorAnswer, EmulatorRequest, RequestRecord } from "./api.js";
import { BOUNDS } from "./bounds.js";
import { Clock, type SavedClock } from "./clock.js";
import { Faults, type Spoiling } from "./faults.js";
import { madeKey } from "./handlers/api-keys.js";
import { control } from "./handlers/control.js";
import * as http from "./http.js";
import { password, uuid } from "./ids.js";
import { RateCounter } from "./limits.js";
import { checkOptions, type EmulatorOptions, type Key, rulesOf } from "./options.js";
import { progress, release } from "./progress.js";
import * as refuse from "./refuse.js";
import { RequestLog } from "./request-log.js";
import type { Answer } from "./route.js";
import { find } from "./routes.js";
import type { Site } from "./rules.js";
import { SEED, seededWorld } from "./seed.js";
import { startServiceWork } from "./service.js";
import { load, Store } from "./store.js";

const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The control plane without a socket: one request in, one answer out. Nothing of it runs between two requests. */
export const createEmulator = (options: EmulatorOptions = {}): Emulator => build(options).emulator;

/** The emulator, and what writes its state, for those who start and end it. */
export function build(options: EmulatorOptions): { emulator: Emulator; keep: () => Promise<void> } {
  checkOptions(options);
  const saved = options.state === undefined ? undefined : load(options.state);
  const clock = clockOf(options, saved?.clock);
  const random = options.random ?? Math.random;
  const faults = new Faults();
  const rules = rulesOf(options);
  const limit = new RateCounter(rules.rateLimit);
  const apiKey = options.apiKey ?? saved?.apiKey ?? `key_${password(random).slice(4)}`;
  const keys: Key[] = [{ key: apiKey }, ...(options.keys ?? [])];
  const log = new RequestLog();
  const requests = log.records;
  let delayed = 0;
  const checks: Site["checks"] = { from: clock.now(), last: new Map() };
  const base = { rules, faults, random, checks };
  const world = saved?.world ?? seededWorld({ ...base, now: clock.now() });
  const store =
    options.state === undefined ? undefined : new Store(options.state, () => ({ apiKey, clock: clock.saved, world }));

  /** Since the state was last kept. It is so until a write has worked. */
  let changed = true;
  const keep = async () => {
    if (!store) return;
    // Who has only looked waits for the writes of what it has seen.
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

  /** The world as it is now. */
  const present = (): Site => {
    const site: Site = { ...base, world, now: clock.now() };
    if (progress(site)) changed = true;
    return site;
  };

  /** Runs the work. What it changed is kept before anybody is told. */
  async function attempt(method: string, id: string, work: () => Answer): Promise<EmulatorAnswer> {
    if (method !== "GET") changed = true;
    let answer: EmulatorAnswer;
    try {
      const { status, body } = work();
      answer = http.answer(id, status, body);
    } catch (error) {
      answer = http.problemOf(error, id, rules, clock.now());
    }
    try {
      if (store) await keep();
    } catch (error) {
      return http.problem(id, 500, `the emulator could not keep its state: ${(error as Error).message}`);
    }
    return answer;
  }

  async function handle(request: EmulatorRequest): Promise<EmulatorAnswer | { cut: true }> {
    const headers = http.lowerCased(request.headers);
    const id = REQUEST_ID.test(headers["x-request-id"] ?? "") ? (headers["x-request-id"] as string) : uuid(random);
    const method = request.method.toUpperCase();
    const [path, query] = http.splitQuery(request.path);
    if (http.isControl(path)) {
      return attempt(method, id, () => {
        const body = http.parsedBody(path, { ...request, headers });
        const segments = http.segmentsOf(path.slice(http.CONTROL_PATH.length));
        return control({ method, segments, body, site: present(), requests, clock, present });
      });
    }

    const inside = path.startsWith(`${http.BASE_PATH}/`) ? path.slice(http.BASE_PATH.length) : path;
    const record: RequestRecord = {
      method,
      path: query === "" ? inside : `${inside}?${query}`,
      ...(request.body ? { body: http.readableBody(request.body) } : {}),
      time: clock.now(),
    };
    log.add(record, request.path.length + (request.body?.length ?? 0));
    const work = () =>
      attempt(method, id, () => {
        const [, sent = ""] = /^Bearer (.+)$/.exec(headers["authorization"] ?? "") ?? [];
        const key: Key | undefined = keys.find((one) => one.key === sent) ?? madeKey(world, sent);
        if (!key) throw refuse.unauthorized();
        if (inside.length > BOUNDS.path) throw refuse.pathTooLong(BOUNDS.path);
        if (inside === path) throw refuse.missing("route");
        const { handler, params, name } = find(method, http.segmentsOf(inside));
        const wait = limit.take(name, clock.now());
        if (wait !== undefined) throw refuse.tooMany(wait);
        const body = http.parsedBody(path, { ...request, headers });
        return handler({ site: present(), params, query: new URLSearchParams(query), body, reach: key.projectId });
      });
    // Fault rules are not compared with a path that is too long.
    const spoiling = inside.length > BOUNDS.path ? undefined : faults.forRequest(method, inside);
    const answer = spoiling ? await spoil(spoiling, id, work) : await work();
    record.status = "cut" in answer ? "cut" : answer.status;
    return answer;
  }

  /** The work is done at once, so that a client that gives up during the wait meets a request that was carried out. */
  async function spoil(rule: Spoiling, id: string, work: () => Promise<EmulatorAnswer>) {
    const honest = rule.work ? await work() : undefined;
    if (rule.delayMs) {
      if (delayed >= BOUNDS.delayed) {
        return http.problemOf(refuse.tooManyWait(BOUNDS.delayed), id, rules, clock.now());
      }
      delayed += 1;
      await clock.sleep(rule.delayMs).finally(() => {
        delayed -= 1;
      });
    }
    if (rule.cut) return { cut: true as const };
    if (rule.status === undefined) {
      const answer = honest ?? (await work());
      return { ...answer, headers: { ...answer.headers, ...http.lowerCased(rule.headers ?? {}) } };
    }
    return http.scripted(rule, rule.status, id);
  }

  const emulator: Emulator = {
    apiKey,
    seed: SEED,
    get world() {
      changed = true; // by who takes it, perhaps
      return present().world;
    },
    requests,
    faults: {
      add: (rule) => faults.add(rule),
      clear: () => {
        faults.clear();
        release(present());
        changed = true;
      },
    },
    clock,
    startOperation: (what) => {
      changed = true;
      return startServiceWork(present(), what);
    },
    handle,
  };
  return { emulator, keep };
}

function clockOf({ time }: EmulatorOptions, saved: SavedClock | undefined): Clock {
  if (typeof time === "object") return new Clock(time, saved);
  const clock = new Clock(undefined, saved);
  // A clock that was kept goes on as it was, unless it is told otherwise.
  if (time !== undefined) clock.run(time);
  return clock;
}
