/**
 * Why a step will fail, as a preview says it. `endpoint/outlook.ts` finds it with the step's own rules. `sdk/preview-warnings.ts`
 * prints it for the class, and `native/preview-warnings.ts` for the plugin.
 */
export interface ForeseenFailure {
  /** What is in the way: "branch br-… has its primary already (ep-…)". */
  problem: string;
  /** The remedy: what to do, as a sentence. */
  way: string;
  /** The compute that is in the way. */
  id?: string;
  /** Whether it may be the resource's own: a preview can't tell a forced replacement from a creation. */
  mayBeOwn?: true;
  /** The current state of the compute that the step would change. */
  state?: "active" | "idle" | "disabled";
}
