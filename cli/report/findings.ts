// The steps of a document -> at most one finding for each compute.

import { type Impact, isAtLeast, isWorse } from "../../provider/rules/impact.js";
import { type OnRestart, refuses } from "../../provider/rules/policies.js";
import { identityOf, isEndpointType, isEndpointUrn } from "../../provider/rules/urn.js";
import { approvalFor, digestOrReason, noDigestForCreation, type StackRules } from "./approval.js";
import { cleanLine, quote } from "./clean.js";
import { IMPACT_WORDS } from "./impact-words.js";
import { type Compared, compare, type Judged, judgeCreation, judgeReplacement, judgeUpdate } from "./judge.js";
import { creationAsSeen, type FactsByUrn, upFailureAt, upFailuresWithoutStep } from "./message-facts.js";
import { othersOf } from "./others.js";
import { positionOf } from "./position.js";
import { deletionsIn, isReleased, isRetaken, primaryConflict } from "./primaries.js";
import { diskNote, sizeAfter, sizeOf } from "./size.js";
import type { Approval, Finding, Step } from "./types.js";
import { worstFirst } from "./verdict.js";

export interface FindOptions {
  rules: StackRules;
  /** The facts in the preview's messages. */
  facts: FactsByUrn;
  /** The lowest impact for which a finding has an approval. */
  floor: Impact;
  /** The folder of Pulumi.yaml, inside the repository. */
  folder: string;
}

/** Steps that change nothing on the service, and nothing that a reviewer has to see. */
const UNREPORTED = new Set(["same", "read", "refresh"]);
/** Steps that change only the state: the program only reads the compute, or it was deleted before. */
const IN_STATE = new Map([
  ["discard", "is no longer looked up"],
  ["discard-replaced", "is looked up anew"],
  ["read-replacement", "is looked up anew"],
  ["remove-pending-replace", "leaves the state: it was deleted before"],
]);
/** The states that a step needs to show its change. */
const REQUIRED_STATES = new Map<string, readonly ("old" | "next")[]>([
  ["create", ["next"]],
  ["update", ["old", "next"]],
  ["replace", ["old", "next"]],
]);
const STATE_WORDS = { old: "had before", next: "is asked to be" };
const REPLACEMENT_HALVES = new Set(["create-replacement", "delete-replaced", "import-replacement"]);

export function findingsOf(steps: readonly Step[], options: FindOptions): { findings: Finding[]; problems: string[] } {
  const found = new Map<string, Finding>();
  const problems = new Set<string>(upFailuresWithoutStep(options.facts, steps));
  const complete = withReplaceSteps(steps.filter(isCompute));
  const deletions = deletionsIn(complete);
  for (const step of complete) {
    if (UNREPORTED.has(step.op)) continue;
    const compared = compare(step);
    const description = describeStep(compared);
    const finding = findingOf(compared, description, options);
    const conflict = primaryConflict(step, deletions);
    if (conflict) finding.upFails ??= { why: conflict };
    if (description.isUnknownStep)
      problems.add(`it has a step ${quote(cleanLine(step.op, 40))}, which this version of the report does not know`);
    const missing = (REQUIRED_STATES.get(step.op) ?? []).filter((side) => !step[side]?.inputs);
    if (missing.length > 0)
      problems.add(
        `what ${quote(finding.name)} ${missing.map((side) => STATE_WORDS[side]).join(" and ")} is missing or can't be read`,
      );
    const key = `${step.urn} ${step.old?.id ?? ""}`;
    const known = found.get(key);
    if (!known || isWorse(finding.impact, known.impact)) found.set(key, finding);
  }
  return { findings: [...found.values()].sort(byImpactAndName), problems: [...problems] };
}

/** Looks at the type in the states and in the URN; only the URN always has one. */
const isCompute = ({ next, old, urn }: Step): boolean =>
  isEndpointUrn(urn) || [next?.type, old?.type].some(isEndpointType);

