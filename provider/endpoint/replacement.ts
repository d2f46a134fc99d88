// What happens to a primary when the engine replaces its resource. A branch has one primary at most. So where the old compute
// stays on the service, no new one can be created.

import { canonical } from "../rules/equality.js";
import type { ReplacedCompute } from "../rules/notice.js";
import { isReleasedBy } from "../rules/policies.js";
import { DEFAULT_TYPE } from "../rules/settings.js";
import { identityOf } from "../rules/urn.js";
import type { Hints } from "./hints.js";
import type { Inputs, Problem } from "./inputs.js";
import { COMPUTE_PROPERTIES, type Outputs } from "./outputs.js";

type Raw = Record<string, unknown>;

/** The resource's recorded state at the moment the engine called diff. */
export interface Compared {
  id: string;
  state: Partial<Outputs>;
}

export interface Replacement {
  /**
   * What happens to the compute. `retaken`: the replacement releases it and takes it over again. `impossible`: the program wants a
   * second primary beside it.
   */
  outcome: "new" | "retaken" | "impossible";
  /** Whether create may take the resource's compute over again, if it is still the branch's primary. */
  retakes: boolean;
  /** Whether the old compute stays on the service. */
  stays: boolean;
}

/**
 * @param before the old inputs
 * @param news the program's inputs. If both are equal, an option asks for the replacement, or an earlier run left it half done:
 *   its create failed after the release
 */
export function replacementBy(
  { id, state }: Compared,
  before: Raw,
  news: Raw,
  { inputs, unknown }: { inputs: Inputs; unknown: ReadonlySet<string> },
  hints: Hints,
): Replacement {
  const { projectId, branchId, type = DEFAULT_TYPE, adopt } = inputs;
  const stays = whyItStays(state, before, hints) !== undefined;
  const isSameBranch = projectId === state.projectId && branchId === state.branchId;
  if (!isSameBranch || type !== "read_write" || unknown.has("type") || state.type !== "read_write") {
    return { outcome: "new", retakes: false, stays };
  }
  const isEqual = canonical(computeValues(before)) === canonical(computeValues(news));
  // A component or a transform may set retainOnDelete, which nobody here sees: then the compute stays after
  // all. It may be taken over again where the program asks for no other one.
  if (!stays) return { outcome: "new", retakes: isEqual, stays };
  if (unknown.has("adopt")) return { outcome: "new", retakes: true, stays };
  // The program wants a new compute beside the old one, or replaceOnChanges turns this change into a replacement.
  const asksForNew = hints.createsFirst === true || (hints.mayReplace === true && !isEqual);
  const retakes = adopt === true || adopt === id || (typeof adopt !== "string" && !asksForNew);
  return { outcome: retakes ? "retaken" : "impossible", retakes, stays };
}

/**
 * Why the old compute stays; undefined if the replacement deletes it. Uses the state before this run, as the engine and delete
 * do: changing `onDelete` in the same run has no effect.
 */
export function whyItStays(state: Partial<Outputs>, before: Raw = {}, hints: Hints = {}): string | undefined {
  if (isReleasedBy(state)) return state.onDelete === undefined ? "it was adopted" : 'onDelete: "release"';
  if (hints.createsFirst) return "deleteBeforeReplace: false creates the new one first";
  return before["__retain"] === true ? "the option retainOnDelete" : undefined;
}

/** The compute that the engine replaces, for the notice. Transforms and components may set options that nobody here sees. */
export function replacedCompute(
  { id, state }: Compared,
  before: Raw,
  { urn = "", mayReplace }: Hints,
  replacement: Replacement | undefined,
): ReplacedCompute {
  const type = identityOf(urn)?.type ?? "";
  const isUnseen = type.includes("$") || mayReplace === "transforms";
  const isReleased = isReleasedBy(state) || before["__retain"] === true;
  const fate =
    replacement?.outcome === "retaken" ? "kept" : isReleased ? "released" : isUnseen ? "perhaps-deleted" : "deleted";
  return { id, projectId: String(state.projectId), fate };
}

export function impossibleReplacement({ id, state }: Compared, before: Raw, news: Raw, hints: Hints): Problem {
  const changed = Object.keys(computeValues({ ...before, ...news })).find(
    (name) => canonical(before[name]) !== canonical(news[name]),
  );
  const why = whyItStays(state, before, hints);
  const retained = before["__retain"] === true;
  const first = hints.createsFirst ? ["remove deleteBeforeReplace: false"] : [];
  const ways = [
    ...first,
    ...(isReleasedBy(state) ? ['set onDelete: "delete"'] : []),
    ...(retained ? ["remove retainOnDelete"] : []),
  ];
  return {
    property: changed ?? "restart",
    reason: `the change replaces compute ${id}, but ${id} stays on the service (${why}), and branch ${state.branchId} can have only one primary: no new compute can be created there. Choose: remove replaceOnChanges, and the compute is changed in place; adopt: true keeps this compute and its host; another branchId creates a new compute there; or, to have ${id} deleted, ${ways.join(" and ")} in a \`pulumi up\` of its own before this change`,
  };
}

/** For the preview of a replacement that keeps the compute and its host. */
export const retakenText = ({ id }: Compared): string =>
  `Pulumi replaces this resource, but compute ${id} stays on the service: it is released and taken over again, with its host`;

/** The inputs that describe a compute. A change of the others, such as `onDelete`, never asks for a replacement. */
const computeValues = (inputs: Raw): Raw =>
  Object.fromEntries(
    Object.entries(inputs).filter(([key, value]) => COMPUTE_PROPERTIES.has(key) && value !== undefined),
  );
