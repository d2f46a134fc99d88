// Injects the faults of a round. A fault counts when it hits a request or an operation, not when it is armed.

import type { Emulator } from "../../../emulator/index";
import type { Transport, TransportAnswer, TransportRequest } from "../../../provider/api/transport";
import type { VirtualClock } from "../../support/virtual-clock";
import type { Fault } from "./fault";
import { errorAnswer, INTERCEPTORS } from "./interceptors";
import { rulesOf, SERVICE_WORK, VANISHES } from "./kinds";
import { LAGGING_LIST, MISLEADING } from "./misleading";

/** Lets the armed faults answer requests. */
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
      .filter(({ kind }) => kind in INTERCEPTORS || kind === VANISHES || kind === SERVICE_WORK)
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
    // `skip` counts down to 0 while requests pass, and is below 0 when the fault hits. `times` counts the hits.
    if (fault && fault.skip-- <= 0 && --fault.times === 0) this.#armed.splice(this.#armed.indexOf(fault), 1);
    if (!fault || fault.skip >= 0) return this.#without(path, await go(request));
    const interceptor = INTERCEPTORS[fault.kind];
    if (interceptor) {
      this.hit(fault.kind);
      return interceptor({ request, go, fault, clock: this.clock });
    }
    if (fault.kind === SERVICE_WORK) this.#serviceWork(path);
    if (fault.kind === VANISHES) {
      const id = /\/operations\/([^/]+)$/.exec(path)?.[1];
      if (id) this.#gone.add(id);
    }
    return this.#without(path, await go(request));
  }

  #serviceWork(path: string): void {
    const computes = Object.values(this.emulator.world.endpoints).filter((one) => path.includes(one.project_id));
    const mine = computes.find((one) => path.includes(one.id)) ?? computes[0];
    if (!mine) return;
    this.emulator.startOperation({ endpointId: mine.id });
    this.hit(SERVICE_WORK);
  }

  /** The answer without operations that have vanished. */
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
    return errorAnswer(404, "operation not found");
  }
}

const METHODS = new Set<string>(["POST", "PATCH", "DELETE"]);

function fits({ kind, on }: Fault, method: string, path: string): boolean {
  const isOperation = path.includes("/operations");
  if (kind === LAGGING_LIST) return method === "GET" && path.endsWith("/endpoints");
  if (kind in MISLEADING) return method !== "GET" && (on === method || !METHODS.has(on));
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
