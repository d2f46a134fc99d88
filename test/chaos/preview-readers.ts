// What a preview said, as each of its readers gets it: the marker, the warning, the report, the policies and the engine's diff.

import { stackReport } from "../../cli/report/stack";
import type { Finding } from "../../cli/report/types";
import { exitCodeOf } from "../../cli/report/verdict";
import { computePolicies } from "../../policy/index";
import type { Impact } from "../../provider/rules/impact";
import { worstImpact } from "../../provider/rules/impact";
import { readNotice } from "../../provider/rules/notice";
import { identityOf } from "../../provider/rules/urn";
import type { Lab, Outcome, Props, Resource } from "../support/lab";

import { Violation } from "./judge/judge";

/** What the preview said of one resource, for each reader. */
export interface ResourcePreview {
  op: Outcome["op"] | "delete";
  marker: Impact;
  /** The text of the input `restart`. */
  text: string;
  /** The impact of which the resource's hook warned. */
  warning: Impact;
  /** The report's finding; absent if the preview has no step for the resource. */
  finding?: Finding;
  /** The worst impact that a policy reported. */
  policy: Impact;
  /** The paths in the engine's detailed diff. */
  differs: readonly string[];
  /** Why check or diff refused it. */
  failures: readonly string[];
  /** Whether the preview said that `up` will fail. */
  isPredictedToFail: boolean;
}

export interface PreviewResult {
  shown: Record<string, ResourcePreview>;
  /** The report's exit code. */
  exitCode: number;
  /** Check or diff refused a resource, so `up` ends before its first step. */
  failed: boolean;
}

const POLICIES = computePolicies();
const FAIL_ON = { level: "restart", deletions: true } as const;
const IMPACT_OF = (policy: string): Impact => policy.slice("compute-".length) as Impact;

/** @param gone the state's resources that the program does not name */
export function read(lab: Lab, plans: Record<string, Outcome>, gone: readonly [string, Resource][]): PreviewResult {
  const document = documentOf(lab, plans, gone);
  const report = stackReport(document, { source: "chaos", failOn: FAIL_ON, folder: "", nowMs: lab.clock.wall() });
  const findings = new Map(report.findings.map((one) => [one.urn, one]));
  const shown: Record<string, ResourcePreview> = {};
  for (const [name, plan] of Object.entries(plans)) shown[name] = shownIn(lab, name, plan, findings);
  for (const [name] of gone) {
    const finding = findings.get(lab.urn(name));
    shown[name] = { ...NOTHING, op: "delete", ...(finding ? { finding } : {}) };
  }
  const failed = Object.values(plans).some(({ failures }) => failures.length > 0);
  return { shown, exitCode: exitCodeOf([report], [], FAIL_ON), failed };
}

const NOTHING: Omit<ResourcePreview, "op"> = {
  marker: "none",
  text: "no",
  warning: "none",
  policy: "none",
  differs: [],
  failures: [],
  isPredictedToFail: false,
};

function shownIn(lab: Lab, name: string, plan: Outcome, findings: ReadonlyMap<string, Finding>): ResourcePreview {
  const finding = findings.get(lab.urn(name));
  const failures = plan.failures.map(({ property, reason }) => `${property}: ${reason}`);
  return {
    op: plan.op,
    marker: markerOf(plan),
    text: plan.marker,
    warning: plan.notice,
    ...(finding ? { finding } : {}),
    policy: policyImpactOf(lab, name, plan.inputs),
    differs: plan.differs,
    failures,
    isPredictedToFail: plan.outlook?.kind === "fails",
  };
}

/** The impact in the input `__notice`. The text in `restart` must say the same. */
function markerOf({ marker, inputs }: Outcome): Impact {
  const impact = readNotice(inputs)?.impact ?? "none";
  const word = impact === "none" ? "no" : impact === "may-restart" ? "maybe" : "yes";
  if (marker.split(":")[0] !== word) throw new Violation("text and data differ", `"${marker}" stands beside ${impact}`);
  return impact;
}

function policyImpactOf(lab: Lab, name: string, inputs: Props): Impact {
  const urn = lab.urn(name);
  const told: Impact[] = [];
  for (const policy of POLICIES) {
    const args = { type: lab.type, props: inputs, urn, name, getConfig: () => ({}) };
    const validate = policy.validateResource as unknown as (args: unknown, report: (text: string) => void) => void;
    validate(args, () => void told.push(IMPACT_OF(policy.name)));
  }
  return worstImpact(told);
}

/** The document of `pulumi preview --json`, as far as its readers look. */
function documentOf(
  lab: Lab,
  plans: Record<string, Outcome>,
  gone: readonly [string, Resource][],
): Record<string, unknown> {
  const [urn] = [...Object.keys(plans), ...gone.map(([name]) => name)].map((name) => lab.urn(name));
  const identity = urn === undefined ? undefined : identityOf(urn);
  const root = `urn:pulumi:${identity?.stack ?? "dev"}::${identity?.project ?? "lab"}::pulumi:pulumi:Stack::root`;
  const stateOf = ({ id, inputs, outputs, retainOnDelete, initErrors, pendingReplacement }: Resource) => ({
    ...{ id, type: lab.type, inputs, outputs, initErrors },
    ...(retainOnDelete ? { retainOnDelete } : {}),
    ...(pendingReplacement ? { pendingReplacement } : {}),
  });
  const steps: Record<string, unknown>[] = [{ op: "same", urn: root }];
  const diagnostics: Record<string, unknown>[] = [];
  for (const [name, plan] of Object.entries(plans)) {
    const old = lab.state.get(name);
    for (const { reason } of plan.failures)
      diagnostics.push({ urn: lab.urn(name), severity: "error", message: reason });
    if (plan.op === "same" || plan.op === "refused") continue;
    // If the provider answers `changes: true`, the engine has no paths.
    const shows = plan.diff?.changes === undefined && plan.differs.length > 0;
    steps.push({
      op: plan.op,
      urn: lab.urn(name),
      ...(old ? { oldState: stateOf(old) } : {}),
      newState: { type: lab.type, inputs: plan.inputs },
      detailedDiff: shows ? Object.fromEntries(plan.differs.map((path) => [path, { kind: "update" }])) : null,
    });
  }
  for (const [name, resource] of gone) {
    if (resource.pendingReplacement) continue;
    steps.push({ op: "delete", urn: lab.urn(name), oldState: stateOf(resource) });
  }
  const changeSummary: Record<string, number> = {};
  for (const { op } of steps) changeSummary[String(op)] = (changeSummary[String(op)] ?? 0) + 1;
  // Through JSON, as a reader gets it from a file.
  return JSON.parse(JSON.stringify({ config: {}, steps, diagnostics, changeSummary })) as Record<string, unknown>;
}
