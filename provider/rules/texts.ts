// Sentences about changes, for people. They may be reworded freely: guards, report, policies and approvals read the data
// beside them (notice.ts).

/** What a change does, behind "size 2 → 4; …". */
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

/** What stands for a value that is not shown. */
export const VALUES = {
  unknown: "known after apply",
  notSet: "not set",
  oldSecret: "a secret value",
  newSecret: "another",
  changes: "changes",
  oldString: "another value",
  newString: "this value",
};

/** A change whose values are not shown: "branchId changes". */
export const UNSHOWN = { old: VALUES.oldString, new: VALUES.newString, words: VALUES.changes };

export const CHANGED_TRIGGERS = { old: "other values", new: "these values", words: "changed" };

export const NOTES = {
  preloadLibraries: "settings.preloadLibraries is stored now and becomes active when the compute starts the next time",
};

/** The first word of the computed input `restart`, which the state, people and older tools read, and what follows it. */
export const MARKER = {
  none: "no",
  maybe: (sentence: string) => `maybe: ${sentence}`,
  yes: (sentence: string) => `yes: ${sentence}`,
};

/** A compute that is taken over has settings that no check can see. */
export const ADOPTION = {
  primary: "the branch's primary, if there is one,",
  byId: "the compute that adopt names",
  unnamed: "a compute",
  sentence: (whose: string, sets: readonly string[]) =>
    `adopts ${whose} and sets ${sets.join(", ")}; where it has other values it may restart, and open connections drop`,
};

export const ASKED_AGAIN =
  "compute:askAgain asks again for what the service did not take before; a size or a Postgres setting may restart the compute, and open connections drop";

/** A mark, not a text: the report tells a preview that was refused by it, and old previews have it too. */
export const REFUSED = 'onRestart is "refuse"';
