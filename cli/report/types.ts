// What the parts of the report hand on: documents in, findings out. Texts in findings are clean (clean.ts).

import type { Approvals } from "../../provider/rules/approval.js";
import type { Impact, Reason } from "../../provider/rules/restart.js";

export type Raw = Record<string, unknown>;

/** One state of a step, old or new, with what is not of the expected kind left out. */
export interface StepState {
  id?: string;
  type?: string;
  inputs?: Raw;
  outputs?: Raw;
  raw: Raw;
}

export interface Step {
  op: string;
  urn: string;
  old?: StepState;
  next?: StepState;
  /** Top-level names of the properties that the engine says differ; undefined where it says nothing. */
  differing?: ReadonlySet<string>;
}

export interface Diagnostic {
  urn?: string;
  severity: string;
  message: string;
}

/** A `pulumi preview --json` document, of which nothing is certain but these kinds. */
export interface Preview {
  config: Raw;
  steps: Step[];
  diagnostics: Diagnostic[];
  /** What is wrong with the document as such. */
  problems: string[];
}

/** One property that changes, as the rules tell it. */
export type Cause = Reason;

export interface Size {
  minCu: number;
  maxCu: number;
  memoryGb: number;
  diskGib: number;
  /** Absent where it is not documented. */
  maxConnections?: number;
}

export interface Position {
  file: string;
  line: number;
  column?: number;
}

export interface Approval {
  /** What to put into `compute:approve`; absent where the change can't be approved so, and then `why` says so. */
  digest?: string;
  approved: boolean;
  why?: string;
}

/** What one step does to one compute. */
export interface Finding {
  name: string;
  urn: string;
  id?: string;
  op: string;
  impact: Impact;
  /** What happens, in a few words: "restarts", "new host", "released". */
  what: string;
  causes: Cause[];
  /** The changes in the words of the preview's own notice, where they can't be compared. */
  said?: string;
  /** Other properties that change, by their top-level names. */
  others: string[];
  /** The worst that happens, as a sentence. */
  effect?: string;
  notes: string[];
  before?: Size;
  after?: Size;
  oldHost?: string;
  /** Only for what an approval is about. */
  approval?: Approval;
  position?: Position;
}

/** One document's part of the report. */
export interface StackReport {
  source: string;
  project: string;
  stack: string;
  /** Worst first. */
  findings: Finding[];
  /** Why the document is not the whole truth; empty where it is. */
  incomplete: string[];
  /** What the program or the engine said when it failed. */
  errors: string[];
  /** What else a reader should know. */
  remarks: string[];
  /** Where the next one goes in the stack's config. */
  approvals: Pick<Approvals, "count" | "alone" | "problem">;
}

export interface Report {
  stacks: StackReport[];
  /** One line for each input that is no preview. */
  unusable: string[];
  failOn: Impact;
  exitCode: 0 | 2 | 3;
}