/** The document's order differs from run to run. Sorting gives the same report for the same changes. */
const byImpactAndName = (a: Finding, b: Finding): number =>
  worstFirst(a, b) || order(a.op, b.op) || order(a.urn, b.urn);

/**
 * Natural order for people: reader-2 before reader-10, and Reader-12 after both. `compareNaturally` puts all capitals first.
 * Equal keys are ordered by their characters.
 */
const order = (a: string, b: string): number => COUNTING.compare(a, b) || Number(a > b) - Number(a < b);
const COUNTING = new Intl.Collator("en", { numeric: true, sensitivity: "variant" });

/** A replacement has a `replace` step and two half steps. If the `replace` step is missing, it is built from the halves. */
function withReplaceSteps(steps: readonly Step[]): Step[] {
  const replaced = new Set(steps.filter(({ op }) => op === "replace").map(({ urn }) => urn));
  const halves = new Map<string, Step>();
  const complete = steps.filter((step) => {
    if (!REPLACEMENT_HALVES.has(step.op)) return true;
    const known = halves.get(step.urn);
    halves.set(step.urn, {
      ...known,
      ...step,
      op: "replace",
      old: step.old ?? known?.old,
      next: step.next ?? known?.next,
    });
    return false;
  });
  return [...complete, ...[...halves.values()].filter(({ urn }) => !replaced.has(urn))];
}

interface Description {
  what: string;
  judged: Judged;
  /** Why `up` will fail, if the step itself shows it. */
  upFailure?: string;
  /** Whether this version of the report does not know the step. Then the report is incomplete. */
  isUnknownStep?: true;
}

function findingOf(compared: Compared, { what, judged, upFailure }: Description, options: FindOptions): Finding {
  const { step, recorded, previousInputs, desired } = compared;
  const facts = options.facts.get(step.urn);
  const { noticeProperties: _, ...shown } = judged;
  const old = recorded ?? previousInputs ?? {};
  const isNew = step.op === "create" || (step.op === "replace" && !isRetaken(step));
  const before = step.old && sizeOf(old);
  const after = step.op === "delete" ? undefined : isNew ? sizeOf(desired) : sizeAfter(old, desired);
  const host = step.old?.outputs?.["host"];
  const losesHost = judged.impact === "delete" || judged.impact === "new-host";
  const disk = diskNote(before, after);
  const upFails = upFailureAt(step, facts) ?? (upFailure === undefined ? undefined : { why: upFailure });
  const seen = facts?.seen;
  // A deleted resource is not in the program any more, so its old line is useless.
  const position = step.op === "delete" ? undefined : positionOf(step, options.folder);
  return {
    name: cleanLine(identityOf(step.urn)?.name ?? step.urn),
    urn: cleanLine(step.urn, 500),
    ...(step.old?.id ? { id: cleanLine(step.old.id) } : {}),
    op: cleanLine(step.op, 40),
    ...shown,
    what,
    ...(step.op === "create" && upFails === undefined ? creationAsSeen(facts) : {}),
    ...othersOf(compared, judged),
    notes: [
      ...judged.notes,
      ...(disk ? [disk] : []),
      ...(isUnseenAdoption(compared, judged, options) ? [UNSEEN_ADOPTION] : []),
    ],
    ...(before ? { before } : {}),
    ...(after ? { after } : {}),
    ...(losesHost && typeof host === "string" ? { oldHost: cleanLine(host) } : {}),
    ...(mayNeedApproval(judged.impact, options.floor) ? { approval: approval(compared, judged, options.rules) } : {}),
    ...(upFails ? { upFails } : {}),
    ...(seen ? { seen } : {}),
    ...(position ? { position } : {}),
  };
}

