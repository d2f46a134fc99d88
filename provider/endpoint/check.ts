// Validates a program's values and adds the computed inputs `restart` and `__notice`. Sends no request, because the engine runs
// checks one after the other.

import type { ProviderConfig } from "../config.js";
import { digestOfChange } from "../rules/approval.js";
import { impactOf, replacementOf, restartText } from "../rules/impact.js";
import { autoNameOf } from "../rules/name.js";
import { adoptionNotice, type ComputedInputs, noticeInput, noticeOf } from "../rules/notice.js";
import { refuses } from "../rules/policies.js";
import { desiredSettings, isSecret } from "../rules/settings.js";
import { ASKED_AGAIN, RESTART_TEXT } from "../rules/texts.js";
import { textsIn } from "../rules/texts-in.js";
import { identityOf } from "../rules/urn.js";
import { escapeInvisibleLines } from "../visible-text.js";
import { configFileOfEngine } from "./engine-arguments.js";
import type { Hints } from "./hints.js";
import { checkInputs, INTERNAL_INPUTS, type Inputs, type Problem, UNKNOWN_VALUE } from "./inputs.js";
import type { Ownership } from "./ownership.js";
import { impossibleReplacement, replacedCompute, replacementBy, retakenText } from "./replacement.js";
import { refusalsOf } from "./restart-refusal.js";

type Raw = Record<string, unknown>;

export interface CheckAnswer {
  inputs: Raw;
  failures: Problem[];
  /** Size problems if `compute:sizes` is `unchecked`, and the line of a replacement that keeps its compute. */
  warnings: string[];
}

/**
 * The old inputs of each resource that this process has checked, by its URN, for the second check of a replacement. The engine calls
 * check twice then: first with the old inputs, then without. The second call looks like a creation, and the preview shows its answer.
 * This map tells them apart. (`OldInputs` in old-inputs.ts keeps old inputs for diff and update, which get no URN.)
 */
export type FirstOldInputs = Map<string, Raw>;

/** @param ownership the resources that diff has seen */
export function check(
  firstOldInputs: FirstOldInputs,
  config: ProviderConfig,
  olds: Raw,
  news: Raw,
  hints: Hints,
  ownership?: Ownership,
): CheckAnswer {
  const { urn } = hints;
  const hasOldInputs = Object.keys(olds).some((key) => !(INTERNAL_INPUTS as readonly string[]).includes(key));
  if (urn && hasOldInputs) firstOldInputs.set(urn, olds);
  const before = hasOldInputs ? olds : urn ? firstOldInputs.get(urn) : undefined;
  ownership?.noteCheck(urn, !hasOldInputs);
  if (urn && hints.mayReplace) ownership?.branchMoves.noteReplaceable(urn);

  const secrets = new Set([...(hints.secrets ?? []), ...textsIn(before?.["__secret"])]);
  const { inputs, unknown, problems, sizeProblems } = checkInputs(news);
  const unchecked = config.sizes === "unchecked";
  const invalid = [...problems, ...regionProblems(before, news), ...(unchecked ? [] : sizeProblems)];
  const failures = [...configProblems(config), ...invalid.map((problem) => withoutSecrets(problem, secrets))];

  const desired = desiredSettings(inputs, unknown);
  // In the second check of a replacement: the state that diff got between the two checks.
  const compared = !hasOldInputs && urn && before ? ownership?.comparedAs(urn) : undefined;
  const replacement = compared && before && replacementBy(compared, before, news, { inputs, unknown }, hints);
  if (compared && before && replacement?.outcome === "impossible")
    failures.push(impossibleReplacement(compared, before, news, hints));
  const isNew = urn !== undefined && !before && !unknown.has("adopt");
  const conflict = isNew ? ownership?.branchMoves.noteCreate(urn, desired, inputs.adopt) : undefined;
  if (conflict) failures.push(withoutSecrets({ property: "branchId", reason: conflict }, secrets));
  const assess = hasOldInputs || replacement?.outcome === "retaken" ? impactOf : replacementOf;
  const old = before && desiredSettings(before as Inputs);
  const assessment = old && assess(old, desired, { secrets, asSize: asSize(news) });
  const isRefused =
    assessment && refuses(assessment.impact, inputs.onRestart, config.onRestart) && !isSoftened(config, hints);
  if (failures.length === 0 && old && isRefused) {
    // If `adopt` or `onDelete` is unknown, the change can't be approved.
    const canApprove = urn !== undefined && !unknown.has("adopt") && !unknown.has("onDelete");
    const digestBy = (rule: typeof assess) =>
      canApprove
        ? digestOfChange(urn, rule(old, desired), old, desired, secrets, { old: before, next: inputs })
        : undefined;
    // Only the engine knows whether `replaceOnChanges` turns this change into a replacement. An approval of the replacement also
    // covers the change in place, so it passes both checks.
    const [digest, ofReplacement] = [digestBy(assess), digestBy(replacementOf)];
    const { approvals } = config;
    if (![digest, ofReplacement].some((one) => one !== undefined && approvals.digests.has(one))) {
      const replacementDigest = assessment.impact === "new-host" ? undefined : ofReplacement;
      const offer = { digest, replacementDigest, mayReplace: hints.mayReplace };
      const own = inputs.onRestart;
      const configFile = configFileOfEngine();
      failures.push(...refusalsOf({ assessment, urn, own, offer, approvals, asSize: asSize(news), configFile }));
    }
  }

  const replaces = compared && before && replacedCompute(compared, before, hints, replacement);
  // Check sees no outputs. Only diff and update can tell which computes lack a value that was asked for.
  const asksAgain = hasOldInputs && config.askAgain && assessment?.impact === "none";
  const { restart, notice }: ComputedInputs = asksAgain
    ? { restart: RESTART_TEXT.maybe(ASKED_AGAIN), notice: { impact: "may-restart", properties: [] } }
    : assessment
      ? { restart: restartText(assessment, replaces?.fate), notice: noticeOf(assessment, replaces) }
      : mayAdopt(inputs, unknown)
        ? adoptionNotice(inputs.adopt, desired, { secrets, asSize: asSize(news) })
        : { restart: RESTART_TEXT.none };
  const checked = {
    ...programInputs(news),
    ...internalInputs(before, news, hints, config),
    ...noticeInput(notice),
    restart,
  };
  if (!hasOldInputs) ownership?.noteReplacement(urn, checked, replacement);
  return {
    inputs: checked,
    failures: failures.map(({ property, reason }) => ({ property, reason: escapeInvisibleLines(reason) })),
    warnings: [
      ...(unchecked ? sizeProblems : []).map((problem) => {
        const { property, reason } = withoutSecrets(problem, secrets);
        return `${nameOf(urn)}${property}: ${reason}`;
      }),
      ...(compared && replacement?.outcome === "retaken" ? [`${nameOf(urn)}${retakenText(compared)}`] : []),
    ],
  };
}

