// What the engine does with one resource: check and diff decide on a step, and the step's end decides what is kept.

import { check, type FirstChecks } from "../../provider/endpoint/check.js";
import { type DiffAnswer, diff } from "../../provider/endpoint/diff.js";
import { type Problem, programOf } from "../../provider/endpoint/inputs.js";
import type { Outputs } from "../../provider/endpoint/outputs.js";
import type { Process } from "../../provider/endpoint/step.js";
import { create, read, remove, update } from "../../provider/endpoint/steps.js";
import { isKind } from "../../provider/errors.js";
import { type ImpactNotice, readNotice, withNotice } from "../../provider/rules/notice.js";
import { type Impact, impactOf } from "../../provider/rules/restart.js";
import { canonical, type Live } from "../../provider/rules/settings.js";
import { type Asked, wishOf } from "../../provider/rules/wish.js";

export type Props = Record<string, unknown>;

/** A resource as the engine keeps it. */
export interface Resource {
  id: string;
  inputs: Props;
  outputs: Props;
  initErrors: string[];
  /** Deleted, and not made anew yet. */
  pendingReplacement?: true;
}

/** What is to be done with one resource, and why. */
export interface Plan {
  op: "create" | "update" | "replace" | "same" | "refused";
  failures: Problem[];
  /** The input `restart` as the preview shows it. */
  marker: string;
  /** The input `__notice` as the preview shows it; absent where the change has no impact. */
  announced?: ImpactNotice;
  /** What the hook at the resource says of it. */
  notice: Impact;
  diff?: DiffAnswer;
  inputs: Props;
}

/** What the command or an option asks for beside the values. */
export interface Wants {
  /** As `replaceOnChanges` does: any change replaces. */
  replaces?: boolean;
}

export function plan(
  process: Process,
  first: FirstChecks,
  old: Resource | undefined,
  news: Props,
  { replaces = false }: Wants = {},
): Plan {
  const checked = (olds: Props) => {
    const answer = check(first, process.config, struct(olds), struct(news), process.ownership);
    const { inputs, failures, warnings } = struct(answer);
    for (const warning of warnings) process.warn(warning);
    process.checked.remember(inputs, olds);
    const notice = readNotice(inputs);
    return {
      inputs: withProvider(inputs, news),
      failures,
      marker: String(inputs["restart"]),
      ...(notice && notice.impact !== "none" ? { announced: notice } : {}),
    };
  };
  const begun = { ...checked(old?.inputs ?? {}), notice: "none" as Impact };
  if (begun.failures.length > 0) return { ...begun, op: "refused" };
  if (!old) return { ...begun, op: "create" };

  process.known.add(old.id);
  const urn = process.ownership?.see(old.id, outputsIn(old));
  const options = {
    id: old.id,
    urn,
    branches: process.ownership?.branches,
    oldInputs: process.checked.compared(old.id, begun.inputs),
    askAgain: process.config.askAgain,
    notTaken: process.context.say,
  };
  let answer: DiffAnswer;
  try {
    answer = struct(diff(struct(old.outputs) as unknown as Outputs, struct(begun.inputs), options));
  } catch (error) {
    // The engine fails the preview at the resource.
    return { ...begun, op: "refused", failures: [{ property: "diff", reason: (error as Error).message }] };
  }
  const differ = answer.changes ?? canonical(old.inputs) !== canonical(begun.inputs);
  if (old.pendingReplacement || replaces || (differ && answer.replaces?.length)) {
    const again = { ...begun, ...checked({}), diff: answer };
    return { ...again, op: again.failures.length > 0 ? "refused" : "replace" };
  }
  if (!differ && old.initErrors.length === 0) return { ...begun, op: "same", diff: answer };
  return { ...begun, op: "update", diff: answer, notice: warned(old.outputs, begun.inputs) };
}

/** Carries a plan out. @param keep hears what is in the state from now on, also where the step fails */
export async function apply(
  process: Process,
  { op, inputs }: Plan,
  old: Resource | undefined,
  keep: (resource: Resource) => void,
): Promise<void> {
  const failed = (error: unknown, keptInputs: Props): never => {
    if (isKind(error, "not-ready")) {
      // As the adapter does; without the provider's text the engine could not load it for the next command.
      const outputs = withProvider(struct(error.properties), inputs);
      keep({ id: error.id, inputs: keptInputs, outputs, initErrors: error.reasons });
    }
    throw error;
  };
  const ended = (id: string, outputs: Outputs) =>
    keep({ id, inputs, outputs: withProvider(struct({ ...outputs }), inputs), initErrors: [] });

  if (op === "refused") return;
  if (op === "same") return keep({ ...old!, inputs });
  if (op === "update") {
    const request = { id: old!.id, olds: outputsIn(old!), program: programOf(struct(inputs)) };
    // After a failed update the engine keeps the old inputs beside the new outputs.
    return ended(old!.id, await update(process, request).catch((error) => failed(error, old!.inputs)));
  }
  if (old && !old.pendingReplacement) {
    if (!isRetained(old)) await remove(process, old.id, outputsIn(old));
    keep({ ...old, pendingReplacement: true });
  }
  const made = await create(process, programOf(struct(inputs))).catch((error) => failed(error, inputs));
  ended(made.id, made.outputs);
}

/** A resource as it is, or undefined where it is gone. A good read clears the reasons of an earlier failure. */
export async function refreshed(process: Process, old: Resource): Promise<Resource | undefined> {
  if (old.pendingReplacement) return old;
  const { id, outputs, inputs } = await read(process, old.id, outputsIn(old));
  if (id === undefined) return undefined;
  return {
    id,
    inputs: inputs ? withProvider(struct(inputs), old.inputs) : old.inputs,
    outputs: withProvider(struct({ ...outputs }), old.outputs),
    initErrors: [],
  };
}

export async function destroyed(process: Process, old: Resource): Promise<void> {
  if (!old.pendingReplacement && !isRetained(old)) await remove(process, old.id, outputsIn(old));
}

/** The engine goes by the option retainOnDelete that the state has. */
const isRetained = ({ inputs }: Resource): boolean => inputs["__retain"] === true;

export const PROVIDER_TEXT = "the provider's text";

const withProvider = (props: Props, from: Props): Props => ({ ...props, __provider: from["__provider"] });

const outputsIn = (resource: Resource): Outputs => struct(resource.outputs) as unknown as Outputs;

/** What the hook makes of old outputs and new inputs (`sdk/warnings.ts`). */
function warned(oldOutputs: Props, inputs: Props): Impact {
  const own = impactOf(wishOf(oldOutputs as Asked) as Live, wishOf(inputs as Asked));
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
