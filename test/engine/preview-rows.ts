// The rows of the table of previews: what the program says before and after, and what that has to show and to send.
import { SEED } from "../../emulator/index.js";

export type Args = Record<string, unknown>;
export type Phase = "calm" | "restarted";
export interface Row {
  rule: string;
  /** What the program says before the change, beside the project and the branch. @default size 1, then 2 */
  before?: (phase: Phase) => Args;
  /** What it says after the change; `undefined` takes a property away. */
  after: (before: Args) => Args;
  options?: Args;
  op: "same" | "update" | "replace";
  /** The changes and their effect, as marker and warning say it after "yes: " and "maybe: ". The marker has no strings. */
  says?: (phase: Phase) => string;
  /** What the warning says instead: it knows the compute's own values, the marker only those of the program. */
  warns?: string;
  /** What is said beside the warnings. */
  notes?: string;
  /** Whether the marker says only "maybe". */
  does?: "may restart";
  /** The body of the PATCH from the restarted state, or that no request is needed. */
  sends?: Args | "nothing" | "DELETE and POST";
}

export const size = (phase: Phase) => ({ size: phase === "calm" ? 1 : 2 });
const from = (phase: Phase) => (phase === "calm" ? 1 : 2);
const RESTARTS = "restarts this compute if it is active; open connections drop then";
const NEW_HOST = "replaces this compute; clients then need the new host; the old compute is deleted";
export const otherBranch = (branch: string) => `${branch}-2`;

export const ROWS: Record<string, Row> = {
  nothing: { rule: "nothing", after: () => ({}), op: "same", sends: "nothing" },
  form: {
    rule: "the same size in the other form",
    after: ({ size }) => ({ size: undefined, autoscalingLimitMinCu: size, autoscalingLimitMaxCu: size }),
    op: "same",
    sends: "nothing",
  },
  size: {
    rule: "a size",
    after: () => ({ size: 4 }),
    op: "update",
    says: (phase) => `size ${from(phase)} → 4 ${RESTARTS}`,
    sends: { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4 },
  },
  bound: {
    rule: "one bound of autoscaling",
    before: (phase) => ({ autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: phase === "calm" ? 2 : 3 }),
    after: () => ({ autoscalingLimitMaxCu: 4 }),
    op: "update",
    says: (phase) => `autoscalingLimitMaxCu ${phase === "calm" ? 2 : 3} → 4 ${RESTARTS}`,
    sends: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4 },
  },
  branch: {
    rule: "another branch",
    after: ({ branchId }) => ({ branchId: otherBranch(branchId as string) }),
    op: "update",
    says: () => "branchId (changes) moves this compute to another branch; if it is active, open connections drop then",
    warns: "branchId br-branch → br-branch-2 moves this compute to another branch. It is active",
    sends: { branch_id: "br-branch-2" },
  },
  disabled: {
    rule: "disabled: true",
    after: () => ({ disabled: true }),
    op: "update",
    says: () =>
      "disabled false → true stops this compute; open connections drop then, and nothing can connect while it is disabled",
    warns: "disabled false → true stops this compute; nothing can connect while it is disabled. It is active",
    sends: { disabled: true },
  },
  enabled: {
    rule: "disabled: true taken back",
    before: (phase) => ({ ...size(phase), disabled: true }),
    after: () => ({ disabled: false }),
    op: "update",
    sends: { disabled: false },
  },
  suspend: {
    rule: "a suspend timeout",
    after: () => ({ suspendTimeoutSeconds: 600 }),
    op: "update",
    sends: { suspend_timeout_seconds: 600 },
  },
  unmanaged: {
    rule: "a suspend timeout taken out of the program",
    before: (phase) => ({ ...size(phase), suspendTimeoutSeconds: 900 }),
    after: () => ({ suspendTimeoutSeconds: undefined }),
    op: "update",
    sends: "nothing",
  },
  rename: {
    rule: "another name",
    before: (phase) => ({ ...size(phase), name: "before" }),
    after: () => ({ name: "after" }),
    op: "update",
    sends: { name: "after" },
  },
  parameters: {
    rule: "Postgres settings",
    after: () => ({ settings: { pgSettings: { work_mem: "64MB" } } }),
    op: "update",
    does: "may restart",
    says: () => "settings.pgSettings.work_mem (changes) may restart this compute; open connections drop then",
    warns: "settings.pgSettings.work_mem not set → 64MB may restart this compute. It is active",
    sends: { settings: { pg_settings: { work_mem: "64MB" } } },
  },
  libraries: {
    rule: "libraries, which become active at the next restart",
    after: () => ({ settings: { preloadLibraries: { enabledLibraries: ["timescaledb"] } } }),
    op: "update",
    notes: "settings.preloadLibraries is stored now and takes effect at the compute's next start",
    sends: { settings: { preload_libraries: { enabled_libraries: ["timescaledb"] } } },
  },
  several: {
    rule: "a size and a suspend timeout at once",
    after: () => ({ size: 4, suspendTimeoutSeconds: 600 }),
    op: "update",
    says: (phase) => `size ${from(phase)} → 4 ${RESTARTS}`,
    sends: { autoscaling_limit_min_cu: 4, autoscaling_limit_max_cu: 4, suspend_timeout_seconds: 600 },
  },
  type: {
    rule: "another type",
    after: () => ({ type: "read_only" }),
    op: "replace",
    says: () => `type read_write → read_only ${NEW_HOST}`,
    sends: "DELETE and POST",
  },
  project: {
    rule: "another project",
    after: () => ({ projectId: SEED.second.projectId, branchId: SEED.second.branchId }),
    op: "replace",
    says: () => `projectId (changes), branchId (changes) ${NEW_HOST.replace("replaces", "replace")}`,
    sends: "DELETE and POST",
  },
  moved: {
    rule: "another branch, where replaceOnChanges asks for a new compute",
    options: { replaceOnChanges: ["branchId"] },
    after: ({ branchId }) => ({ branchId: otherBranch(branchId as string) }),
    op: "replace",
    says: () => `branchId (changes) ${NEW_HOST}`,
    sends: "DELETE and POST",
  },
  deletion: {
    rule: "onDelete, which sends nothing",
    after: () => ({ onDelete: "release" }),
    op: "update",
    sends: "nothing",
  },
  waiting: {
    rule: "waitForReady, which sends nothing",
    after: () => ({ waitForReady: false }),
    op: "update",
    sends: "nothing",
  },
};

/** The marker in the state after the step that restarted every compute of the table. */
export const lastMarker = (name: string): string =>
  `yes: ${name === "bound" ? "autoscalingLimitMaxCu 2 → 3" : "size 1 → 2"} ${RESTARTS}`;
