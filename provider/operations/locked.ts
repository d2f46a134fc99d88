import { Patience } from "../api/patience.js";
import { Deadline, duration } from "../clock.js";
import type { WireOperation } from "../wire/operation.js";
import type { Context } from "./context.js";
import { outcomeOf } from "./outcome.js";
import { isGoing } from "./pending.js";
import { LOOK_MS, type News, PAGE } from "./watch.js";
import { nameOf } from "./words.js";

/** Milliseconds after which the request is tried again all the same: what goes on need not be what holds the lock. */
const LOCK_WAIT_MS = 30_000;
/** Milliseconds since its end in which work may have been what refused a request. */
const JUST_ENDED_MS = 2_000;
/** Milliseconds of a wait that is worth its looks. */
const LEAST_WAIT_MS = 500;

/**
 * What a change does after a 423: waits until the operations that go on in the project are over, whosever they are and
 * however they end, at most 30 s.
 * @returns what went on, in words; undefined when nothing did, or when that can't be seen: then plain backoff is left
 */
export async function waitForLock(
  context: Context,
  project: string,
  subject: string,
  deadline: Deadline,
): Promise<string | undefined> {
  const { clock, say, watches, client } = context;
  const budgetMs = Math.min(LOCK_WAIT_MS, deadline.leftMs());
  const limit = new Deadline(clock, budgetMs);
  try {
    const rows = await newest(context, project, budgetMs);
    const going = new Map(rows.filter((one) => isGoing(one, clock.wall())).map((one) => [one.id, one]));
    const ended = justEnded(rows).filter((one) => !going.has(one.id));
    context.turns.refused(project, subject, [...going.values()], ended);
    const [holder] = [...going.values()].map((one) => nameOf(one, client.redactor));
    if (holder === undefined) return undefined;
    const patience = new Patience(clock, say);
    const heard = ({ operations, missing }: News): boolean => {
      for (const id of going.keys()) {
        const seen = operations.get(id);
        if (missing.has(id) || (seen && outcomeOf(seen.status) !== "pending")) going.delete(id);
      }
      const [first] = going.values();
      if (first)
        patience.tell(
          (ms) => `project ${project} is busy with ${nameOf(first, client.redactor)}; waiting (${duration(ms)})`,
        );
      return going.size === 0;
    };
    await watches.follow(project, { wanted: () => [...going.keys()], heard, closely: true, deadline: limit });
    return holder;
  } catch {
    // A look that failed is no reason to give the change up: the next answer to it tells more.
    return undefined;
  }
}

/** By the service's clock, which is not ours: the newest change of any row is about now. */
function justEnded(rows: readonly WireOperation[]): WireOperation[] {
  const changed = (one: WireOperation) => Date.parse(one.updated_at ?? "") || 0;
  const last = Math.max(...rows.map(changed));
  return rows.filter((one) => last - changed(one) <= JUST_ENDED_MS);
}

/** The newest operations of the project. Where no time is left to look, or the look fails, none is known. */
async function newest({ client, clock }: Context, project: string, budgetMs: number): Promise<WireOperation[]> {
  if (budgetMs < LEAST_WAIT_MS) return [];
  const deadline = new Deadline(clock, Math.min(LOOK_MS, budgetMs));
  const page = await client.listOperations(project, { limit: PAGE }, deadline).catch(() => undefined);
  return page?.operations ?? [];
}
