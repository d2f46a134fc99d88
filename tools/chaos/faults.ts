// What goes wrong between the provider and the service, and in the service's work. A fault counts when it hits a request
// or an operation, not when it is armed.

import fc from "fast-check";
import type { Emulator, FaultRule, OperationFault } from "../../emulator/index";
import type { Transport, TransportAnswer, TransportRequest } from "../../provider/api/transport";
import type { VirtualClock } from "../../test/support/virtual-clock";
import { EMPTY_TRICKS, LAG } from "./empty";
import { mangled } from "./mangle";

export type Target = "any" | "list" | "operations" | "POST" | "PATCH" | "DELETE" | "change";

export interface Fault {
  kind: string;
  on: Target;
  /** So many requests of that kind pass unharmed. */
  skip: number;
  times: number;
  /** Of the fields that are hurt. */
  salt: number;
}

export interface Scene {
  request: TransportRequest;
  go: Transport;
  fault: Fault;
  clock: VirtualClock;
}

export type Trick = (scene: Scene) => Promise<TransportAnswer>;

const network = (code: string, message: string): Error => Object.assign(new Error(message), { code });
const cut = () => network("UND_ERR_SOCKET", "other side closed");
const PAGE = "<html><head><title>Bad gateway</title></head><body>Please try again later.</body></html>";
const ID = { "x-neon-ret-request-id": "rid-of-a-fault" };

const says = (status: number, message: string, headers: Record<string, string> = {}, code = ""): TransportAnswer => ({
  status,
  headers: { ...ID, "content-type": "application/json", ...headers },
  text: JSON.stringify({ request_id: "rid-of-a-fault", code, message }),
});
const page = (status: number): TransportAnswer => ({ status, headers: { "content-type": "text/html" }, text: PAGE });
const late = async ({ request, clock }: Scene): Promise<never> => {
  await clock.sleep(request.timeoutMs);
  throw network("TIMED_OUT", `no whole answer within ${request.timeoutMs} ms`);
};

/** The status of a proxy or of the service, with the request carried out before or not. */
function statuses(): Record<string, Trick> {
  const tricks: Record<string, Trick> = {};
  for (const status of [500, 502, 504, 524]) {
    const answer = () => (status === 500 ? says(500, "internal server error") : page(status));
    tricks[`${status}, nothing done`] = async () => answer();
    tricks[`${status}, work done`] = async ({ request, go }) => {
      await go(request);
      return answer();
    };
  }
  return tricks;
}

const busy = "project already has running conflicting operations, scheduling of new ones is prohibited";
const hurt =
  (how: Parameters<typeof mangled>[1]): Trick =>
  async ({ request, go, fault }) => {
    const answer = await go(request);
    const text = answer.status >= 300 ? undefined : mangled(answer.text, how, fault.salt);
    return text === undefined ? answer : { ...answer, text };
  };

const TRICKS: Record<string, Trick> = {
  "connection refused": async () => {
    throw network("ECONNREFUSED", "connect ECONNREFUSED");
  },
  "cut before it was read": async () => {
    throw cut();
  },
  "cut after the work": async ({ request, go }) => {
    await go(request);
    throw cut();
  },
  "time-out, nothing done": late,
  "time-out, work done": async (scene) => {
    void scene.go(scene.request).catch(() => {});
    return late(scene);
  },
  ...statuses(),
  "503": async () => says(503, "service unavailable"),
  "503, Retry-After 7": async () => says(503, "service unavailable", { "retry-after": "7" }),
  "429": async () => says(429, "rate limit exceeded"),
  "429, Retry-After 9": async () => says(429, "rate limit exceeded", { "retry-after": "9" }),
  "429, Retry-After as a date": async ({ clock }) =>
    says(429, "rate limit exceeded", { "retry-after": new Date(clock.wall() + 12_000).toUTCString() }),
  "429, Retry-After absurd": async () => says(429, "rate limit exceeded", { "retry-after": "86400" }),
  "429, Retry-After negative": async () => says(429, "rate limit exceeded", { "retry-after": "-5" }),
  "423 for others' work": async () => says(423, busy),
  "HTML with 200": async ({ request, go }) => {
    await go(request);
    return page(200);
  },
  "empty body": async ({ request, go }) => ({ ...(await go(request)), text: "" }),
  "truncated body": async ({ request, go }) => {
    const answer = await go(request);
    return { ...answer, text: answer.text.slice(0, Math.ceil(answer.text.length / 2)) };
  },
  "null fields": hurt("null"),
  "missing fields": hurt("missing"),
  "unknown status words": hurt("status"),
  "unknown action words": hurt("action"),
  "404 of the project": async () => says(404, "project not found"),
  "403": async () => says(403, "this key is not allowed to do that"),
  "401": async () => says(401, "supplied credentials do not pass authentication"),
  ...EMPTY_TRICKS,
  "422 of a plan": async () => says(422, "limit of the plan reached", {}, "ENDPOINTS_LIMIT_EXCEEDED"),
};

/** Answers that are no answers of the service: what they leave out, nobody can be blamed for. */
export const LIES = new Set([
  "null fields",
  "missing fields",
  "unknown status words",
  "operation vanishes (404)",
  "empty body",
]);

const ENDS: Record<string, OperationFault["operation"]["then"]> = {
  "operation fails": "failed",
  "operation fails and recovers": "failed-then-finished",
  "operation ends in error": "error",
  "operation is cancelled": "cancelled",
  "operation never ends": "never",
};

