// Validates a program's values and adds the computed inputs `restart` and `__notice`. No request: the engine runs checks one by one.

import type { OnRestart, ProviderConfig } from "../config.js";
import { adoptionOf, type Marked } from "../rules/adoption.js";
import { approvalOf, approveCommand, identityOf } from "../rules/approval.js";
import { autoNameOf } from "../rules/auto-name.js";
import { noticeInput, noticeOf } from "../rules/notice.js";
import { atLeast, changeOf, impactOf, markerOf, replacementOf, sentence, type Verdict } from "../rules/restart.js";
import { isHidden } from "../rules/settings.js";
import { ASKED_AGAIN, MARKER, REFUSED } from "../rules/texts.js";
import { wishOf } from "../rules/wish.js";
import { checkInputs, HIDDEN, type Inputs, type Problem, UNKNOWN_VALUE } from "./inputs.js";
import type { Ownership } from "./ownership.js";
import { impossible, replacementBy, retakenText } from "./replacement.js";

type Raw = Record<string, unknown>;

export interface CheckAnswer {
  inputs: Raw;
  failures: Problem[];
  /** Size problems under `compute:sizes: unchecked`. */
  warnings: string[];
}

/**
 * The first check of each resource in this process, by its URN. For a replacement the engine calls check twice, with
 * the old inputs and then with none: the second call is the one that shows, and only this memory tells it from a
 * creation.
 */
export type FirstChecks = Map<string, Raw>;

/** @param ownership what diff saw of this resource and of others */
export function check(
  first: FirstChecks,
  config: ProviderConfig,
  olds: Raw,
  news: Raw,
  ownership?: Ownership,
): CheckAnswer {
  const urn = typeof news["__urn"] === "string" ? news["__urn"] : undefined;
  const isKnown = Object.keys(olds).some((key) => !(HIDDEN as readonly string[]).includes(key));
  if (urn && isKnown) first.set(urn, olds);
  const before = isKnown ? olds : urn ? first.get(urn) : undefined;
  ownership?.check(urn, !isKnown);
  if (urn && news["__mayReplace"]) ownership?.branches.mayBeReplaced(urn);

  const secrets = new Set([...names(news["__secret"]), ...names(before?.["__secret"])]);
  const { inputs, unknown, problems, sizeProblems } = checkInputs(news);
  const unchecked = config.sizes === "unchecked";
  const bad = [...problems, ...regionProblems(before, news), ...(unchecked ? [] : sizeProblems)];
  const failures = [...configProblems(config), ...bad.map((problem) => withoutSecrets(problem, secrets))];

  const wish = wishOf(inputs, unknown);
  const seen = !isKnown && urn && before ? ownership?.compared(urn) : undefined;
  const replacement = seen && before && replacementBy(seen, before, news, { inputs, unknown });
  if (seen && before && replacement?.by === "impossible") failures.push(impossible(seen, before, news));
  const isNew = urn !== undefined && !before && !unknown.has("adopt");
  const conflict = isNew ? ownership?.branches.create(urn, wish, inputs.adopt) : undefined;
  if (conflict) failures.push(withoutSecrets({ property: "branchId", reason: conflict }, secrets));
  const judge = isKnown || replacement?.by === "same" ? impactOf : replacementOf;
  const old = before && wishOf(before as Inputs);
  const verdict = old && judge(old, wish, { secrets, asSize: asSize(news) });
  if (failures.length === 0 && old && verdict) {
    // Nobody can approve a takeover by an unknown `adopt`, or a deletion by an unknown `onDelete`.
    const canBe = urn !== undefined && !unknown.has("adopt") && !unknown.has("onDelete");
    const digestBy = (rule: typeof judge) =>
      canBe ? approvalOf(urn, rule(old, wish), old, wish, secrets, { old: before, next: inputs }) : undefined;
    if (isRefused(verdict, inputs.onRestart, config)) {
      // Who approved the whole new compute has approved less as well, and the first of its two checks. Whether the option
      // `replaceOnChanges` asks for one, only the engine knows: where it may, one approval is for both.
      const approval = digestBy(judge);
      const anew = digestBy(replacementOf);
      if (![approval, anew].some((one) => one !== undefined && config.approvals.digests.has(one))) {
        const isAsked = verdict.impact !== "new-host" && anew !== undefined;
        const asked = isAsked ? { digest: anew, by: news["__mayReplace"] } : undefined;
        failures.push(...refusals(verdict, urn, approval, inputs.onRestart, config, asked));
      }
    }
  }

  // Check sees no outputs: which computes lack something that was asked for, only diff and update can tell.
  const asksAgain = isKnown && config.askAgain && verdict?.impact === "none";
  const { restart, notice }: Marked = asksAgain
    ? { restart: MARKER.maybe(ASKED_AGAIN), notice: { impact: "may-restart", properties: [] } }
    : verdict
      ? { restart: markerOf(verdict), notice: noticeOf(verdict) }
      : mayAdopt(inputs, unknown)
        ? adoptionOf(inputs.adopt, wish, { secrets, asSize: asSize(news) })
        : { restart: MARKER.none };
  const checked = { ...visible(news), ...hidden(before, news, urn, config), ...noticeInput(notice), restart };
  if (!isKnown) ownership?.replaces(urn, checked, replacement);
  return {
    inputs: checked,
    failures,
    warnings: [
      ...(unchecked ? sizeProblems : []).map((problem) => {
        const { property, reason } = withoutSecrets(problem, secrets);
        return `${nameOf(urn)}${property}: ${reason}`;
      }),
      ...(seen && replacement?.by === "same" ? [`${nameOf(urn)}${retakenText(seen)}`] : []),
    ],
  };
}

