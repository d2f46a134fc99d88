// The flags about approvals, which two commands have.

import { dayAfter, isDay } from "../../provider/rules/approval-list.js";
import { UsageError } from "../arguments.js";
import { DEFAULT_DAYS } from "./plan.js";

export const APPROVAL_OPTIONS = {
  until: { type: "string" },
  "no-expiry": { type: "boolean" },
} as const;

/** @param width of the column with the flags */
export const approvalHelp = (width: number): string => {
  const rows: [string, string][] = [
    ["--until DAY", `the last day (UTC) of the approvals, such as 2027-01-31 (default: in ${DEFAULT_DAYS} days)`],
    ["--no-expiry", "approvals without a last day"],
  ];
  return rows.map(([flag, text]) => `  ${flag.padEnd(width)}${text}`).join("\n");
};

/** The last day of new approvals; undefined for none. @throws UsageError */
export function lastDay(
  { until, "no-expiry": noExpiry }: { until?: string; "no-expiry"?: boolean },
  nowMs: number,
): string | undefined {
  if (until !== undefined && noExpiry) throw new UsageError("--until and --no-expiry can't both be given");
  if (noExpiry) return undefined;
  if (until === undefined) return dayAfter(nowMs, DEFAULT_DAYS);
  if (!isDay(until)) throw new UsageError(`--until must be a day such as 2027-01-31, not ${JSON.stringify(until)}`);
  if (until < dayAfter(nowMs, 0))
    throw new UsageError(`--until ${until} is in the past: the approval would have no effect`);
  return until;
}
