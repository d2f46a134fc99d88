// Reads from the preview's messages whether `up` will fail and what state a compute had (`provider/rules/message-data.ts` writes
// it).

import { type Facts, readFacts } from "../../provider/rules/message-data.js";
import { NOTICE } from "../../provider/rules/notice.js";
import { identityOf, isEndpointUrn } from "../../provider/rules/urn.js";
import { cleanLine, cleanMessage, quote } from "./clean.js";
import type { Diagnostic, Finding, Preview, Step, UpFails } from "./types.js";

/** By resource: the facts in its messages. The text is clean; it may be the program's. */
export type FactsByUrn = ReadonlyMap<string, Facts>;

export function factsIn(diagnostics: readonly Diagnostic[]): FactsByUrn {
  const found = new Map<string, Facts>();
  for (const { urn, message } of diagnostics) {
    const facts = urn === undefined ? undefined : readFacts(message);
    if (urn === undefined || !facts) continue;
    const known = found.get(urn);
    // A resource can have several messages. Its first failure counts, else its last other outlook.
    const isKept = known?.outlook !== undefined && (isFailure(known) || facts.outlook === undefined);
    const chosen = isKept ? known : withCleanText(facts);
    const seen = facts.seen ?? known?.seen;
    found.set(urn, { ...chosen, ...(seen ? { seen } : {}) });
  }
  return found;
}

/** Longer than each of the provider's own lines. */
const LONGEST = 800;

const withCleanText = (facts: Facts): Facts => ({
  ...facts,
  text: cleanMessage(facts.text.replace(/^\s*warning: /, ""), LONGEST),
});

type OutlookKind = NonNullable<Facts["outlook"]>["kind"];
/** Whether `up` will fail. A new kind does not compile until somebody has decided here. */
const IS_FAILURE: Record<OutlookKind, boolean> = {
  fails: true,
  "fails unless replaced": true,
  adopts: false,
  makes: false,
};
const isFailure = ({ outlook }: Facts): boolean => outlook !== undefined && IS_FAILURE[outlook.kind];

const CHANGES = new Set(["create", "update", "replace"]);

/** Why `up` will fail at this step, according to the preview's look at the service. */
export function upFailureAt({ op }: Step, facts: Facts | undefined): UpFails | undefined {
  if (!facts?.outlook || !isFailure(facts) || !CHANGES.has(op)) return undefined;
  const { kind, at } = facts.outlook;
  if (kind === "fails unless replaced" && op === "replace") return undefined;
  return { why: quote(facts.text), at };
}

/** Failures at computes without a step: the document was cut. */
export function upFailuresWithoutStep(facts: FactsByUrn, steps: readonly Step[]): string[] {
  const shown = new Set(steps.map(({ urn }) => urn));
  return [...facts].flatMap(([urn, one]) => {
    const identity = identityOf(urn);
    if (!identity || !isFailure(one) || shown.has(urn) || !isEndpointUrn(urn)) return [];
    return [`it says that \`up\` will fail at ${quote(cleanLine(identity.name))}, but has no step for it`];
  });
}

/**
 * True only if it is certain that the preview did not ask the service: it printed a warning that would carry the compute's state, and
 * no message carries data. Computes without `__notice` do not count: 0.1.0 wrote no data (docs/design.md).
 */
export function isUnseen(
  { diagnostics, steps }: Pick<Preview, "diagnostics" | "steps">,
  facts: FactsByUrn,
  findings: readonly Pick<Finding, "urn" | "op" | "impact">[],
): boolean {
  const warned = new Set(diagnostics.flatMap(({ urn, severity }) => (urn && severity === "warning" ? [urn] : [])));
  const noticed = new Set(steps.flatMap(({ urn, next }) => (next?.inputs?.[NOTICE] === undefined ? [] : [urn])));
  return facts.size === 0 && findings.some((one) => warned.has(one.urn) && noticed.has(one.urn) && hasState(one));
}

const hasState = ({ op, impact }: Pick<Finding, "op" | "impact">): boolean =>
  op === "update" ? impact !== "none" : op === "create" && impact === "may-restart";

/** A creation as the preview saw it on the service. The impact still comes from the rules: see provider/rules/message-data.ts. */
export function creationAsSeen(facts: Facts | undefined): Partial<Pick<Finding, "what" | "effect">> {
  switch (facts?.outlook?.kind) {
    case "adopts":
      return { effect: quote(facts.text) };
    case "makes":
      return { what: "new compute", effect: quote(facts.text) };
    default:
      return {};
  }
}
