// Sentences about changes, for people. The report and approvals read the data in `__notice`, so most texts may change freely. Do
// not change RESTART_TEXT, CLAUSES, FATES and the words "and sets" in ADOPTION: in policies and 0.1.0 states (docs/design.md),
// `readSentence` reads the impact from them.

/** What a change does, as a clause by itself, for a refusal and for the report. */
export const EFFECTS = {
  restarts: "if the compute is active it restarts, and open connections drop",
  unlessSame: (effect: string) => `unless the compute has this size already: ${effect}`,
  stops: "the compute stops, open connections drop, and nothing can connect while it is disabled",
  newHost:
    "a compute with another id and host takes its place: clients need the new host; the old one is deleted and its connections drop, unless it is released",
  otherBranch: "the compute is reconfigured for the other branch; if it is active, open connections drop",
  postgres: "some Postgres settings need a restart; then open connections drop if the compute is active",
  dependsOn: (effect: string) => `depending on the value: ${effect}`,
};

/** Replacements for values that are not shown. */
export const VALUES = {
  unknown: "known after apply",
  notSet: "not set",
  oldSecret: "a secret value",
  newSecret: "another",
  changes: "changes",
  oldString: "another value",
  newString: "this value",
};

/** A change to a value that is not known yet, where the old one is not shown: "branchId → known after apply". */
export const TO_UNKNOWN = `→ ${VALUES.unknown}`;

/** A change whose values are not shown: "branchId changes". */
export const UNSHOWN = { old: VALUES.oldString, new: VALUES.newString, words: VALUES.changes };

export const CHANGED_TRIGGERS = { old: "other values", new: "these values", words: "changed" };

export const NOTES = {
  atNextStart: (property: string) => `${property} is stored now and takes effect at the compute's next start`,
};

/** Builds the computed input `restart`. People, states and older tools read its first word. */
export const RESTART_TEXT = {
  none: "no",
  maybe: (sentence: string) => `maybe: ${sentence}`,
  yes: (sentence: string) => `yes: ${sentence}`,
};

/** Which sentence describes the effect. */
export type SentenceKind = "restart" | "resize" | "branch" | "stop" | "replace";

/** The grammatical subject of a sentence: the changes. */
export interface Subject {
  /** "size 2 → 4, settings.pgSettings.work_mem (changes)" */
  text: string;
  isPlural: boolean;
  /** Whether the effect is not certain. */
  isPossible: boolean;
}

const verb = ({ text, isPlural, isPossible }: Subject, plural: string): string =>
  `${text} ${isPossible ? "may " : ""}${plural}${isPlural || isPossible ? "" : "s"}`;

/**
 * The last clause of a change that stops or replaces a compute. Policies recognize the impact by it, because Pulumi hides inputs
 * such as `__notice` from them.
 */
export const CLAUSES = {
  stop: "open connections drop then, and nothing can connect while it is disabled",
  replace: "clients then need the new host",
};

/** What changes do, whatever the compute does at the moment: "size 2 → 4 restarts this compute if it is active; …". */
export const SENTENCES: Record<SentenceKind, (subject: Subject) => string> = {
  restart: (subject) =>
    `${verb(subject, "restart")} this compute${subject.isPossible ? "" : " if it is active"}; open connections drop then`,
  resize: (subject) =>
    `${verb({ ...subject, isPossible: false }, "restart")} this compute if it is active and has another size; open connections drop then`,
  branch: (subject) =>
    `${verb(subject, "move")} this compute to another branch; if it is active, open connections drop then`,
  stop: (subject) => `${verb(subject, "stop")} this compute; ${CLAUSES.stop}`,
  replace: (subject) => `${verb(subject, "replace")} this compute; ${CLAUSES.replace}`,
};

/** What becomes of the compute that is replaced, after the sentence. */
export const FATES = {
  deleted: "the old compute is deleted",
  released: "the old compute is released and keeps its connections",
  "perhaps-deleted": "the old compute is deleted, unless the option retainOnDelete keeps it",
};

/** What a compute does at the moment of the preview. */
export type Activity = { state: "active"; used?: string } | { state: "idle" | "disabled" };

/**
 * The effect on the compute in its current state. Only warnings use this: in `restart` it would change saved plans and approvals
 * from minute to minute.
 */
export const NOW = {
  /** @param drops what happens to an active compute's connections */
  state: (activity: Activity, drops: string) =>
    activity.state === "active"
      ? `It is active${activity.used === undefined ? "" : ` (last used ${activity.used} ago)`}: ${drops}.`
      : `It is ${activity.state} now: nothing drops.`,
  drops: "open connections drop",
  dropsThen: "open connections drop then",
  restarts: (subject: Subject) => `${verb(subject, "restart")} this compute.`,
  later: ({ text, isPlural }: Subject) => `${text} take${isPlural ? "" : "s"} effect at the next start.`,
  moves: (subject: Subject) => `${verb(subject, "move")} this compute to another branch.`,
  stops: (subject: Subject) => `${verb(subject, "stop")} this compute; nothing can connect while it is disabled.`,
  replaces: (subject: Subject) => `${verb(subject, "replace")} this compute; clients then need the new host.`,
  same: "this compute has these values already: nothing restarts.",
};

/** What asks for a replacement where no setting does. */
export const AN_OPTION = "an option of the resource";

/** A compute that is taken over has settings that no check can see. */
export const ADOPTION = {
  primary: "the branch's primary, if there is one,",
  byId: "the compute that adopt names",
  unnamed: "a compute",
  sentence: (whose: string, sets: readonly string[]) =>
    `takes over ${whose} and sets ${sets.join(", ")}; a compute with other values may restart, and open connections drop then`,
};

export const ASKED_AGAIN =
  "compute:askAgain sends again the values that the service did not apply; that may restart this compute, and open connections drop then";

/** Why check refuses a change. */
export const REFUSED = 'onRestart is "refuse"';
