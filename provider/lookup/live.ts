// What a preview sees of a project: one list of its computes, and one of its branches where that decides something.

import { Deadline } from "../clock.js";
import { activityOf } from "../endpoint/activity.js";
import { notFoundFailure } from "../endpoint/create-conflicts.js";
import { listWith } from "../endpoint/find.js";
import { UNKNOWN_VALUE } from "../endpoint/inputs.js";
import { observedSettings } from "../endpoint/mapping.js";
import { type Outlook, outlookOnCreate, outlookOnUpdate, viewOf } from "../endpoint/outlook.js";
import { isKind } from "../errors.js";
import type { Context } from "../operations/context.js";
import type { Activity } from "../rules/current-state.js";
import type { ReplacedCompute } from "../rules/notice.js";
import type { OnRestart } from "../rules/policies.js";
import { type ObservedSettings, UNKNOWN } from "../rules/settings.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { accessTo } from "./access.js";
import type { KnownConfig } from "./account.js";

export type { Outlook } from "../endpoint/outlook.js";

/** Milliseconds that a preview waits for facts that it can do without. */
const REQUEST_MS = 3_000;
/** Bytes of an answer that are read: some hundred computes. A larger answer would stop the program for seconds. */
const BODY_BYTES = 1024 * 1024;
const MOST_BRANCHES = 1000;

/** A project as it is now. */
export interface ProjectNow {
  context: Context;
  project: string;
  /** Undefined where the project does not exist, or the key can't see it. */
  endpoints: readonly WireEndpoint[] | undefined;
  /** Why the service's URL may be the reason that there is no project. */
  urlDoubt?: string;
  nowMs: number;
  /** Ids of its branches; undefined where nobody can tell. Asked for once, when it is first needed. */
  branches?: Promise<ReadonlySet<string> | undefined>;
}

/** A deadline that has passed allows the first try and no other. */
const once = ({ clock }: Context): Deadline => new Deadline(clock, 0);

/** A project's computes as they are now, in one request without repetition. GET …/endpoints. Rejects for whatever fails. */
export async function projectNow(config: KnownConfig, project: string): Promise<ProjectNow> {
  const limits = { requestTimeoutMs: REQUEST_MS, bodyLimit: BODY_BYTES };
  const { context } = accessTo(config, 0, () => {}, limits);
  const nowMs = () => context.clock.wall();
  try {
    const endpoints = await context.client.listEndpoints(project, once(context));
    return { context, project, endpoints, nowMs: nowMs() };
  } catch (error) {
    if (!isKind(error, "service") || error.answer.status !== 404) throw error;
    return { context, project, endpoints: undefined, urlDoubt: error.answer.urlDoubt, nowMs: nowMs() };
  }
}

/** A compute of the project: its settings, and what it does at the moment. */
export interface ComputeNow {
  settings: ObservedSettings;
  activity: Activity | undefined;
}

/** The compute in the list, if it is there. @public */
export function computeIn({ endpoints, nowMs }: ProjectNow, id: string): ComputeNow | undefined {
  const found = endpoints?.find((one) => one.id === id);
  return found && { settings: observedSettings(found), activity: activityOf(found, nowMs) };
}

/** A resource that is created. */
export interface Creation {
  /** The inputs that check has made, with `UNKNOWN` for what is not known yet. */
  inputs: Record<string, unknown>;
  /** The stack's `compute:onRestart`. */
  onRestart: OnRestart | undefined;
  /** The compute that it replaces. */
  replaces: ReplacedCompute | undefined;
}

/** What the create will do; undefined where nobody can tell. Never sends a request twice. */
export async function creationOutlook(now: ProjectNow, creation: Creation): Promise<Outlook | undefined> {
  const { inputs, onRestart, replaces } = creation;
  const { context, project, endpoints } = now;
  const fails = (what: string, property: string) =>
    ({ kind: "fails", foreseen: notFoundFailure(what, property, now.urlDoubt) }) as const;
  if (!endpoints) return fails(`project ${project}`, "projectId");
  const stays = replaces?.fate === "released" || replaces?.fate === "kept";
  const listed = stays ? endpoints : endpoints.filter(({ id }) => id !== replaces?.id);
  const { adopt } = inputs;
  const isId = typeof adopt === "string" && adopt.startsWith("ep-");
  const all = isId ? await listWith(context, { project, id: adopt }, listed, once(context)) : listed;
  const outlook = outlookOnCreate(viewOf(replaces, onRestart), onTheWire(inputs), all, now.nowMs);
  if (outlook?.kind !== "makes") return outlook;
  const branch = String(inputs["branchId"]);
  if (endpoints.some((one) => one.branch_id === branch)) return outlook;
  const branches = await branchesOf(now);
  return branches && !branches.has(branch) ? fails(`branch ${branch} of project ${project}`, "branchId") : outlook;
}

/** What the hook of a creation knows of it. */
export interface CreationStep extends Pick<Creation, "onRestart" | "replaces"> {
  news: Creation["inputs"];
  secrets: ReadonlySet<string>;
}

/** `creationOutlook` for a preview. Undefined also if the request fails: a preview must not fail because of it. @public */
export const creationOutlookIfKnown = (
  now: ProjectNow,
  { news, secrets, onRestart, replaces }: CreationStep,
): Promise<Outlook | undefined> =>
  creationOutlook(now, { inputs: { ...news, __secret: [...secrets] }, onRestart, replaces }).catch(() => undefined);

/** The inputs as the engine sends them to the provider. */
function onTheWire<T>(value: T): T {
  if (value === UNKNOWN) return UNKNOWN_VALUE as T;
  if (Array.isArray(value)) return value.map(onTheWire) as T;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, onTheWire(inner)])) as T;
}

/** Why the update of a compute will fail. @param branchId the branch to which it moves a primary @public */
export const updateOutlook = (
  { project, endpoints }: ProjectNow,
  change: { id: string; branchId?: string },
): Outlook | undefined => endpoints && outlookOnUpdate({ ...change, project }, endpoints);

function branchesOf(now: ProjectNow): Promise<ReadonlySet<string> | undefined> {
  const { context, project } = now;
  now.branches ??= context.client.listBranches(project, MOST_BRANCHES, once(context)).then(
    ({ branches, pagination }) =>
      pagination?.next === undefined && branches.length > 0 ? new Set(branches.map(({ id }) => id)) : undefined,
    () => undefined,
  );
  return now.branches;
}
