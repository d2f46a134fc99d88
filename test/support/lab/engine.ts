// Does what the engine does with one resource: check and diff decide on a step, and its result decides what the state
// keeps.

import { check, type FirstOldInputs } from "../../../provider/endpoint/check.js";
import { type DiffAnswer, diff } from "../../../provider/endpoint/diff.js";
import { hintsIn } from "../../../provider/endpoint/hints.js";
import { millisecondsOf, type Problem, programOf, type StepRequest } from "../../../provider/endpoint/inputs.js";
import { create, read, remove, update } from "../../../provider/endpoint/lifecycle.js";
import type { Outputs } from "../../../provider/endpoint/outputs.js";
import type { Process } from "../../../provider/endpoint/process.js";
import { isKind } from "../../../provider/errors.js";
import { type Impact, impactOf } from "../../../provider/rules/impact.js";
import { type ImpactNotice, readNotice, withNotice } from "../../../provider/rules/notice.js";
import { comparedWith } from "../../../provider/rules/paths.js";
import type { ObservedSettings } from "../../../provider/rules/settings.js";
import { desiredSettings, type SettingsInput } from "../../../provider/rules/settings.js";
import {
  differingPaths,
  type Options,
  type Props,
  replacesFor,
  type Timeouts,
  withIgnored,
} from "./resource-options.js";

export type { Options, Props } from "./resource-options.js";

/** A resource as the engine keeps it. */
export interface Resource {
  id: string;
  inputs: Props;
  outputs: Props;
  initErrors: string[];
  /** Deleted, and not made anew yet. */
  pendingReplacement?: true;
  /** The options that the state keeps. */
  retainOnDelete?: boolean;
  provider?: string;
  customTimeouts?: Timeouts;
}

/** The provider process of an instance: each instance has its own. */
export type Processes = (provider: string | undefined) => Process;

/** What is to be done with one resource, and why. */
export interface Plan {
  op: "create" | "update" | "replace" | "same" | "refused";
  failures: Problem[];
  /** The input `restart` as the preview shows it. */
  marker: string;
  /** The input `__notice` as the preview shows it; absent where the change has no impact. */
  announced?: ImpactNotice;
  /** The impact of which the resource's hook warns. */
  notice: Impact;
  diff?: DiffAnswer;
  inputs: Props;
  options: Options;
  /** The paths that the engine shows as changed: of the old inputs and the new ones. */
  differs: string[];
  /** The warnings of check. */
  remarks: string[];
}

export function plan(
  process: Process,
  first: FirstOldInputs,
  old: Resource | undefined,
  program: Props,
  options: Options = {},
): Plan {
  const remarks: string[] = [];
  const checked = (olds: Props, news: Props) => {
    const answer = check(first, process.config, struct(olds), struct(news), hintsIn(news), process.ownership);
    const { inputs, failures, warnings } = struct(answer);
    for (const warning of warnings) process.warn(warning);
    remarks.push(...warnings);
    process.oldInputs.remember(inputs, olds);
    const notice = readNotice(inputs);
    return {
      inputs: withProvider(inputs, news),
      failures,
      marker: String(inputs["restart"]),
      ...(notice && notice.impact !== "none" ? { announced: notice } : {}),
    };
  };
  const olds = old?.inputs ?? {};
  const news = old ? withIgnored(program, olds, options.ignoreChanges) : program;
  const begun = { ...checked(olds, news), notice: "none" as Impact, options, differs: [], remarks };
  if (begun.failures.length > 0) return { ...begun, op: "refused" };
  if (!old) return { ...begun, op: "create" };

  process.idsInState.add(old.id);
  const urn = process.ownership?.noteDiff(old.id, outputsIn(old));
  const compared = {
    id: old.id,
    urn,
    branches: process.ownership?.branchMoves,
    oldInputs: process.oldInputs.noteCompared(old.id, begun.inputs),
    askAgain: process.config.askAgain,
    notTaken: process.context.log,
  };
  let answer: DiffAnswer;
  try {
    answer = struct(diff(struct(old.outputs) as unknown as Outputs, struct(begun.inputs), compared));
  } catch (error) {
    // The engine fails the preview at the resource.
    return { ...begun, op: "refused", failures: [{ property: "diff", reason: (error as Error).message }] };
  }
  const differs = differingPaths(olds, withIgnored(begun.inputs, olds, options.ignoreChanges));
  const differ = answer.changes ?? differs.length > 0;
  // Where the provider says itself that something changes, the engine knows no paths, and the option can't match.
  const asked = [...(options.replaceOnChanges ?? []), ...(options.byRule?.replaceOnChanges ?? [])];
  const byOption = answer.changes === undefined && replacesFor(asked, differs);
  if (old.pendingReplacement || options.replaces || (differ && (answer.replaces?.length || byOption))) {
    // A new compute is asked for what the program says, also where changes are ignored.
    const again = { ...begun, ...checked({}, program), diff: answer, differs };
    return { ...again, op: again.failures.length > 0 ? "refused" : "replace" };
  }
  if (!differ && old.initErrors.length === 0) return { ...begun, op: "same", diff: answer };
  return { ...begun, op: "update", diff: answer, differs, notice: warned(old, begun.inputs, process.config.askAgain) };
}

