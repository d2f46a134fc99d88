// The rows of the table of resource options: what the program says before and after, what that shows, what it sends.
export interface Row {
  rule: string;
  /** The program's text before and after; `at` names the project and a branch of the row's own. */
  before: string;
  after: string;
  /** @default "same" */
  op?: "same" | "update" | "replace" | "delete" | "discard";
  /** The new marker, or how it begins. */
  says?: string;
  /** How the warning begins. */
  warns?: string;
  /** "METHOD" or "METHOD body", in order. */
  sends?: string[];
}

const RESTARTS = "restarts this compute if it is active";
const NEW_HOST = "replaces this compute; clients then need the new host";
const RESIZED = 'PATCH {"autoscaling_limit_min_cu":4,"autoscaling_limit_max_cu":4}';
const SUSPENDS = 'PATCH {"suspend_timeout_seconds":600}';

/** `one(args, options)` makes the row's compute, by its name. */
export const ROWS: Record<string, Row> = {
  ignored: {
    rule: "ignoreChanges of all that changes",
    before: `one({ size: 1 })`,
    after: `one({ size: 4, suspendTimeoutSeconds: 600 }, { ignoreChanges: ["size", "suspendTimeoutSeconds"] })`,
  },
  "ignored-size": {
    rule: "ignoreChanges of the size: the rest is changed, and nothing restarts",
    before: `one({ size: 1 })`,
    after: `one({ size: 4, suspendTimeoutSeconds: 600 }, { ignoreChanges: ["size"] })`,
    op: "update",
    sends: [SUSPENDS],
  },
  "ignored-timeout": {
    rule: "ignoreChanges of what restarts nothing: the size is changed, and nothing else",
    before: `one({ size: 1, suspendTimeoutSeconds: 300 })`,
    after: `one({ size: 4, suspendTimeoutSeconds: 600 }, { ignoreChanges: ["suspendTimeoutSeconds"] })`,
    op: "update",
    says: `yes: size 1 → 4 ${RESTARTS}`,
    warns: " restarts this compute",
    sends: [RESIZED],
  },
  "ignored-bound": {
    rule: "ignoreChanges of one limit: it stays as it is",
    before: `one({ autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2 })`,
    after: `one({ autoscalingLimitMinCu: 2, autoscalingLimitMaxCu: 4 }, { ignoreChanges: ["autoscalingLimitMinCu"] })`,
    op: "update",
    says: `yes: autoscalingLimitMaxCu 2 → 4 ${RESTARTS}`,
    warns: " restarts this compute",
    sends: ['PATCH {"autoscaling_limit_min_cu":1,"autoscaling_limit_max_cu":4}'],
  },
  "ignored-parameter": {
    rule: "ignoreChanges of one Postgres parameter",
    before: `one({ settings: { pgSettings: { work_mem: "4MB" } } })`,
    after: `one({ settings: { pgSettings: { work_mem: "64MB" } } }, { ignoreChanges: ["settings.pgSettings.work_mem"] })`,
  },
  "ignored-triggers": {
    rule: "ignoreChanges of restartTriggers: no restart",
    before: `one({ restartTriggers: [1] })`,
    after: `one({ restartTriggers: [2] }, { ignoreChanges: ["restartTriggers"] })`,
  },
  "ignored-all": {
    rule: "ignoreChanges of everything",
    before: `one({ size: 1 })`,
    after: `one({ size: 4, name: "other", disabled: true }, { ignoreChanges: ["*"] })`,
  },
  "replaced-timeout": {
    rule: "replaceOnChanges: a harmless change becomes a new host, the old compute goes first",
    before: `one({ suspendTimeoutSeconds: 300 })`,
    after: `one({ suspendTimeoutSeconds: 600 }, { replaceOnChanges: ["suspendTimeoutSeconds"] })`,
    op: "replace",
    says: `yes: suspendTimeoutSeconds 300 → 600 ${NEW_HOST}`,
    warns: ": suspendTimeoutSeconds 300 → 600 replaces this compute",
    sends: ["DELETE", "POST"],
  },
  "replaced-second": {
    rule: "deleteBeforeReplace: false creates the new one first, where the branch has room for two",
    before: `one({ type: "read_only", suspendTimeoutSeconds: 300 })`,
    after: `one({ type: "read_only", suspendTimeoutSeconds: 600 }, { replaceOnChanges: ["*"], deleteBeforeReplace: false })`,
    op: "replace",
    says: `yes: suspendTimeoutSeconds 300 → 600 ${NEW_HOST}`,
    warns: ": suspendTimeoutSeconds 300 → 600 replaces this compute",
    sends: ["POST", "DELETE"],
  },
  "replaced-kept": {
    rule: "retainOnDelete with a replacement: the old compute stays, beside a new one",
    before: `one({ type: "read_only", suspendTimeoutSeconds: 300 }, { retainOnDelete: true })`,
    after: `one({ type: "read_only", suspendTimeoutSeconds: 600 }, { retainOnDelete: true, replaceOnChanges: ["*"] })`,
    op: "replace",
    says: `yes: suspendTimeoutSeconds 300 → 600 ${NEW_HOST}`,
    warns: ": suspendTimeoutSeconds 300 → 600 replaces this compute",
    sends: ["POST"],
  },
  kept: {
    rule: "retainOnDelete: it leaves the program, and stays on the service",
    before: `one({ size: 1 }, { retainOnDelete: true })`,
    after: "",
    op: "delete",
    sends: [],
  },
  "deleted-with": {
    rule: "deletedWith: it goes with what it stands in, and is not deleted by itself",
    before: `const basis = new Dependant("basis", { on: 1 }); one({ size: 1 }, { deletedWith: basis })`,
    after: "",
    op: "delete",
    sends: [],
  },
  renamed: {
    rule: "another name, with an alias",
    before: `one({ size: 1 })`,
    after: `one({ size: 1 }, { aliases: [{ name: "renamed" }] }, "renamed-after")`,
  },
  moved: {
    rule: "moved into a component, with an alias",
    before: `one({ size: 1 })`,
    after: `one({ size: 1 }, { parent: new Group("group"), aliases: [{ parent: pulumi.rootStackResource }] })`,
  },
  transformed: {
    rule: "transforms, which the engine calls: what they give counts, also for the warning",
    before: `one({ size: 1 })`,
    after: `one({ size: 1 }, { transforms: [({ props, opts }) => ({ props: { ...props, size: 4 }, opts })] })`,
    op: "update",
    says: `yes: size 1 → 4 ${RESTARTS}`,
    warns: " restarts this compute",
    sends: [RESIZED],
  },
  "transformed-before": {
    rule: "transformations, which the program calls",
    before: `one({ size: 1 })`,
    after: `one({ size: 1 }, { transformations: [({ props, opts }) => ({ props: { ...props, size: 4 }, opts })] })`,
    op: "update",
    says: `yes: size 1 → 4 ${RESTARTS}`,
    warns: " restarts this compute",
    sends: [RESIZED],
  },
  hooked: {
    rule: "hooks of the program's own run beside the notice",
    before: `one({ size: 1 })`,
    after: `one({ size: 4 }, { hooks: { beforeUpdate: [new pulumi.ResourceHook("own", async () => console.log("own hook runs"), { onDryRun: true })] } })`,
    op: "update",
    says: `yes: size 1 → 4 ${RESTARTS}`,
    warns: " restarts this compute",
    sends: [RESIZED],
  },
  secret: {
    rule: "additionalSecretOutputs",
    before: `one({ size: 1 }, { additionalSecretOutputs: ["host"] })`,
    after: `one({ size: 4 }, { additionalSecretOutputs: ["host"] })`,
    op: "update",
    says: `yes: size 1 → 4 ${RESTARTS}`,
    warns: " restarts this compute",
    sends: [RESIZED],
  },
  triggered: {
    rule: "replacementTrigger: another value is a new host",
    before: `one({ size: 1 }, { replacementTrigger: "one" })`,
    after: `one({ size: 1 }, { replacementTrigger: "two" })`,
    op: "replace",
    says: `yes: an option of the resource ${NEW_HOST}`,
    warns: `an option of the resource ${NEW_HOST}`,
    sends: ["DELETE", "POST"],
  },
};