/** For a line without a resource of its own: the engine tells no check which one it is for. */
const nameOf = (urn: string | undefined): string => (urn ? `${identityOf(urn)?.name}: ` : "");

const mayAdopt = (inputs: Inputs, unknown: ReadonlySet<string>): boolean =>
  Boolean(inputs.adopt) || unknown.has("adopt");

/** Whether the program speaks of `size`, known or not. */
const asSize = (news: Raw): boolean => news["size"] !== undefined;

const names = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

function visible(news: Raw): Raw {
  const gone = new Set<string>(HIDDEN);
  return Object.fromEntries(Object.entries(news).filter(([key]) => !gone.has(key)));
}

/** The inputs that are ours. The name made for a compute stays what it was first, also when the resource is renamed. */
function hidden(before: Raw | undefined, news: Raw, urn: string | undefined, config: ProviderConfig): Raw {
  const ours: Raw = {};
  const autoName = before?.["__autoName"] ?? (urn && autoNameOf(urn));
  if (config.autoName && autoName !== undefined && news["name"] === undefined) ours["__autoName"] = autoName;
  // Kept, so that the next check does not show the old value of what was secret.
  if (names(news["__secret"]).length > 0) ours["__secret"] = news["__secret"];
  // Kept, since the engine goes by the option that the state has.
  if (news["__retain"] === true) ours["__retain"] = true;
  return ours;
}

function configProblems(config: ProviderConfig): Problem[] {
  return config.problems.map(({ name, reason }) => ({ property: name, reason }));
}

/** Names of regions are public. Anything else may be a secret without our knowing. */
const shownRegion = (region: string): string =>
  /^(aws|azure|gcp)-[a-z0-9-]{4,30}$/.test(region) ? region : "another one";

/** The region is the project's; the input only asserts it. */
function regionProblems(before: Raw | undefined, news: Raw): Problem[] {
  const [old, next] = [before?.["regionId"], news["regionId"]];
  const moves = before?.["projectId"] !== news["projectId"];
  if (typeof old !== "string" || typeof next !== "string" || old === next || moves || next === UNKNOWN_VALUE) return [];
  return [
    {
      property: "regionId",
      reason: `the compute is in ${shownRegion(old)}: a compute can't change its region, which is its project's. Take regionId back, or name a project in ${shownRegion(next)}`,
    },
  ];
}

const isRefused = ({ impact }: Verdict, own: OnRestart | undefined, { onRestart: stack }: ProviderConfig): boolean =>
  (own ?? stack) === "refuse" && atLeast(impact, "restart");

/**
 * @param approval the digest that approves the change, where one can
 * @param anew the one that approves it as a replacement too, with who may ask for that: the option `replaceOnChanges`
 * (true), or rules of the program ("rules") that may add the option after the constructor
 */
function refusals(
  verdict: Verdict,
  urn: string | undefined,
  approval: string | undefined,
  own: OnRestart | undefined,
  { approvals }: ProviderConfig,
  anew?: { digest: string; by: unknown },
): Problem[] {
  // Not `--config compute:onRestart=warn`: Pulumi would write that into the stack's file, and refuse nothing from then on.
  const way = own ? "" : ", or run `pulumi config set compute:onRestart warn` and set it back afterwards";
  const where = own ? "on this resource" : "compute:onRestart in the stack's config";
  // The same tail in every refusal, for whoever reads it by machine.
  const [isAsked, mayBeAsked] = [anew?.by === true, anew?.by === "rules"];
  const given = isAsked ? anew?.digest : approval;
  const over = [isAsked || mayBeAsked ? anew?.digest : undefined, approval].flatMap(
    (one) => approvals.ended.get(one ?? "") ?? [],
  );
  const ended = over.length > 0 ? `. Its approval ended on ${over[0]}` : "";
  const wider = isAsked
    ? ". replaceOnChanges may give the compute a new host: an approval is for that too"
    : mayBeAsked
      ? `. If a rule of the program (transforms, transformations) adds replaceOnChanges, the compute gets a new host: then approve ${anew?.digest} instead, which is for both`
      : "";
  const approve = given
    ? `${ended}${wider}. To approve exactly this change, ${given}: ${approveCommand(given, approvals, urn && identityOf(urn)?.stack)}`
    : "";
  const refused = `${REFUSED} (${where}), so the compute is left as it is. To go on, set onRestart: "warn" on this resource for this one change${way}; or take the change back${approve}`;
  const felt = verdict.reasons.filter((reason) => atLeast(reason.impact, "restart"));
  if (felt.length === 0) return [{ property: "restart", reason: `${sentence(verdict)}. ${refused}` }];
  // The way out once, at the last: it is the same for all.
  return felt.map((reason, index) => ({
    property: reason.property,
    reason: `${changeOf(reason)}: ${reason.effect}${index === felt.length - 1 ? `. ${refused}` : ""}`,
  }));
}

/** A failure's text shows the value; not so for a secret. */
function withoutSecrets(problem: Problem, secrets: ReadonlySet<string>): Problem {
  // No text about triggers has their values.
  if (problem.property === "restartTriggers" || !isHidden(problem.property, secrets)) return problem;
  return { property: problem.property, reason: `the value, which is secret, is not allowed for ${problem.property}` };
}