/** Carries a plan out. @param save gets the resource for the state, even if the step fails */
export async function apply(
  processes: Processes,
  { op, inputs, options }: Plan,
  old: Resource | undefined,
  save: (resource: Resource) => void,
): Promise<void> {
  const { retainOnDelete, provider, byRule: { customTimeouts } = {} } = options;
  const process = processes(provider);
  const kept = {
    ...(retainOnDelete ? { retainOnDelete } : {}),
    ...(provider ? { provider } : {}),
    ...(customTimeouts ? { customTimeouts } : {}),
  };
  const keep = (resource: Resource) => save({ ...resource, ...kept });
  const failed = (error: unknown, keptInputs: Props): never => {
    if (isKind(error, "not-ready")) {
      // The adapter of the SDK does this too. Without the text in the state, the engine could not load the provider
      // again.
      const outputs = withProvider(struct(error.properties), inputs);
      keep({ id: error.id, inputs: keptInputs, outputs, initErrors: error.reasons });
    }
    throw error;
  };
  const ended = (id: string, outputs: Outputs) =>
    keep({ id, inputs, outputs: withProvider(struct({ ...outputs }), inputs), initErrors: [] });

  if (op === "refused") return;
  if (op === "same") {
    const { retainOnDelete: _retained, provider: _provider, customTimeouts: _timeouts, ...same } = old!;
    return keep({ ...same, inputs });
  }
  if (op === "update") {
    const request = {
      id: old!.id,
      olds: outputsIn(old!),
      program: programOf(struct(inputs), within(customTimeouts?.update)),
    };
    // After a failed update the engine keeps the old inputs beside the new outputs.
    return ended(old!.id, await update(process, request).catch((error) => failed(error, old!.inputs)));
  }
  if (old && !old.pendingReplacement) {
    await destroyed(processes, old);
    save({ ...old, pendingReplacement: true });
  }
  const made = await create(process, programOf(struct(inputs), within(customTimeouts?.create))).catch((error) =>
    failed(error, inputs),
  );
  ended(made.id, made.outputs);
}

/** A resource as it is, or undefined where it is gone. A good read clears the reasons of an earlier failure. */
export async function refreshed(processes: Processes, old: Resource): Promise<Resource | undefined> {
  if (old.pendingReplacement) return old;
  const { id, outputs, inputs } = await read(processes(old.provider), old.id, outputsIn(old));
  if (id === undefined) return undefined;
  return {
    ...old,
    id,
    inputs: inputs ? withProvider(struct(inputs), old.inputs) : old.inputs,
    outputs: withProvider(struct({ ...outputs }), old.outputs),
    initErrors: [],
  };
}

/** The provider is not asked to delete what the state says to retain, or what is gone. */
export async function destroyed(processes: Processes, old: Resource): Promise<void> {
  if (old.pendingReplacement || isRetained(old)) return;
  await remove(processes(old.provider), old.id, outputsIn(old), within(old.customTimeouts?.delete));
}

/** The time limit as the engine's request has it. */
const within = (text: string | undefined): StepRequest => {
  const timeoutMs = millisecondsOf(text);
  return timeoutMs === undefined ? {} : { timeoutMs };
};

/** The engine uses the option `retainOnDelete` in the state, not that of the program. */
const isRetained = ({ retainOnDelete = false }: Resource): boolean => retainOnDelete;

export const PROVIDER_TEXT = "the provider's text";

const withProvider = (props: Props, from: Props): Props => ({ ...props, __provider: from["__provider"] });

const outputsIn = (resource: Resource): Outputs => struct(resource.outputs) as unknown as Outputs;

/** The impact that the hook computes from old outputs and new inputs, as `provider/rules/warnings.ts` does. */
function warned({ inputs: oldInputs, outputs: oldOutputs }: Resource, inputs: Props, askAgain: boolean): Impact {
  const again = askAgain ? ((oldOutputs["notTaken"] ?? []) as string[]) : [];
  const live = oldOutputs["unfinished"]
    ? (desiredSettings(oldOutputs as SettingsInput) as ObservedSettings)
    : comparedWith(oldInputs as SettingsInput, oldOutputs as SettingsInput, again);
  const own = impactOf(live, desiredSettings(inputs as SettingsInput));
  if (!oldOutputs["unfinished"]) return withNotice(own, readNotice(inputs)).impact;
  return own.impact === "none" ? "may-restart" : own.impact;
}

/** A copy as it comes out on the other side of gRPC, where `undefined` is an error. */
export function struct<T>(value: T, path = "value"): T {
  if (value === undefined || typeof value === "function" || typeof value === "symbol") {
    throw new Error(`Unexpected struct type: ${path} is ${String(value)}`);
  }
  if (Array.isArray(value)) return value.map((one, index) => struct(one, `${path}[${index}]`)) as T;
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, struct(inner, `${path}.${key}`)])) as T;
}