function describeStep(compared: Compared): Description {
  const { step } = compared;
  const harmless = (what: string): Description => ({ what, judged: { impact: "none", causes: [], notes: [] } });
  const inState = IN_STATE.get(step.op);
  if (inState) return harmless(inState);
  switch (step.op) {
    case "create": {
      const judged = judgeCreation(compared);
      const adopts = judged.impact !== "none" || Boolean(step.next?.inputs?.["adopt"]);
      return { what: adopts ? "adopts a compute" : "new compute", judged };
    }
    case "update": {
      const judged = judgeUpdate(compared);
      return { what: IMPACT_WORDS[judged.impact].what, judged };
    }
    case "replace": {
      if (isRetaken(step)) return retaken(compared);
      const judged = judgeReplacement(compared);
      const notes = isReleased(step) ? [...judged.notes, STAYS] : judged.notes;
      return { what: IMPACT_WORDS["new-host"].what, judged: { ...judged, notes } };
    }
    // Only the plugin has this step. Pulumi refuses an import whose program differs from the compute.
    case "import":
      return harmless("is imported: nothing changes on the service");
    case "delete":
      // The engine refuses it, also where the provider would release the compute.
      if (step.old?.raw["protect"] === true) return { ...harmless("is protected"), upFailure: PROTECTED };
      return isReleased(step)
        ? harmless("is released: it stays on the service")
        : { what: IMPACT_WORDS.delete.what, judged: DELETION };
    default: {
      const effect = `this version of the report does not know the step ${quote(cleanLine(step.op, 40))}`;
      const judged: Judged = { impact: "may-restart", causes: [], effect, notes: [] };
      return { what: "unknown step", judged, isUnknownStep: true };
    }
  }
}

/** A released primary stays on its branch, and a branch has only one. So the replacement adopts it again, or fails. */
function retaken(compared: Compared): Description {
  const judged = judgeUpdate(compared);
  if (judged.impact === "new-host") return { what: IMPACT_WORDS["new-host"].what, judged, upFailure: NO_PLACE };
  const what = judged.impact === "none" ? "is taken over again" : IMPACT_WORDS[judged.impact].what;
  return { what, judged: { ...judged, notes: [...judged.notes, RETAKEN] } };
}

const RETAKEN =
  "the compute is released and taken over again: it keeps its host (it stays on the service, and its branch can have no second primary)";
const NO_PLACE =
  "the old compute stays on the service, and its branch can have no second primary. adopt: true keeps it with its host; another branch takes a new one";
const STAYS = "the old compute is released: it stays on the service, and costs money, until you delete it";

/** `protect` is the only guard that the preview and `up` both apply. */
const PROTECTED =
  "the program no longer has this compute, and Pulumi's option protect keeps it: add it again, or remove `protect` first";
const DELETION: Judged = {
  impact: "delete",
  causes: [],
  effect: "connections drop, and its host no longer exists",
  notes: [],
};

/** Whether `up` would refuse this adoption if it restarts the compute, which the preview did not check. */
const isUnseenAdoption = ({ step }: Compared, { impact }: Judged, { facts, rules }: FindOptions): boolean =>
  step.op === "create" &&
  impact === "may-restart" &&
  Boolean(step.next?.inputs?.["adopt"]) &&
  facts.get(step.urn)?.outlook === undefined &&
  refuses("restart", step.next?.inputs?.["onRestart"], rules.onRestart as OnRestart);
const UNSEEN_ADOPTION =
  "without a key, or without an answer, the preview could not look at the service. It can't say which compute is taken over, whether that restarts it, and so whether `up` will fail here: under refuse, `up` takes over no compute that this would restart. Preview with a key to know";

/** No digest can approve a deletion: no step of `pulumi up` could check it. */
const mayNeedApproval = (impact: Impact, floor: Impact): boolean =>
  impact !== "none" && impact !== "delete" && isAtLeast(impact, floor);

function approval(compared: Compared, judged: Judged, rules: StackRules): Approval {
  const { step } = compared;
  const found =
    step.op === "update" || step.op === "replace" ? digestOrReason(compared, judged) : noDigestForCreation();
  return approvalFor(rules, step, judged.impact, found);
}
