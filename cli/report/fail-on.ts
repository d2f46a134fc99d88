// `--fail-on`: which findings fail the report. A deletion can't be approved, so it fails the report only with `--fail-on delete`.

import { type Impact, isAtLeast } from "../../provider/rules/impact.js";
import { UsageError } from "../arguments.js";
import type { Finding } from "./types.js";

/** The words of the flag. */
const LEVELS = ["may-restart", "restart", "stop", "new-host"] as const;
const DELETIONS = "delete";
const NEVER = "none";
const WORDS: readonly string[] = [...LEVELS, DELETIONS, NEVER];

export type FailLevel = (typeof LEVELS)[number];

export interface FailOn {
  /** The lowest impact that fails the report without an approval; undefined if no impact does. */
  level?: FailLevel;
  /** Whether each deletion fails the report. */
  deletions: boolean;
}

export const DEFAULT_FAIL_ON = "restart";

/** @param text a list, such as "restart,delete" */
export function parseFailOn(text: string): FailOn {
  const words = text.split(",").map((word) => word.trim());
  const wrong = words.find((word) => !WORDS.includes(word));
  if (wrong !== undefined)
    throw new UsageError(`--fail-on must be a list of ${WORDS.join(", ")}, not ${JSON.stringify(text)}`);
  if (words.includes(NEVER) && words.length > 1)
    throw new UsageError(`--fail-on ${NEVER} can't be combined with others`);
  const level = LEVELS.find((one) => words.includes(one));
  return { ...(level ? { level } : {}), deletions: words.includes(DELETIONS) };
}

export const failOnWords = ({ level, deletions }: FailOn): string[] => {
  const words = [...(level ? [level] : []), ...(deletions ? [DELETIONS] : [])];
  return words.length > 0 ? words : [NEVER];
};

/** The lowest impact that needs an approval. `refuse` requires one from `restart` on. */
export const approvalFloor = ({ level }: FailOn): Impact => (level === "may-restart" ? level : "restart");

export function failsReport({ impact, approval }: Finding, { level, deletions }: FailOn): boolean {
  if (impact === "delete") return deletions;
  return level !== undefined && isAtLeast(impact, level) && approval?.approved !== true;
}
