/** Milliseconds: nobody means to be asked again only after more than an hour, and no run would wait for it. */
const LONGEST_MS = 3_600_000;

const WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*";
/** The dates that HTTP allows, obsolete forms too, all begin with a weekday. Date.parse takes "-5" and "2" for dates. */
const DATE = new RegExp(`^${WEEKDAY}\\b`, "i");
/** Several headers are joined by commas, and a date has a comma of its own: "Mon, 04 May 2026 …", and never HTTP's "May 4, 2026". */
const VALUE = new RegExp(`\\s*(?:(?:${WEEKDAY}|[a-z]+ \\d+),)?[^,]+`, "gi");
const NUMBER = /^\d+(\.\d+)?$/;
/** The oldest form of a date names no zone, and means GMT. */
const ZONED = /(GMT|UTC?|Z|[+-]\d{4})$/i;

/**
 * `Retry-After` in milliseconds from now, or undefined when it is absent, can't be read, or can't be meant. Never negative: 0
 * and dates that have passed ask for no pause of their own, and the backoff's own lower bound still holds. Of several values
 * the longest counts: a pause must never be shorter than was asked.
 */
export function retryAfterMs(header: string | undefined, wallMs: number): number | undefined {
  const pauses = (header?.match(VALUE) ?? [])
    .map((value) => pauseOf(value.trim(), wallMs))
    .filter((pause) => pause !== undefined && pause <= LONGEST_MS);
  return pauses.length > 0 ? Math.max(...(pauses as number[])) : undefined;
}

function pauseOf(value: string, wallMs: number): number | undefined {
  if (NUMBER.test(value)) return Number(value) * 1000;
  if (!DATE.test(value)) return undefined;
  const date = Date.parse(ZONED.test(value) ? value : `${value} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, date - wallMs);
}
