// Approvals: a reviewer lets exactly one change pass `onRestart: "refuse"`. The digest covers the change's meaning, so an
// approval passes neither another change of the same compute nor the same change of another compute.
//
// Version 2 is meant to last. Version 1 had 48 bits: a search over values of `restartTriggers` found, in less than two minutes, a
// harmless change and a replacement with the same digest.
//
// A deletion has no digest: no step of `pulumi up` could check one (docs/design.md).

import { canonical, differences } from "./equality.js";
import { hashOf } from "./hash.js";
import { type Impact, type ImpactAssessment, impactOf, replacementOf } from "./impact.js";
import {
  type DesiredSettings,
  desiredSettings,
  isSecret,
  type ObservedSettings,
  propertyOf,
  rowOf,
  type SettingName,
  type SettingsInput,
  UNKNOWN,
} from "./settings.js";
import { ENDPOINT_TYPE, identityOf, NATIVE_TYPE } from "./urn.js";

/** Part of every digest. It has to change when the meaning of the other parts changes. */
const VERSION = 2;
/** 128 bits: a search for two changes with one digest takes 2^64 steps. */
export const DIGITS = 32;
export const SHORT_DIGITS = 12;

/**
 * The type in a digest. The resources of the class and of the plugin count as one type, so an approval still holds when a
 * compute, or a compute that is its parent, moves from one to the other. Generated names use the class's type instead
 * (`urnWithClassTypes` in `urn.ts`).
 */
const canonicalType = (type: string): string =>
  type
    .split("$")
    .map((one) => (one === ENDPOINT_TYPE ? NATIVE_TYPE : one))
    .join("$");

/** Inputs that say whether a compute that is replaced is deleted or released, and whether another one is taken over. */
export interface ReleaseInputs {
  adopt?: unknown;
  onDelete?: unknown;
  /** Whether the option `retainOnDelete` was set. */
  __retain?: unknown;
}

/**
 * The digest that approves this change. Undefined if a value is secret or not known yet: a reviewer could not see the change.
 * @param assessment of `old` and `desired`, computed without `asSize`, because `size` and two limits are the same change
 * @param release the old and new inputs; outputs must not be used, because check does not see them
 */
export function digestOfChange(
  urn: string,
  assessment: ImpactAssessment,
  old: DesiredSettings | ObservedSettings,
  desired: DesiredSettings,
  secrets?: ReadonlySet<string>,
  release: { old?: ReleaseInputs; next?: ReleaseInputs } = {},
): string | undefined {
  const changes: ChangedProperty[] = [];
  // `settings.pgSettings.work_mem` is a change of `settings.pgSettings`.
  const causes = new Set(assessment.reasons.map(({ property }) => property.split(".").slice(0, 2).join(".")));
  // A replacement sends every setting of the program, and none that the program has dropped.
  const isReplacement = assessment.impact === "new-host";
  if (isReplacement && secrets && secrets.size > 0) return undefined;
  const names = [...new Set([...Object.keys(desired), ...(isReplacement ? Object.keys(old) : [])])] as SettingName[];
  const differing = differences(desired, old as ObservedSettings);
  for (const name of names) {
    const property = propertyOf(name);
    const [before, next] = [old[name], desired[name]];
    const { digest } = rowOf(name);
    const alwaysCovered = digest === "always" && differing.includes(name);
    if (!isReplacement && !causes.has(property) && !alwaysCovered) continue;
    if (next === UNKNOWN || before === UNKNOWN || isSecret(property, secrets)) return undefined;
    // Triggers may hold anything: their hash is enough to recognize them.
    const covered = (value: unknown) => (digest === "hash" && value ? fullHashOf(value) : value);
    changes.push([property, covered(before) ?? null, covered(next) ?? null]);
  }
  if (isReplacement) {
    const adopt = (inputs: ReleaseInputs = {}) => (inputs.adopt === false ? null : (inputs.adopt ?? null));
    changes.push(["adopt", adopt(release.old), adopt(release.next)]);
    changes.push(["onDelete", release.old?.onDelete ?? null, release.next?.onDelete ?? null]);
    // The engine uses the option in the state, so the option in the program now does not decide about the old compute.
    changes.push(["retainOnDelete", release.old?.__retain === true ? true : null, null]);
  }
  // An input that the program set neither before nor now is not in the digest. Otherwise each new input of this package would
  // change every digest.
  const given = changes.filter(([, before, next]) => before !== null || next !== null);
  return digestOf(urn, assessment.impact, given);
}

/** Whether a change has the approval that `refuse` asks for. `not-asked`: check asked for none. */
export type ApprovalState = "given" | "missing" | "not-asked";

/** A change for which check asked for an approval, as a hook or a step sees it afterwards. */
interface CheckedChange {
  urn: string;
  /** Absent in the create of a replacement: Pulumi passes no old inputs. */
  oldInputs: Readonly<Record<string, unknown>> | undefined;
  news: ReleaseInputs;
  desired: DesiredSettings;
  secrets: ReadonlySet<string>;
  /** The digests in the stack's config. */
  digests: ReadonlySet<string>;
  /** Whether check lets unapproved changes pass in this preview. */
  isSoftened: boolean;
}

/**
 * Whether a digest approves the change, in place or as a replacement. Outside of check, the inputs have no hashes of
 * assets, so the digest of such a change can't be computed: it counts as not approved.
 */
export function approvalStateOf(change: CheckedChange): "given" | "missing" {
  const { urn, oldInputs, news, desired, secrets, digests, isSoftened } = change;
  // If check did not soften, only approved changes have passed it.
  if (!isSoftened) return "given";
  if (!oldInputs) return "missing";
  const old = desiredSettings(oldInputs as SettingsInput);
  const release = { old: oldInputs, next: news };
  const isApproved = [impactOf, replacementOf].some((assess) => {
    const digest = digestOfChange(urn, assess(old, desired), old, desired, secrets, release);
    return digest !== undefined && digests.has(digest);
  });
  return isApproved ? "given" : "missing";
}

type ChangedProperty = [property: string, old: unknown, next: unknown];

function digestOf(urn: string, impact: Impact, changes: readonly ChangedProperty[]): string | undefined {
  const identity = identityOf(urn);
  if (!identity) return undefined;
  const type = canonicalType(identity.type);
  const sorted = [...changes].sort(([a], [b]) => (a < b ? -1 : 1));
  return fullHashOf({ v: VERSION, ...identity, type, impact, changes: sorted });
}

/**
 * The hash of a change, and of values inside it. Both have the full length: two values with one inner hash would be two changes
 * with one digest.
 */
const fullHashOf = (value: unknown): string => hashOf(canonical(value), DIGITS);

/** The short form for tables and sentences. The ellipsis shows that it is not the whole digest. */
export const shortDigest = (digest: string): string => `${digest.slice(0, SHORT_DIGITS)}…`;
