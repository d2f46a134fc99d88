/** When computes were down, by the service's own record of operations. */
import type { OperationRow, World } from "../../emulator/index.js";

interface Span {
  from: number;
  /** Infinity after a failure that nothing has mended. */
  to: number;
}

/** From the beginning of work on a compute until its end. Work that has failed ends with the next work that succeeds. */
function downTimes(operations: readonly OperationRow[], id: string): Span[] {
  const spans: Span[] = [];
  for (const one of operations.filter(({ endpoint_id }) => endpoint_id === id)) {
    if (one.status === "skipped") continue;
    const from = Date.parse(one.created_at);
    const to = one.status === "finished" ? Date.parse(one.updated_at) : Number.POSITIVE_INFINITY;
    const last = spans.at(-1);
    // The operations of a chain are created together.
    if (last && from <= last.to) last.to = to;
    else spans.push({ from, to });
  }
  return spans;
}

/** The largest number of these computes that were down at the same moment. */
export function mostDownAtOnce({ operations }: Pick<World, "operations">, ids: readonly string[]): number {
  const inOrder = [...operations].sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
  const spans = ids.flatMap((id) => downTimes(inOrder, id));
  return Math.max(0, ...spans.map(({ from }) => spans.filter((one) => one.from <= from && from < one.to).length));
}
