// `onDelete` and `onRestart`: how a program handles deletions and restarts.

import { type Impact, isAtLeast } from "./impact.js";

export const ON_RESTART = ["allow", "warn", "refuse"] as const;
export type OnRestart = (typeof ON_RESTART)[number];

/** Whether a delete only releases the compute. Without `onDelete`, an adopted compute is released, and another one is deleted. */
export const isReleasedBy = ({ onDelete, adopted }: { onDelete?: unknown; adopted?: unknown }): boolean =>
  (onDelete ?? (adopted === true ? "release" : "delete")) === "release";

/**
 * Whether `onRestart` stops a change with this impact.
 * @param own the resource's `onRestart`; where it has none, the stack's counts
 */
export const refuses = (impact: Impact, own: unknown, stack?: OnRestart): boolean =>
  (own ?? stack) === "refuse" && isAtLeast(impact, "restart");

/**
 * The environment variable that lets a preview show everything under `refuse`. It is not a config setting: Pulumi writes
 * `--config` into the stack's file, and from there it would reach `pulumi up`.
 */
export const PREVIEW_VARIABLE = "COMPUTE_ON_RESTART";

type Variables = Readonly<Record<string, string | undefined>>;

export const softensPreviews = (env: Variables): boolean => env[PREVIEW_VARIABLE] === "warn";

/** The warning about a value without effect; undefined if the value is fine. */
export function previewVariableProblem(env: Variables): string | undefined {
  const value = env[PREVIEW_VARIABLE];
  if (!value || softensPreviews(env)) return undefined;
  return `the environment variable ${PREVIEW_VARIABLE} does nothing with this value: only "warn" is valid. With it, a preview shows the changes that onRestart: "refuse" stops. \`pulumi up\` ignores it`;
}
