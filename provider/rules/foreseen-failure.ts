/**
 * Why a step will fail, as a preview says it. `endpoint/outlook.ts` finds it with the step's own rules, and the two
 * `preview-warnings.ts`, in `sdk/` and `native/`, print it.
 */
export interface ForeseenFailure {
  /** What is in the way: "branch br-… has its primary already (ep-…)". */
  problem: string;
  /** What to do, as a sentence. */
  way: string;
  /** The compute that is in the way. */
  id?: string;
  /** Whether it may be the resource's own: a preview can't tell a forced replacement from a creation. */
  mayBeOwn?: true;
  /** The current state of the compute that the step would change. */
  state?: "active" | "idle" | "disabled";
}
