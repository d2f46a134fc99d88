// What a preview sees of a project: one list of its computes, and one of its branches where that decides something.

import { Deadline } from "../clock.js";
import { activityOf } from "../endpoint/activity.js";
import { listWith } from "../endpoint/find.js";
import { UNKNOWN_VALUE } from "../endpoint/inputs.js";
import { observedSettings } from "../endpoint/mapping.js";
import { type Outlook, outlookOnCreate, outlookOnUpdate, viewOf } from "../endpoint/outlook.js";
import { notFoundFailure } from "../endpoint/refusals.js";
import { isKind, messageOf } from "../errors.js";
import type { Context } from "../operations/context.js";
import type { Activity } from "../rules/current-state.js";
import type { ForeseenFailure } from "../rules/foreseen-failure.js";
import type { ReplacedCompute } from "../rules/notice.js";
import type { OnRestart } from "../rules/policies.js";
import { type ObservedSettings, UNKNOWN } from "../rules/settings.js";
import type { WireEndpoint } from "../wire/endpoint.js";
import { accessTo, redacted } from "./access.js";
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
  /** Undefined if the project does not exist, or the key can't see it, or is refused. */
  endpoints: readonly WireEndpoint[] | undefined;
  /** Why the service's URL may be the reason that there is no project. */
  urlDoubt?: string;
  /** Why each step will fail: the service refuses the key. */
  keyRefused?: ForeseenFailure;
  /** Whether the service refuses the key for all projects of the account (401), so that no further project is asked. */
  isForAccount?: boolean;
  nowMs: number;
  /** Ids of its branches; undefined if not known. Asked for once, when it is first needed. */
  branches?: Promise<ReadonlySet<string> | undefined>;
}

/** A deadline that has passed allows the first try and no other. */
const once = ({ clock }: Context): Deadline => new Deadline(clock, 0);

/** A project's computes as they are now, in one request without repetition. GET …/endpoints. Rejects where nobody can tell. */
export async function projectNow(config: KnownConfig, project: string): Promise<ProjectNow> {
  const limits = { requestTimeoutMs: REQUEST_MS, bodyLimit: BODY_BYTES };
  const { context, keySource } = accessTo(config, 0, () => {}, limits);
  const nowMs = () => context.clock.wall();
  try {
    const endpoints = await context.client.listEndpoints(project, once(context));
    return { context, project, endpoints, nowMs: nowMs() };
  } catch (error) {
    if (!isKind(error, "service")) throw error;
    const { status, urlDoubt } = error.answer;
    const none = { context, project, endpoints: undefined, nowMs: nowMs() };
    if (status === 401 || status === 403) {
      return { ...none, keyRefused: refusedKey(status, keySource), isForAccount: status === 401 };
    }
    if (status !== 404) throw error;
    return { ...none, urlDoubt };
  }
}

const refusedKey = (status: number, keySource: string): ForeseenFailure => ({
  problem: `the service refuses the key (${status})`,
  way: `Check ${keySource}`,
});

/** The warning of a preview that could not look at the service. @public */
export const couldNotLook = (error: unknown): string =>
  redacted(
    `this preview could not look at the service, so it can't tell which computes are active or were changed by hand, and whether \`up\` can succeed: ${messageOf(error)}`,
  );

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

/** What the create will do; undefined if not known. Never sends a request twice. */
export async function creationOutlook(now: ProjectNow, creation: Creation): Promise<Outlook | undefined> {
  const { inputs, onRestart, replaces } = creation;
  const { context, project, endpoints } = now;
  if (now.keyRefused) return { kind: "fails", foreseen: now.keyRefused };
  if (!endpoints) return missingOutlook(now, `project ${project}`, "projectId");
  const stays = replaces?.fate === "released" || replaces?.fate === "kept";
  const listed = stays ? endpoints : endpoints.filter(({ id }) => id !== replaces?.id);
  const { adopt } = inputs;
  const isId = typeof adopt === "string" && adopt.startsWith("ep-");
  const all = isId ? await listWith(context, { project, id: adopt }, listed, once(context)) : listed;
  const outlook = outlookOnCreate(viewOf(replaces, onRestart), onTheWire(inputs), all, now.nowMs);
  if (outlook?.kind !== "makes") return outlook;
  return (await missingBranch(now, String(inputs["branchId"]))) ?? outlook;
}

const missingOutlook = ({ urlDoubt }: ProjectNow, what: string, property: string): Outlook => ({
  kind: "fails",
  foreseen: notFoundFailure(what, property, urlDoubt),
});

/** Asks for the branches only where no compute shows that the branch exists. */
async function missingBranch(now: ProjectNow, branch: string): Promise<Outlook | undefined> {
  if (now.endpoints?.some((one) => one.branch_id === branch)) return undefined;
  const branches = await branchesOf(now);
  if (!branches || branches.has(branch)) return undefined;
  return missingOutlook(now, `branch ${branch} of project ${now.project}`, "branchId");
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

/** An update of a compute. */
export interface ComputeUpdate {
  id: string;
  /** The branch to which it moves. */
  branchId?: string | undefined;
  /** Whether a primary on that branch is in its way. */
  movesPrimary: boolean;
}

/** Why the update of a compute will fail. @public */
export async function updateOutlook(
  now: ProjectNow,
  { id, branchId, movesPrimary }: ComputeUpdate,
): Promise<Outlook | undefined> {
  const { project, endpoints, keyRefused } = now;
  if (keyRefused) return { kind: "fails", foreseen: keyRefused };
  if (!endpoints) return missingOutlook(now, `project ${project}`, "projectId");
  const target = movesPrimary && branchId !== undefined ? { branchId } : {};
  const outlook = outlookOnUpdate({ project, id, ...target }, endpoints);
  return outlook ?? (branchId === undefined ? undefined : missingBranch(now, branchId));
}

function branchesOf(now: ProjectNow): Promise<ReadonlySet<string> | undefined> {
  const { context, project } = now;
  now.branches ??= context.client.listBranches(project, MOST_BRANCHES, once(context)).then(
    ({ branches, pagination }) =>
      pagination?.next === undefined && branches.length > 0 ? new Set(branches.map(({ id }) => id)) : undefined,
    () => undefined,
  );
  return now.branches;
}
