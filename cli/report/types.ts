// The types of the report: documents come in, findings go out. Texts in findings have passed clean.ts.

import type { Approvals, NamedDigest } from "../../provider/rules/approval-list.js";
import type { Impact, Reason } from "../../provider/rules/impact.js";
import type { Seen } from "../../provider/rules/message-data.js";
import type { FailOn } from "./fail-on.js";

export type Raw = Record<string, unknown>;

/** One state of a step, old or new, without malformed fields. */
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
  /** Top-level names of the properties that the engine says differ; undefined if it says nothing. */
  differing?: ReadonlySet<string>;
}

export interface Diagnostic {
  urn?: string;
  severity: string;
  message: string;
}

/** A `pulumi preview --json` document. Only the kinds of its fields were checked. */
export interface Preview {
  config: Raw;
  steps: Step[];
  diagnostics: Diagnostic[];
  /** Problems of the document itself. */
  problems: string[];
}

/** One property that changes, as the rules describe it. */
export type Cause = Omit<Reason, "sentenceKind">;

/** A property that changes and has no impact. */
export type OtherChange = Omit<Cause, "impact" | "effect">;

export interface Size {
  minCu: number;
  maxCu: number;
  memoryGb: number;
  diskGib: number;
  /** Absent if it is not documented. */
  maxConnections?: number;
}

export interface Position {
  file: string;
  line: number;
  column?: number;
}

export interface Approval {
  /** The entry for `compute:approve`. Absent if a digest can't approve the change; then `why` gives the reason. */
  digest?: string;
  approved: boolean;
  why?: string;
  /** All digests that approve the change. */
  accepted: readonly string[];
  /** Whether `pulumi up` refuses the change: `refuse` is in force, and nobody has approved it. */
  refused: boolean;
}

/** Why `pulumi up` will fail at a compute. */
export interface UpFails {
  why: string;
  /** When the preview asked the service; absent if the document itself tells it. */
  at?: string;
}

/** The effect of one step on one compute. */
export interface Finding {
  name: string;
  urn: string;
  id?: string;
  op: string;
  impact: Impact;
  /** The effect in a few words: "restarts", "new host", "is released: it stays on the service". */
  what: string;
  /** In the JSON: `changes`. */
  causes: Cause[];
  /** How many causes are left out of `causes`. */
  moreCauses?: number;
  /** The changes as the preview's own notice lists them, if the document has no values to compare. */
  noticeChanges?: string;
  /** Other properties that change, by their top-level names. */
  others: string[];
  /** Those of them whose values are known, by path. */
  otherChanges: OtherChange[];
  /** The worst that happens, as a sentence. */
  effect?: string;
  notes: string[];
  before?: Size;
  after?: Size;
  oldHost?: string;
  /** Only if the change may need an approval. A deletion has none: no step of `up` could check it. */
  approval?: Approval;
  /** If set, an approval does not help: the program or the service must change first. */
  upFails?: UpFails;
  /** The compute's state during the preview. Absent if the preview could not ask the service. */
  seen?: Seen;
  position?: Position;
}

/** The files of the document and of the stack's config, as readers of the report name them. */
export interface ReportFiles {
  preview: string;
  config: string;
}

/** One document's part of the report. */
export interface StackReport {
  source: string;
  project: string;
  stack: string;
  /** Each `PROJECT/STACK` that the URNs have, as it stands there. Empty if the preview failed before it had a URN. */
  ownStacks: readonly string[];
  /** Worst first. */
  findings: Finding[];
  /** Why the document does not show every change; empty if it does. */
  incomplete: string[];
  /** The errors of the program or the engine when the preview failed. */
  errors: string[];
  /** Other facts for the reader. */
  remarks: string[];
  /** The list in the stack's config. */
  approvals: Approvals;
  /** What the preview refused: such a change has no step, and so no finding. */
  refusedChanges: readonly NamedDigest[];
  /** How many lines of `errors` are of refused changes: the first ones. */
  refusedLines: number;
  /** How many changes the preview refused. */
  refusedCount: number;
  /** The program's folder in the repository, where it is known and not the root. */
  folder?: string;
  /** Whether the preview has certainly not looked at the service. */
  isUnseen: boolean;
  /** Absent if readers of the report may not have the files. */
  files?: ReportFiles;
}

export interface Report {
  stacks: StackReport[];
  /** One line for each input that is not a preview. */
  unusable: string[];
  failOn: FailOn;
  exitCode: 0 | 2 | 3;
}
