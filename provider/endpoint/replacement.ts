// What becomes of a primary that its resource releases while the engine replaces it. A branch has one primary at most, so
// no new compute can be made beside the one that stays.

import { canonical } from "../rules/settings.js";
import { HIDDEN, type Inputs, type Problem } from "./inputs.js";
import type { Outputs } from "./outputs.js";

type Raw = Record<string, unknown>;

/** A resource as the state had it when diff was asked. */
export interface Compared {
  id: string;
  state: Partial<Outputs>;
}

export interface Replacement {
  /** `same`: the compute is released and taken over again. `impossible`: the program asks for a new one, beside it. */
  by: "new" | "same" | "impossible";
  /** Whether create may take over the compute that the resource had, if it is still the branch's primary. */
  retakes: boolean;
  /** Whether the old compute stays on the service. */
  stays: boolean;
}

/**
 * @param before old inputs, `news` the program's. Where they are equal, an option or an earlier run asks for the replacement:
 *   a create that failed after the release leaves the state so
 */
export function replacementBy(
  { id, state }: Compared,
  before: Raw,
  news: Raw,
  { inputs, unknown }: { inputs: Inputs; unknown: ReadonlySet<string> },
): Replacement {
  const { projectId, branchId, type = "read_write", adopt } = inputs;
  const stays = whyItStays(state, before, news) !== undefined;
  const isHere = projectId === state.projectId && branchId === state.branchId;
  if (!isHere || type !== "read_write" || unknown.has("type") || state.type !== "read_write") {
    return { by: "new", retakes: false, stays };
  }
  const isEqual = canonical(settingsIn(before)) === canonical(settingsIn(news));
  // Components and rules of the program may set retainOnDelete where nobody here sees it.
  if (!stays) return { by: "new", retakes: isEqual, stays };
  if (unknown.has("adopt")) return { by: "new", retakes: true, stays };
  const isAsked = news["__createFirst"] === true || (news["__mayReplace"] === true && !isEqual);
  const retakes = adopt === true || adopt === id || (typeof adopt !== "string" && !isAsked);
  return { by: retakes ? "same" : "impossible", retakes, stays };
}

/** As the engine and the provider's delete decide it: by the state, which a change in the same run does not reach. */
export function whyItStays(state: Partial<Outputs>, before: Raw = {}, news: Raw = {}): string | undefined {
  const { onDelete, adopted } = state;
  if (onDelete === "release") return 'onDelete: "release"';
  if (onDelete === undefined && adopted) return "it was adopted";
  if (news["__createFirst"] === true) return "deleteBeforeReplace: false makes the new one first";
  return before["__retain"] === true ? "the option retainOnDelete" : undefined;
}

export function impossible({ id, state }: Compared, before: Raw, news: Raw): Problem {
  const changed = Object.keys(settingsIn({ ...before, ...news })).find(
    (name) => canonical(before[name]) !== canonical(news[name]),
  );
  const why = whyItStays(state, before, news);
  const retained = before["__retain"] === true;
  const policy = state.onDelete === "release" || (state.onDelete === undefined && state.adopted);
  const first = news["__createFirst"] === true ? ["take deleteBeforeReplace: false out"] : [];
  const ways = [
    ...first,
    ...(policy ? ['set onDelete: "delete"'] : []),
    ...(retained ? ["take retainOnDelete out"] : []),
  ];
  return {
    property: changed ?? "restart",
    reason: `the change replaces compute ${id}, but ${id} stays on the service (${why}), and branch ${state.branchId} can have only one primary: no new compute can be made there. Choose: take replaceOnChanges out, and the change is made in place; adopt: true keeps this compute and its host; another branchId makes a new compute there; or, to have ${id} deleted, ${ways.join(" and ")} in a \`pulumi up\` of its own before this change`,
  };
}

/** For a preview of a replacement that has no new host. */
export const retakenText = ({ id }: Compared): string =>
  `Pulumi replaces this resource, but compute ${id} stays on the service: it is released and taken over again, with its host`;

/** Inputs that are no settings of a compute: nobody asks for a replacement for them, and each may be a way out of one. */
const RECORDS = ["adopt", "onDelete", "onRestart", "waitForReady", "customTimeouts"];

function settingsIn(inputs: Raw): Raw {
  const others = new Set<string>([...HIDDEN, ...RECORDS]);
  return Object.fromEntries(Object.entries(inputs).filter(([key, value]) => !others.has(key) && value !== undefined));
}
