// What really happened to computes at the service, and which stack asked for it.

import type { Emulator, EmulatorRequest, EndpointRow, OperationRow } from "../../emulator/index";

/** A request that could change a compute, and what it did. */
export interface ChangeRequest {
  stack: number;
  method: string;
  /** The action in the path, such as "restart". */
  action?: string;
  project: string;
  /** The compute; after a create, the new one. */
  id?: string;
  body: Record<string, unknown>;
  /** The compute before the request; absent for a create. */
  before?: EndpointRow;
  /** The compute after the request; absent after a delete, and if nothing was created. */
  after?: EndpointRow;
  /** The operations that the request began. */
  operations: OperationRow[];
  at: number;
}

const PATH = /^\/api\/v2\/projects\/([^/]+)\/endpoints(?:\/([^/]+))?(?:\/([^/]+))?$/;

/** A shallow copy is enough: the emulator replaces settings and never writes into them. */
const copy = (row: EndpointRow | undefined): EndpointRow | undefined => row && { ...row };

export class History {
  changeRequests: ChangeRequest[] = [];
  /** The request that created each compute that a stack has created. */
  readonly makers = new Map<string, ChangeRequest>();
  /** How many requests of any kind have reached the service. */
  requests = 0;

  /** @param stackOf the number of the stack that has this key */
  constructor(emulator: Emulator, stackOf: (key: string) => number, now: () => number) {
    const handle = emulator.handle;
    emulator.handle = (request) => {
      this.requests++;
      if (request.method === "GET") return handle(request);
      const changeRequest = this.#recordBefore(
        emulator,
        request,
        stackOf(request.headers["authorization"] ?? ""),
        now(),
      );
      if (!changeRequest) return handle(request);
      const { world } = emulator;
      const began = world.operations.length;
      const ids = changeRequest.id ? undefined : new Set(Object.keys(world.endpoints));
      // The handler does its work before its first await.
      const answer = handle(request);
      if (ids) changeRequest.id = Object.keys(world.endpoints).find((id) => !ids.has(id));
      changeRequest.after = copy(world.endpoints[changeRequest.id ?? ""]);
      changeRequest.operations = world.operations.slice(began);
      this.changeRequests.push(changeRequest);
      if (ids && changeRequest.id) this.makers.set(changeRequest.id, changeRequest);
      return answer;
    };
  }

  #recordBefore(
    emulator: Emulator,
    { method, path, body }: EmulatorRequest,
    stack: number,
    at: number,
  ): ChangeRequest | undefined {
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

/** Whether the service carried the request out. */
export const isCarriedOut = ({ method, action, before, after, operations }: ChangeRequest): boolean => {
  if (method === "POST" && !action) return after !== undefined;
  if (method === "DELETE") return before !== undefined && after === undefined;
  return operations.length > 0 || (after !== undefined && before?.updated_at !== after.updated_at);
};

/** How the request dropped the connections of an active compute; undefined if it did not. */
export function dropOf({ method, action, before, after }: ChangeRequest): string | undefined {
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
