// The steps of a document -> at most one finding for each compute.

import { identityOf } from "../../provider/rules/approval.js";
import { isEndpointType } from "../../provider/rules/endpoint-type.js";
import { atLeast, type Impact } from "../../provider/rules/restart.js";
import { approvalFor, digestOf, digestOfCreation, digestOfDeletion } from "./approve.js";
import { clean, quote } from "./clean.js";
import { type Compared, compare, type Judged, judgeCreation, judgeReplacement, judgeUpdate } from "./judge.js";
import { worse } from "./marker.js";
import { positionOf } from "./position.js";
import { collision, deletionsIn, isReleased, isRetaken } from "./primaries.js";
import { diskNote, sizeAfter, sizeOf } from "./size.js";
import type { Approval, Finding, Step } from "./types.js";

export interface FindOptions {
  /** What is approved by the stack's config. */
  digests: ReadonlySet<string>;
  /** The least impact for which an approval is spoken of. */
  floor: Impact;
  /** Of Pulumi.yaml, inside the repository. */
  folder: string;
}

/** Steps that change nothing on the service: they are seen in the state only. */
const SILENT = new Set(["same", "read", "refresh"]);
/** Of computes that the program only looks up, and of what was deleted before. */
const IN_STATE = new Map([
  ["discard", "is no longer looked up"],
  ["discard-replaced", "is looked up anew"],
  ["read-replacement", "is looked up anew"],
  ["remove-pending-replace", "leaves the state: it was deleted before"],
]);
/** The sides without which nobody can say what such a step changes. */
const NEEDED: Record<string, readonly ("old" | "next")[]> = {
  create: ["next"],
  update: ["old", "next"],
  replace: ["old", "next"],
};
const IS = { old: "was asked to be before", next: "is asked to be" };
const HALVES = new Set(["create-replacement", "delete-replaced", "import-replacement"]);

export function findingsOf(steps: readonly Step[], options: FindOptions): { findings: Finding[]; problems: string[] } {
  const found = new Map<string, Finding>();
  const problems = new Set<string>();
  const whole = wholeSteps(steps.filter(isCompute));
  const deletions = deletionsIn(whole);
  for (const step of whole) {
    if (SILENT.has(step.op)) continue;
    const finding = findingOf(step, options);
    const fails = collision(step, deletions);
    if (fails) finding.notes = [fails, ...finding.notes];
    if (finding.what === UNKNOWN_STEP)
      problems.add(`it has a step ${quote(clean(step.op, 40))}, which this version of the report does not know`);
    const lost = (NEEDED[step.op] ?? []).filter((side) => !step[side]?.inputs);
    if (lost.length > 0)
      problems.add(
        `what ${quote(finding.name)} ${lost.map((side) => IS[side]).join(" and ")} is missing or can't be read`,
      );
    const key = `${step.urn} ${step.old?.id ?? ""}`;
    const known = found.get(key);
    if (!known || worse(finding.impact, known.impact)) found.set(key, finding);
  }
  return { findings: [...found.values()].sort(byImpact), problems: [...problems] };
}

/** By what the states say, or by the URN, which is always there. */
const isCompute = ({ next, old, urn }: Step): boolean =>
  [next?.type, old?.type, identityOf(urn)?.type.split("$").at(-1)].some(isEndpointType);

/** Not in the document's order, which differs from run to run: the same changes are the same report. */
const byImpact = (a: Finding, b: Finding): number =>
  Number(worse(b.impact, a.impact)) - Number(worse(a.impact, b.impact)) || order(a.op, b.op) || order(a.urn, b.urn);

/** As people count: reader-2 before reader-10. Names that differ in nothing else are in the order of their characters. */
const order = (a: string, b: string): number => COUNTING.compare(a, b) || Number(a > b) - Number(a < b);
const COUNTING = new Intl.Collator("en", { numeric: true, sensitivity: "variant" });

