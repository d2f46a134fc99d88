import type * as z from "zod/mini";

const LONGEST_REASON = 500;
/** Enough for a response, or for one line about a file. */
export const SHOWN_REASONS = 3;

/** The mistakes in a value in one line: each property with its reason, at most `count` of them. */
export function describeIssues({ issues }: z.core.$ZodError, count = issues.length): string {
  const reasons = issues
    .slice(0, count)
    .map((issue) => [issue.path.join("."), issue.message].filter(Boolean).join(": "));
  const more = issues.length - reasons.length;
  return [...reasons.map((reason) => reason.slice(0, LONGEST_REASON)), ...(more > 0 ? [`and ${more} more`] : [])].join(
    "; ",
  );
}
