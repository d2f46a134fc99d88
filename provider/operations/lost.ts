import { Patience } from "../api/patience.js";
import { pauseBefore } from "../api/retry.js";
import { LAST_LOOK_MS } from "../cancellation.js";
import { type Deadline, duration } from "../clock.js";
import { isKind, Unclear } from "../errors.js";
import type { Context } from "./context.js";

/** Milliseconds between a lost answer and the next try: the work may still be on its way through a proxy. */
const PAUSE_MS = 2000;

/**
 * Sends a mutation, and looks what became of it after each lost answer, before it is sent again. The look is also taken
 * when the time is up and after a cancel: what was begun must not be forgotten.
 * @param find tells what a lost request came to; undefined where it did nothing. Its deadline goes on after a cancel
 * @throws Unclear where nobody can tell whether the last one did its work
 */
export async function untilClear<T>(
  { clock, say }: Context,
  deadline: Deadline,
  send: () => Promise<T>,
  find: (deadline: Deadline) => Promise<T | undefined>,
): Promise<T> {
  const patience = new Patience(clock, say);
  let lost: Unclear | undefined;
  for (let count = 0; ; count++) {
    try {
      return await send();
    } catch (error) {
      // The time ran out between two tries, or a cancel came: what was lost before says more.
      if (lost && (isKind(error, "deadline") || isKind(error, "cancelled"))) throw lost;
      if (!isKind(error, "unclear")) throw error;
      lost = error;
    }
    const { request, reason, answer, message } = lost;
    const found = await find(deadline.withGrace(LAST_LOOK_MS)).catch((error: unknown) => {
      const kinds = ["service", "deadline", "unclear", "cancelled"] as const;
      if (!(error instanceof Error) || !kinds.some((kind) => isKind(error, kind))) throw error;
      const both = new Unclear(request, reason, answer);
      both.message = `${message}; looking for what it did failed too: ${error.message}`;
      throw both;
    });
    if (found !== undefined) return found;
    const random = () => clock.random();
    const pause = pauseBefore({ count, floorMs: PAUSE_MS, leftMs: deadline.leftMs(), random });
    if (pause === undefined) {
      if (count > 0) lost.message += `; tried ${count + 1} times in ${duration(patience.passedMs())}`;
      throw lost;
    }
    patience.tell((passed) => `${message}; it did nothing, trying again (${duration(passed)})`);
    const before = lost;
    await clock.sleep(pause).catch((error: unknown) => {
      // One look did not find it, but it may still be on its way.
      throw isKind(error, "cancelled") ? before : error;
    });
  }
}
