// The judge's eyes: what really happened to computes at the service, and who asked for it.

import type { Emulator, EmulatorRequest, EndpointRow, OperationRow } from "../../emulator/index";

/** A request that could change a compute, with what it did. */
export interface Deed {
  stack: number;
  method: string;
  /** "restart" and the like. */
  action?: string;
  project: string;
  /** Of the compute; of the new one after a create. */
  id?: string;
  body: Record<string, unknown>;
  /** As it was; absent before a create. */
  before?: EndpointRow;
  /** As it is; absent after a delete, and where nothing was created. */
  after?: EndpointRow;
  /** Rows of the world that it began. */
  operations: OperationRow[];
  at: number;
}

const PATH = /^\/api\/v2\/projects\/([^/]+)\/endpoints(?:\/([^/]+))?(?:\/([^/]+))?$/;

/** A copy that later changes do not reach: settings are replaced, never written into. */
const copy = (row: EndpointRow | undefined): EndpointRow | undefined => row && { ...row };

export class Ledger {
  deeds: Deed[] = [];
  /** Who made which compute: the number of a stack, or nobody. */
  readonly makers = new Map<string, Deed>();
  /** How many requests of any kind have reached the service. */
  requests = 0;

  /** @param stackOf tells stacks apart by their keys */
  constructor(emulator: Emulator, stackOf: (key: string) => number, now: () => number) {
    const handle = emulator.handle;
    emulator.handle = (request) => {
      this.requests++;
      if (request.method === "GET") return handle(request);
      const deed = this.#before(emulator, request, stackOf(request.headers["authorization"] ?? ""), now());
      if (!deed) return handle(request);
      const { world } = emulator;
      const began = world.operations.length;
      const ids = deed.id ? undefined : new Set(Object.keys(world.endpoints));
      // The work itself is done before the first await.
      const answer = handle(request);
      if (ids) deed.id = Object.keys(world.endpoints).find((id) => !ids.has(id));
      deed.after = copy(world.endpoints[deed.id ?? ""]);
      deed.operations = world.operations.slice(began);
      this.deeds.push(deed);
      if (ids && deed.id) this.makers.set(deed.id, deed);
      return answer;
    };
  }

  #before(emulator: Emulator, { method, path, body }: EmulatorRequest, stack: number, at: number): Deed | undefined {
    const [, project, id, action] = PATH.exec(path) ?? [];
    if (!project) return undefined;
    const parsed = body ? (JSON.parse(body) as { endpoint?: Record<string, unknown> }) : {};
    const before = id ? copy(emulator.world.endpoints[id]) : undefined;
    return {
      stack,
      method,
      ...(action ? { action } : {}),
      project,
      ...(id ? { id } : {}),
      body: parsed.endpoint ?? {},
      ...(before ? { before } : {}),
      operations: [],
      at,
    };
  }
}

/** Whether the work of a deed was done. */
export const isDone = ({ method, action, before, after, operations }: Deed): boolean => {
  if (method === "POST" && !action) return after !== undefined;
  if (method === "DELETE") return before !== undefined && after === undefined;
  return operations.length > 0 || (after !== undefined && before?.updated_at !== after.updated_at);
};

/** Whether a deed drops the connections of an active compute. */
export function drops({ method, action, before, after }: Deed): string | undefined {
  if (before?.current_state !== "active" || before.disabled) return undefined;
  if (method === "DELETE") return after ? undefined : "deleted";
  if (!after) return undefined;
  if (action === "restart" || action === "suspend") return before.updated_at === after.updated_at ? undefined : action;
  if (after.disabled) return "disabled";
  if (after.branch_id !== before.branch_id) return "moved to another branch";
  const { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max } = before;
  if (after.autoscaling_limit_min_cu !== min || after.autoscaling_limit_max_cu !== max) return "resized";
  const pg = (row: EndpointRow) => JSON.stringify(Object.entries(row.settings.pg_settings ?? {}).sort());
  return pg(before) === pg(after) ? undefined : "given other pg_settings";
}
