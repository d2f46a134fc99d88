import { type FaultRule, SEED } from "../../emulator/index.js";
import { desiredStateOf } from "../../provider/endpoint/inputs.js";
import { observedSettings } from "../../provider/endpoint/mapping.js";
import { digestOfChange } from "../../provider/rules/approval.js";
import { differences } from "../../provider/rules/equality.js";
import { impactOf } from "../../provider/rules/impact.js";
import { desiredSettings, type SettingsInput } from "../../provider/rules/settings.js";
import { WireEndpoint } from "../../provider/wire/endpoint.js";
import { type Between, Lab, type LabOptions, type Props, type Run, type Sent } from "../support/lab.js";

export { SEED } from "../../emulator/index.js";
export { Lab } from "../support/lab.js";

export const ENDPOINTS = `/projects/${SEED.projectId}/endpoints`;
export const OPERATIONS = `/projects/${SEED.projectId}/operations`;

/** A primary on a branch that has none. */
export const primary = (args: Props = {}): Props => ({
  projectId: SEED.projectId,
  branchId: SEED.branches.dev,
  ...args,
});

/** A read replica on the root branch. */
export const replica = (args: Props = {}): Props => ({
  projectId: SEED.projectId,
  branchId: SEED.branches.main,
  type: "read_only",
  ...args,
});

/** The seeded primary, taken over. */
export const adopted = (args: Props = {}): Props => ({
  projectId: SEED.projectId,
  branchId: SEED.branches.main,
  adopt: true,
  ...args,
});

/** A lab with this resource up; what that took is forgotten. */
export async function labWith(name: string, args: Props, options?: LabOptions): Promise<Lab> {
  const lab = new Lab(options);
  await lab.up(name, args);
  return lab;
}

/** What could have changed something, as "PATCH /projects/…" and its body. */
export const changes = ({ sent }: Pick<Run, "sent">): [string, unknown][] =>
  sent.filter(({ line }) => !line.startsWith("GET ")).map(({ line, body }) => [line, body]);

export const lines = ({ sent }: { sent: Sent[] }): string[] => sent.map(({ line }) => line);

/** How often a kind of request was sent: `count(run, "POST")`. */
export const count = ({ sent }: { sent: Sent[] }, start: string): number =>
  sent.filter(({ line }) => line.startsWith(start)).length;

/** The computes of the seeded project beside its primary, by id. */
export const made = (lab: Lab) =>
  Object.values(lab.emulator.world.endpoints).filter(
    (one) => one.project_id === SEED.projectId && one.id !== SEED.primaryId,
  );

/** The compute behind a resource, as the service has it. */
export const compute = (lab: Lab, name: string) => lab.emulator.world.endpoints[lab.resource(name).id]!;

/** What somebody does by hand, behind Pulumi's back. */
export const byHand = (lab: Lab, id: string, fields: Partial<ReturnType<typeof compute>>): void => {
  Object.assign(lab.emulator.world.endpoints[id]!, fields);
};

export const spoil = (lab: Lab, ...rules: FaultRule[]): void => {
  for (const rule of rules) lab.emulator.faults.add(rule);
};

/** A service that accepts a field and does not take it. */
export const ignoring =
  (field: string): Between =>
  (request, go) =>
    go({ ...request, ...(request.body ? { body: JSON.stringify(without(JSON.parse(request.body), field)) } : {}) });

/** A service that leaves a field out of its answers, although it is set. */
export const leavingOut =
  (field: string): Between =>
  async (request, go) => {
    const answer = await go(request);
    return answer.text === "" ? answer : { ...answer, text: JSON.stringify(without(JSON.parse(answer.text), field)) };
  };

function without(value: unknown, field: string): unknown {
  if (Array.isArray(value)) return value.map((one) => without(one, field));
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([key]) => key !== field);
  return Object.fromEntries(kept.map(([key, inner]) => [key, without(inner, field)]));
}

/** The settings that the program names and the compute at the service has otherwise. */
export const unlike = (lab: Lab, args: Props) => {
  const { restartTriggers: _, ...wish } = desiredSettings(desiredStateOf(args).inputs);
  return differences(wish, observedSettings(WireEndpoint.parse(compute(lab, "db"))));
};

/** What an open connection would feel if it changed. */
export const felt = (lab: Lab): string => {
  const {
    branch_id,
    autoscaling_limit_min_cu: min,
    autoscaling_limit_max_cu: max,
    disabled,
    settings,
  } = compute(lab, "db");
  return JSON.stringify([branch_id, min, max, Object.entries(settings.pg_settings ?? {}).sort(), disabled]);
};

/** The same with `disabled: false` where the compute was enabled since: that hurts nobody. */
export const stillFelt = (lab: Lab, before: string): string =>
  compute(lab, "db").disabled ? before : before.replace(/true\]$/, "false]");

/** Lets everything end that is under way at the service. */
export const settle = (lab: Lab): Promise<void> => lab.clock.advance(60_000);

export type { Props, Run };

/** What a reviewer approves who reads the refusal. */
export function approving(lab: Lab, next: Props) {
  const [old, wish] = [
    desiredSettings(lab.resource("db").inputs as SettingsInput),
    desiredSettings(next as SettingsInput),
  ];
  const digest = digestOfChange(lab.urn("db"), impactOf(old, wish), old, wish)!;
  return { digests: new Set([digest]), ended: new Map<string, string>(), entries: [] };
}
