// Parses a preview document into typed steps and diagnostics. Fields may be missing, null or of the wrong type. They are skipped;
// if that could hide a change, the document counts as incomplete.

import type { Diagnostic, Preview, Raw, Step, StepState } from "./types.js";

export function previewOf(document: Raw): Preview {
  const problems: string[] = [];
  const rawSteps = listOf(document["steps"]);
  const steps = rawSteps.flatMap((raw) => stepOf(raw) ?? []);
  if (steps.length < rawSteps.length) problems.push("it has steps that can't be read");
  // Even a preview without a change has the stack's own step.
  if (steps.length === 0) problems.push("it has no steps, not even the stack's own: a filter removed them");
  const summary = summaryOf(document["changeSummary"]);
  if (summary) problems.push(...missingSteps(summary, steps));
  else problems.push("its counts of changes (changeSummary) can't be read, so nothing tells whether it is whole");
  if (document["maybeCorrupt"] === true) problems.push("Pulumi itself says that it may be corrupt");
  return {
    config: record(document["config"]) ?? {},
    steps,
    diagnostics: listOf(document["diagnostics"]).flatMap((raw) => diagnosticOf(raw) ?? []),
    problems,
  };
}

function summaryOf(value: unknown): ReadonlyMap<string, number> | undefined {
  const counts = Object.entries(record(value) ?? {});
  const isRead = counts.length > 0 && counts.every(([, count]) => Number.isSafeInteger(count) && Number(count) >= 0);
  return isRead ? new Map(counts as [string, number][]) : undefined;
}

/** Operations for which changeSummary equals the number of steps. Other counts are not reliable. */
const COUNTED = ["create", "update", "replace", "delete"];

function missingSteps(summary: ReadonlyMap<string, number>, steps: readonly Step[]): string[] {
  return COUNTED.flatMap((op) => {
    const counted = summary.get(op) ?? 0;
    const there = steps.filter((step) => step.op === op).length;
    if (counted <= there) return [];
    return [`it counts ${counted} "${op}" and has the steps of ${there}: it was cut by a filter`];
  });
}

function stepOf(value: unknown): Step | undefined {
  const raw = record(value);
  if (!raw) return undefined;
  const [old, next] = [stateOf(raw["oldState"]), stateOf(raw["newState"])];
  const urn = raw["urn"] ?? next?.raw["urn"] ?? old?.raw["urn"];
  if (typeof raw["op"] !== "string" || typeof urn !== "string") return undefined;
  return { op: raw["op"], urn, old, next, differing: differingIn(raw) };
}

function stateOf(value: unknown): StepState | undefined {
  const raw = record(value);
  if (!raw) return undefined;
  const { id, type } = raw;
  return {
    raw,
    ...(typeof id === "string" && id !== "" ? { id } : {}),
    ...(typeof type === "string" ? { type } : {}),
    inputs: record(raw["inputs"]),
    outputs: record(raw["outputs"]),
  };
}

function differingIn(raw: Raw): ReadonlySet<string> | undefined {
  const paths = [...Object.keys(record(raw["detailedDiff"]) ?? {}), ...listOf(raw["diffReasons"]).filter(isText)];
  if (paths.length === 0) return undefined;
  return new Set(paths.map(topLevelOf));
}

/** "settings" of "settings.pgSettings.work_mem". */
export const topLevelOf = (path: string): string => path.split(/[.[]/)[0]!;

function diagnosticOf(value: unknown): Diagnostic | undefined {
  const raw = record(value);
  if (!raw) return undefined;
  const { urn, severity, message } = raw;
  return {
    severity: typeof severity === "string" ? severity : "",
    message: typeof message === "string" ? message : "",
    ...(typeof urn === "string" ? { urn } : {}),
  };
}

export const record = (value: unknown): Raw | undefined =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Raw) : undefined;

export const isText = (value: unknown): value is string => typeof value === "string";

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
