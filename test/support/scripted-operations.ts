import { Deadline } from "../../provider/clock.js";
import { settle } from "../../provider/operations/settle.js";
import type { WireOperation } from "../../provider/wire/operation.js";
import { PROJECT, type Reply, type Scripted, scripted } from "./scripted-service.js";

type Row = Partial<WireOperation> & { id: string };
export const operationRow = (id: string, status: string, more: Partial<WireOperation> = {}): WireOperation => ({
  id,
  action: "start_compute",
  endpoint_id: "ep-a",
  created_at: "2026-05-04T09:59:58Z",
  failures_count: 0,
  ...more,
  status,
});

/**
 * A service with these operations. Each poll of an operation gets the next entry of its list; the last entry repeats. A
 * `Reply` is the whole answer to the poll.
 */
export function serviceWithOperations(
  plans: Record<string, Array<string | Partial<Row> | Reply>>,
  pollSeconds?: number,
): Scripted {
  const looks = new Map<string, number>();
  const next = (id: string): WireOperation | Reply => {
    const plan = plans[id]!;
    const count = looks.get(id) ?? 0;
    looks.set(id, count + 1);
    const step = plan[Math.min(count, plan.length - 1)]!;
    if (typeof step === "string") return operationRow(id, step);
    if (typeof step === "function" || "code" in step || typeof step.status === "number") return step as Reply;
    return { ...operationRow(id, "running"), ...(step as Partial<WireOperation>) };
  };
  const isRow = (one: WireOperation | Reply): one is WireOperation => "id" in one;
  return scripted(
    ({ line }) => {
      const id = /\/operations\/([^/?]+)$/.exec(line)?.[1];
      if (id) {
        const found = plans[id] ? next(id) : { status: 404, body: { message: "no such operation" } };
        return isRow(found) ? { status: 200, body: { operation: found } } : found;
      }
      const rows = Object.keys(plans).map(next);
      const broken = rows.find((one): one is Reply => !isRow(one));
      return broken ?? { status: 200, body: { operations: rows } };
    },
    { pollSeconds },
  );
}

/** The end of a wait: "done", "vanished" or the kind of the error, with the parts of it that tests check. */
export async function settleResult(s: Scripted, operations: WireOperation[], budgetMs = 600_000) {
  const deadline = new Deadline(s.clock, budgetMs);
  return s.clock.run(
    settle(s.context, PROJECT, operations, deadline).then(
      ({ vanished }) => ({
        end: vanished.length > 0 ? "vanished" : "done",
        vanished,
        message: "",
        ids: [] as string[],
      }),
      (error) => ({
        end: error.kind,
        message: error.message as string,
        ids: error.operationIds as string[],
        vanished: [],
      }),
    ),
  );
}