const VANISHES = "operation vanishes (404)";
const IGNORED = "setting silently ignored";
const SERVICE_WORK = "423 for the service's own work";

/** What the emulator does by itself, counted where it meets a request. */
export const OF_THE_SERVICE = {
  lock: "423 for work under way",
  rate: "429 of the rate limit",
  notReady: "422 branch not ready",
  random: "list in random order",
  spelling: "a value spelled otherwise",
} as const;

export const FAULT_KINDS = [
  ...Object.keys(TRICKS),
  ...Object.keys(ENDS),
  VANISHES,
  IGNORED,
  SERVICE_WORK,
  ...Object.values(OF_THE_SERVICE),
];

/** What a key that may not see the project any more meets. */
const KEYS = ["404 of the project", "403"];

const targets = fc.constantFrom<Target>(
  "any",
  "any",
  "list",
  "list",
  "operations",
  "POST",
  "PATCH",
  "DELETE",
  "change",
  "change",
);

export const faults: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constantFrom(
    ...Object.keys(TRICKS),
    ...Object.keys(TRICKS),
    ...Object.keys(ENDS),
    ...Object.keys(ENDS),
    ...Object.keys(ENDS),
    ...KEYS,
    ...KEYS,
    VANISHES,
    IGNORED,
    SERVICE_WORK,
  ),
  on: targets,
  skip: fc.constantFrom(0, 0, 0, 1, 2),
  times: fc.constantFrom(1, 1, 2, 3, 60),
  salt: fc.integer({ min: 0, max: 999 }),
});

const IGNORABLE = ["autoscaling_limit_max_cu", "suspend_timeout_seconds", "disabled", "settings", "pooler_enabled"];
const ACTIONS = ["start_compute", "apply_config", "suspend_compute"];

/** What a fault is to the emulator itself. */
export function rulesOf({ kind, times, salt }: Fault): FaultRule[] {
  const then = ENDS[kind];
  const action = ACTIONS[salt % ACTIONS.length]!;
  if (then) return [{ operation: { action, then, times: Math.min(times, 3) } }];
  if (kind !== IGNORED) return [];
  return [{ ignore: { fields: [IGNORABLE[salt % IGNORABLE.length]!], times: Math.min(times, 3) } }];
}

/** Spoils requests by the armed rules. */
export class Injector {
  #armed: Fault[] = [];
  readonly #gone = new Set<string>();

  constructor(
    private readonly clock: VirtualClock,
    private readonly emulator: Emulator,
    private readonly hit: (kind: string) => void,
  ) {}

  arm(all: readonly Fault[]): void {
    this.#armed = all
      .filter(({ kind }) => kind in TRICKS || kind === VANISHES || kind === SERVICE_WORK)
      .map((one) => ({ ...one }));
    for (const rule of all.flatMap(rulesOf)) this.emulator.faults.add(rule);
  }

  clear(): void {
    this.#armed = [];
    this.#gone.clear();
    this.emulator.faults.clear();
  }

  async send(request: TransportRequest, go: Transport): Promise<TransportAnswer> {
    const path = new URL(request.url).pathname;
    const fault = this.#armed.find((one) => fits(one, request.method, path));
    if (fault && fault.skip-- <= 0 && --fault.times === 0) this.#armed.splice(this.#armed.indexOf(fault), 1);
    if (!fault || fault.skip >= 0) return this.#without(path, await go(request));
    const trick = TRICKS[fault.kind];
    if (trick) {
      this.hit(fault.kind);
      return trick({ request, go, fault, clock: this.clock });
    }
    if (fault.kind === SERVICE_WORK) this.#serviceWork(path);
    if (fault.kind === VANISHES) {
      const id = /\/operations\/([^/]+)$/.exec(path)?.[1];
      if (id) this.#gone.add(id);
    }
    return this.#without(path, await go(request));
  }

  #serviceWork(path: string): void {
    const ids = Object.values(this.emulator.world.endpoints).filter((one) => path.includes(one.project_id));
    const mine = ids.find((one) => path.includes(one.id)) ?? ids[0];
    if (!mine) return;
    this.emulator.startOperation({ endpointId: mine.id });
    this.hit(SERVICE_WORK);
  }

  /** Operations that the service has forgotten. */
  #without(path: string, answer: TransportAnswer): TransportAnswer {
    if (this.#gone.size === 0 || !path.includes("/operations")) return answer;
    const id = /\/operations\/([^/]+)$/.exec(path)?.[1];
    if (id === undefined) {
      const body = JSON.parse(answer.text) as { operations?: { id: string }[] };
      const operations = body.operations?.filter((one) => !this.#gone.has(one.id));
      return { ...answer, text: JSON.stringify({ ...body, operations }) };
    }
    if (!this.#gone.has(id)) return answer;
    this.hit(VANISHES);
    return says(404, "operation not found");
  }
}

const METHODS = new Set<string>(["POST", "PATCH", "DELETE"]);

function fits({ kind, on }: Fault, method: string, path: string): boolean {
  const isOperation = path.includes("/operations");
  if (kind === LAG) return method === "GET" && path.endsWith("/endpoints");
  if (kind in EMPTY_TRICKS) return method !== "GET" && (on === method || !METHODS.has(on));
  if (kind === VANISHES) return /\/operations\/[^/]+$/.test(path);
  switch (on) {
    case "any":
      return true;
    case "list":
      return method === "GET" && path.endsWith("/endpoints");
    case "operations":
      return isOperation;
    case "change":
      return method !== "GET";
    default:
      return method === on;
  }
}