/**
 * Whether `refuse` only warns: in a preview, with `COMPUTE_ON_RESTART=warn`. Pulumi does not tell check whether it is a preview,
 * so an adapter has to. In `pulumi up`, no adapter sets `isPreview`, so `up` always refuses.
 */
const isSoftened = ({ softensPreviews }: ProviderConfig, { isPreview = false }: Hints): boolean =>
  softensPreviews && isPreview;

/** The resource's name in front of a warning, which Pulumi prints under the stack and not at the resource. */
const nameOf = (urn: string | undefined): string => (urn ? `${identityOf(urn)?.name}: ` : "");

const mayAdopt = (inputs: Inputs, unknown: ReadonlySet<string>): boolean =>
  Boolean(inputs.adopt) || unknown.has("adopt");

/** Whether the program sets `size`, known or not. */
const asSize = (news: Raw): boolean => news["size"] !== undefined;

function programInputs(news: Raw): Raw {
  const gone = new Set<string>(INTERNAL_INPUTS);
  return Object.fromEntries(Object.entries(news).filter(([key]) => !gone.has(key)));
}

/** The internal inputs. A generated name stays the same when the resource is renamed. */
function internalInputs(
  before: Raw | undefined,
  news: Raw,
  { urn, secrets = [], isRetained }: Hints,
  config: ProviderConfig,
): Raw {
  const ours: Raw = {};
  const autoName = before?.["__autoName"] ?? (urn && autoNameOf(urn));
  if (config.autoName && autoName !== undefined && news["name"] === undefined) ours["__autoName"] = autoName;
  // Kept, so that the next check also hides the old value of a property that was secret.
  if (secrets.length > 0) ours["__secret"] = secrets;
  // Kept, because the engine reads this option from the state when it deletes.
  if (isRetained) ours["__retain"] = true;
  return ours;
}

function configProblems(config: ProviderConfig): Problem[] {
  return config.problems.map(({ name, reason }) => ({ property: name, reason }));
}

/** A region as text. Names of regions are public. Any other value may be secret. */
const shownRegion = (region: string): string =>
  /^(aws|azure|gcp)-[a-z0-9-]{4,30}$/.test(region) ? region : "a region that is not shown";

/** The region is the project's; the input only asserts it. */
function regionProblems(before: Raw | undefined, news: Raw): Problem[] {
  const [old, next] = [before?.["regionId"], news["regionId"]];
  const moves = before?.["projectId"] !== news["projectId"];
  if (typeof old !== "string" || typeof next !== "string" || old === next || moves || next === UNKNOWN_VALUE) return [];
  return [
    {
      property: "regionId",
      reason: `the compute is in ${shownRegion(old)}: a compute is always in its project's region. Restore regionId, or choose a project in ${shownRegion(next)}`,
    },
  ];
}

/** Hides the value if the property is secret. */
function withoutSecrets(problem: Problem, secrets: ReadonlySet<string>): Problem {
  // No text about triggers has their values.
  if (problem.property === "restartTriggers" || !isSecret(problem.property, secrets)) return problem;
  return { property: problem.property, reason: `the secret value is not allowed for ${problem.property}` };
}
