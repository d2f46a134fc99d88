// Which kind of document a value is. Documents have no field for their kind, so their shape decides.

import { valuesIn } from "./documents.js";
import { isText, record } from "./preview.js";
import type { Raw } from "./types.js";

const HOW = "run `pulumi preview --json > preview.json`";

export interface Recognized {
  previews: Raw[];
  /** One line for each value that is not a preview. It quotes nothing: the text may be secret. */
  problems: string[];
}

export function recognize(text: string): Recognized {
  if (text.trim() === "") {
    return withoutPreview(`is empty: the preview failed before it printed a document; see its own output; ${HOW}`);
  }
  const { values, truncated } = valuesIn(text);
  const previews: Raw[] = [];
  const problems = new Set<string>();
  for (const value of values) {
    const problem = problemOf(value);
    if (problem === undefined) previews.push(value as Raw);
    else problems.add(problem);
  }
  if (truncated) problems.add(`is not a complete document: it was cut off, or changed on the way; ${HOW}`);
  else if (values.length === 0) problems.add(`is not JSON; ${HOW}`);
  return { previews, problems: [...problems] };
}

const withoutPreview = (problem: string): Recognized => ({ previews: [], problems: [problem] });

/** The kind of a document that is not a preview, and how to get a preview; undefined for a preview. */
function problemOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return `is a JSON array, not a preview; ${HOW}`;
  if (value === null || typeof value !== "object") return `is a JSON value, not a preview; ${HOW}`;
  const has = (key: string) => Object.hasOwn(value, key);
  if (Object.keys(value).length === 0) {
    return "is `{}`: the preview failed before its first step (a policy pack that can't start is one reason), and its stderr says why";
  }
  if (has("result") && has("resources")) {
    return "is the summary of `pulumi preview --output json`, which has no values: use `pulumi preview --json`";
  }
  if (has("sequence")) {
    return "is a stream of engine events, which can hold secrets and should not be kept: use `pulumi preview --json` without PULUMI_ENABLE_STREAMING_JSON_PREVIEW, not `pulumi up --json` or an event log";
  }
  if (has("resourcePlans")) return "is a saved plan (`--save-plan`): use `pulumi preview --json`";
  if (has("format_version") || has("resource_changes")) return "is a plan of Terraform, not of Pulumi";
  if (has("deployment")) return "is a state (`pulumi stack export`): use `pulumi preview --json`";
  if (!has("steps") && !has("changeSummary")) {
    return has("diagnostics")
      ? "is a preview that failed before its first step: its diagnostics and stderr say why"
      : `is another tool's JSON, not a preview; ${HOW}`;
  }
  if (refreshes(value as Raw)) {
    return "is `pulumi refresh --preview-only`, which tells what changes in the state, not on the service: use `pulumi preview --refresh --json`";
  }
  return undefined;
}

const ROOT = "::pulumi:pulumi:Stack::";

/** In the document of a refresh the stack itself has no other step than `refresh`; in a preview it has its own. */
function refreshes({ steps }: Raw): boolean {
  if (!Array.isArray(steps) || steps.length === 0) return false;
  const ops = (some: unknown[]) => some.map((step) => (step as Raw | null)?.["op"]);
  const root = steps.filter((step) => {
    const urn = record(step)?.["urn"];
    return isText(urn) && urn.includes(ROOT);
  });
  return ops(root.length > 0 ? root : steps).every((op) => op === "refresh");
}
