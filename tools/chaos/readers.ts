// What a preview tells, as each of its readers tells it: the marker, the warning, the report, the policies, the engine's diff.

import { stackReport } from "../../cli/report/stack";
import type { Finding } from "../../cli/report/types";
import { exitCodeOf } from "../../cli/report/verdict";
import { computePolicies } from "../../policy/index";
import { identityOf } from "../../provider/rules/approval";
import { ENDPOINT_TYPE } from "../../provider/rules/endpoint-type";
import { readNotice } from "../../provider/rules/notice";
import type { Impact } from "../../provider/rules/restart";
import { worst } from "../../provider/rules/restart";
import type { Lab, Outcome, Props, Resource } from "../../test/support/lab";

import { Violation } from "./court";

/** What the preview of a program said of one resource, reader by reader. */
export interface Shown {
  op: Outcome["op"] | "delete";
  marker: Impact;
  /** The input `restart` itself. */
  text: string;
  /** Of the hook at the resource. */
  warning: Impact;
  /** What the report makes of the step; absent where it has no step. */
  finding?: Finding;
  /** The worst of what the policies reported. */
  policy: Impact;
  /** The paths in the engine's diff. */
  differs: readonly string[];
  /** What refused it. */
  failures: readonly string[];
  /** Whether a line of the provider says that `up` will fail. */
  foretold: boolean;
}

export interface Previewed {
  shown: Record<string, Shown>;
  /** Of the report. */
  exitCode: number;
  /** A check or a diff refused something: `up` ends before its first step. */
  failed: boolean;
}

const POLICIES = computePolicies();
const IMPACT_OF = (policy: string): Impact => policy.slice("compute-".length) as Impact;

/** @param gone resources of the state that the program does not name */
export function read(lab: Lab, plans: Record<string, Outcome>, gone: readonly [string, Resource][]): Previewed {
  const document = documentOf(lab, plans, gone);
  const report = stackReport(document, { source: "chaos", failOn: "restart", folder: "", nowMs: lab.clock.wall() });
  const findings = new Map(report.findings.map((one) => [one.urn, one]));
  const shown: Record<string, Shown> = {};
  for (const [name, plan] of Object.entries(plans)) shown[name] = shownIn(lab, name, plan, findings);
  for (const [name] of gone) {
    const finding = findings.get(lab.urn(name));
    shown[name] = { ...NOTHING, op: "delete", ...(finding ? { finding } : {}) };
  }
  const failed = Object.values(plans).some(({ failures }) => failures.length > 0);
  return { shown, exitCode: exitCodeOf([report], [], "restart"), failed };
}

const NOTHING: Omit<Shown, "op"> = {
  marker: "none",
  text: "no",
  warning: "none",
  policy: "none",
  differs: [],
  failures: [],
  foretold: false,
};

function shownIn(lab: Lab, name: string, plan: Outcome, findings: ReadonlyMap<string, Finding>): Shown {
  const finding = findings.get(lab.urn(name));
  const failures = plan.failures.map(({ property, reason }) => `${property}: ${reason}`);
  return {
    op: plan.op,
    marker: markerOf(plan),
    text: plan.marker,
    warning: plan.notice,
    ...(finding ? { finding } : {}),
    policy: policyOf(lab, name, plan.inputs),
    differs: plan.differs,
    failures,
    foretold: plan.remarks.some((line) => /will fail/.test(line)),
  };
}

/** What the text and the data beside it say alike. */
function markerOf({ marker, inputs }: Outcome): Impact {
  const impact = readNotice(inputs)?.impact ?? "none";
  const word = impact === "none" ? "no" : impact === "may-restart" ? "maybe" : "yes";
  if (marker.split(":")[0] !== word) throw new Violation("text and data differ", `"${marker}" stands beside ${impact}`);
  return impact;
}

function policyOf(lab: Lab, name: string, inputs: Props): Impact {
  const urn = lab.urn(name);
  const told: Impact[] = [];
  for (const policy of POLICIES) {
    const args = { type: ENDPOINT_TYPE, props: inputs, urn, name, getConfig: () => ({}) };
    const validate = policy.validateResource as unknown as (args: unknown, report: (text: string) => void) => void;
    validate(args, () => void told.push(IMPACT_OF(policy.name)));
  }
  return worst(told);
}

/** `pulumi preview --json`, as far as its readers look. */
function documentOf(
  lab: Lab,
  plans: Record<string, Outcome>,
  gone: readonly [string, Resource][],
): Record<string, unknown> {
  const [urn] = [...Object.keys(plans), ...gone.map(([name]) => name)].map((name) => lab.urn(name));
  const identity = urn === undefined ? undefined : identityOf(urn);
  const root = `urn:pulumi:${identity?.stack ?? "dev"}::${identity?.project ?? "lab"}::pulumi:pulumi:Stack::root`;
  const stateOf = ({ id, inputs, outputs, retainOnDelete, initErrors, pendingReplacement }: Resource) => ({
    ...{ id, type: ENDPOINT_TYPE, inputs, outputs, initErrors },
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
    // A `changes: true` of the provider leaves the engine without paths.
    const shows = plan.diff?.changes === undefined && plan.differs.length > 0;
    steps.push({
      op: plan.op,
      urn: lab.urn(name),
      ...(old ? { oldState: stateOf(old) } : {}),
      newState: { type: ENDPOINT_TYPE, inputs: plan.inputs },
      detailedDiff: shows ? Object.fromEntries(plan.differs.map((path) => [path, { kind: "update" }])) : null,
    });
  }
  for (const [name, resource] of gone) {
    if (resource.pendingReplacement) continue;
    steps.push({ op: "delete", urn: lab.urn(name), oldState: stateOf(resource) });
  }
  const changeSummary: Record<string, number> = {};
  for (const { op } of steps) changeSummary[String(op)] = (changeSummary[String(op)] ?? 0) + 1;
  // As the engine writes it, and as a file is read.
  return JSON.parse(JSON.stringify({ config: {}, steps, diagnostics, changeSummary })) as Record<string, unknown>;
}
