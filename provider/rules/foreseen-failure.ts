/** What a preview says of a step that will fail. */
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