/** Halves of a replacement stand beside it; where it is missing, they make it up. */
function wholeSteps(steps: readonly Step[]): Step[] {
  const replaced = new Set(steps.filter(({ op }) => op === "replace").map(({ urn }) => urn));
  const halves = new Map<string, Step>();
  const whole = steps.filter((step) => {
    if (!HALVES.has(step.op)) return true;
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
  return [...whole, ...[...halves.values()].filter(({ urn }) => !replaced.has(urn))];
}

const UNKNOWN_STEP = "unknown step";
const WHAT: Record<Impact, string> = {
  none: "changes in place",
  "may-restart": "may restart",
  restart: "restarts",
  stop: "stops",
  "new-host": "new host",
  delete: "is deleted",
};

function findingOf(step: Step, options: FindOptions): Finding {
  const compared = compare(step);
  const [what, judged] = happening(step, compared);
  const { told: _, ...shown } = judged;
  const { had, asked, wish } = compared;
  const isNew = step.op === "create" || (step.op === "replace" && !isRetaken(step));
  const before = step.old && sizeOf(had ?? asked ?? {});
  const after = step.op === "delete" ? undefined : isNew ? sizeOf(wish) : sizeAfter(had ?? asked ?? {}, wish);
  const host = step.old?.outputs?.["host"];
  const goes = judged.impact === "delete" || judged.impact === "new-host";
  const disk = diskNote(before, after);
  // What is deleted is no longer in the program: its old line is somebody else's by now.
  const position = step.op === "delete" ? undefined : positionOf(step, options.folder);
  return {
    name: clean(identityOf(step.urn)?.name ?? step.urn),
    urn: clean(step.urn, 500),
    ...(step.old?.id ? { id: clean(step.old.id) } : {}),
    op: clean(step.op, 40),
    ...shown,
    what,
    others: othersOf(step, judged),
    notes: disk ? [...judged.notes, disk] : judged.notes,
    ...(before ? { before } : {}),
    ...(after ? { after } : {}),
    ...(goes && typeof host === "string" ? { oldHost: clean(host) } : {}),
    ...(atLeast(judged.impact, options.floor) && judged.impact !== "none"
      ? { approval: approval(compared, judged, options.digests) }
      : {}),
    ...(position ? { position } : {}),
  };
}

/** What else differs, by the engine's account; what is ours, and the notice, is not the program's. */
function othersOf({ op, differing }: Step, { causes, told }: Judged): string[] {
  if (op !== "update" && op !== "replace") return [];
  const isTold = (name: string) =>
    causes.some(({ property }) => property.split(".")[0] === name) || told?.includes(name);
  return [...(differing ?? [])]
    .filter((name) => name !== "restart" && !name.startsWith("__") && !isTold(name))
    .map((name) => clean(name, 60));
}

function happening(step: Step, compared: Compared): [what: string, judged: Judged] {
  const quiet = (what: string): [string, Judged] => [what, { impact: "none", causes: [], notes: [] }];
  const inState = IN_STATE.get(step.op);
  if (inState) return quiet(inState);
  switch (step.op) {
    case "create": {
      const judged = judgeCreation(compared);
      return [judged.impact === "none" ? "new compute" : "adopts a compute", judged];
    }
    case "update": {
      const judged = judgeUpdate(compared);
      return [WHAT[judged.impact], judged];
    }
    case "replace": {
      if (isRetaken(step)) return retaken(compared);
      const judged = judgeReplacement(compared);
      const notes = isReleased(step) ? [...judged.notes, STAYS] : judged.notes;
      return [WHAT["new-host"], { ...judged, notes }];
    }
    case "delete":
      return isReleased(step) ? quiet("is released: it stays on the service") : [WHAT.delete, DELETION];
    default: {
      const effect = `this version of the report does not know the step ${quote(clean(step.op, 40))}`;
      return [UNKNOWN_STEP, { impact: "may-restart", causes: [], effect, notes: [] }];
    }
  }
}

/** No other compute can be made there, so this one is taken over again, or the update fails. */
function retaken(compared: Compared): [what: string, judged: Judged] {
  const judged = judgeUpdate(compared);
  if (judged.impact === "new-host") return [WHAT["new-host"], { ...judged, notes: [NO_PLACE, ...judged.notes] }];
  const what = judged.impact === "none" ? "is taken over again" : WHAT[judged.impact];
  return [what, { ...judged, notes: [...judged.notes, RETAKEN] }];
}

const RETAKEN =
  "the compute is released and taken over again: it keeps its host (it stays on the service, and its branch can have no second primary)";
const NO_PLACE =
  "this will fail: the old compute stays on the service, and its branch can have no second primary. adopt: true keeps it with its host; another branch takes a new one";
const STAYS = "the old compute is released: it stays on the service, and costs, until it is deleted by hand";
const DELETION: Judged = {
  impact: "delete",
  causes: [],
  effect: "the compute is deleted: its connections drop, and nothing can connect to its host any more",
  notes: [],
};

function approval(compared: Compared, judged: Judged, digests: ReadonlySet<string>): Approval {
  const { step } = compared;
  const found =
    judged.impact === "delete"
      ? digestOfDeletion(compared)
      : step.op === "update" || step.op === "replace"
        ? digestOf(compared, judged)
        : digestOfCreation();
  return approvalFor(digests, found);
}
