// Does what the engine does with one resource: check and diff decide on a step, and its result decides what the state
// keeps.

import type { DiffAnswer } from "../../../provider/endpoint/diff.js";
import { millisecondsOf, type Problem, type StepRequest } from "../../../provider/endpoint/inputs.js";
import { isKind } from "../../../provider/errors.js";
import type { Impact } from "../../../provider/rules/impact.js";
import { type ImpactNotice, readNotice } from "../../../provider/rules/notice.js";
import type { Form } from "./form.js";
import { type Options, type Props, replacesFor, type Timeouts, withIgnored } from "./resource-options.js";

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
export type Processes = (provider: string | undefined) => Form;

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
  /** The outputs that a preview foresees, where the form tells them. */
  foreseen?: Props;
}

/** @param args the program's arguments */
export async function plan(
  form: Form,
  urn: string,
  old: Resource | undefined,
  args: Props,
  options: Options = {},
): Promise<Plan> {
  const program = form.registered(args, options);
  const remarks: string[] = [];
  const checked = async (olds: Props, news: Props) => {
    const { inputs, failures, warnings } = await form.check(urn, olds, news);
    remarks.push(...warnings);
    const notice = readNotice(inputs);
    const announced = notice && notice.impact !== "none" ? { announced: notice } : {};
    return { inputs, failures, marker: String(inputs["restart"]), ...announced };
  };
  const olds = old?.inputs ?? {};
  const news = old ? withIgnored(program, olds, options.ignoreChanges) : program;
  const begun = { ...(await checked(olds, news)), notice: "none" as Impact, options, differs: [], remarks };
  if (begun.failures.length > 0) return { ...begun, op: "refused" };
  const foreseen = async (of: Resource | undefined, inputs: Props) => {
    const { warned, outputs } = await form.foreseen(urn, of, inputs);
    return { notice: warned, ...(outputs ? { foreseen: outputs } : {}) };
  };
  if (!old) return { ...begun, op: "create", ...(await foreseen(undefined, begun.inputs)) };

  let compared: Awaited<ReturnType<Form["diff"]>>;
  try {
    compared = await form.diff(urn, old, begun.inputs, options);
  } catch (error) {
    // The engine fails the preview at the resource.
    return { ...begun, op: "refused", failures: [{ property: "diff", reason: (error as Error).message }] };
  }
  const { answer, differs } = compared;
  const differ = answer.changes ?? differs.length > 0;
  // Where the provider says itself that something changes, the engine knows no paths, and the option can't match.
  const asked = [...(options.replaceOnChanges ?? []), ...(options.byRule?.replaceOnChanges ?? [])];
  const byOption = answer.changes === undefined && replacesFor(asked, differs);
  if (old.pendingReplacement || options.replaces || (differ && (answer.replaces?.length || byOption))) {
    // A new compute is asked for what the program says, also where changes are ignored.
    const again = { ...begun, ...(await checked({}, program)), diff: answer, differs };
    if (again.failures.length > 0) return { ...again, op: "refused" };
    return { ...again, op: "replace", ...(await foreseen(undefined, again.inputs)) };
  }
  if (!differ && old.initErrors.length === 0) return { ...begun, op: "same", diff: answer };
  return { ...begun, op: "update", diff: answer, differs, ...(await foreseen(old, begun.inputs)) };
}

/** Carries a plan out. @param save gets the resource for the state, even if the step fails */
export async function apply(
  processes: Processes,
  urn: string,
  { op, inputs, options }: Plan,
  old: Resource | undefined,
  save: (resource: Resource) => void,
): Promise<void> {
  const { retainOnDelete, provider, byRule: { customTimeouts } = {} } = options;
  const form = processes(provider);
  const ofOptions = {
    ...(retainOnDelete ? { retainOnDelete } : {}),
    ...(provider ? { provider } : {}),
    ...(customTimeouts ? { customTimeouts } : {}),
  };
  const keep = (resource: Resource) => save({ ...resource, ...ofOptions });
  const failed = (error: unknown, keptInputs: Props): never => {
    if (isKind(error, "not-ready")) {
      const outputs = form.kept(error.properties, inputs);
      keep({ id: error.id, inputs: keptInputs, outputs, initErrors: error.reasons });
    }
    throw error;
  };
  const ended = (id: string, outputs: Props) =>
    keep({ id, inputs, outputs: form.kept(outputs, inputs), initErrors: [] });

  if (op === "refused") return;
  if (op === "same") {
    const { retainOnDelete: _retained, provider: _provider, customTimeouts: _timeouts, ...same } = old!;
    return keep({ ...same, inputs });
  }
  if (op === "update") {
    // After a failed update the engine keeps the old inputs beside the new outputs.
    const updating = form.update(urn, old!, inputs, within(customTimeouts?.update));
    return ended(old!.id, await updating.catch((error) => failed(error, old!.inputs)));
  }
  if (old && !old.pendingReplacement) {
    await destroyed(processes, urn, old);
    save({ ...old, pendingReplacement: true });
  }
  const creating = form.create(urn, inputs, within(customTimeouts?.create));
  const made = await creating.catch((error) => failed(error, inputs));
  ended(made.id, made.outputs);
}

/** A resource as it is, or undefined where it is gone. A good read clears the reasons of an earlier failure. */
export async function refreshed(processes: Processes, urn: string, old: Resource): Promise<Resource | undefined> {
  if (old.pendingReplacement) return old;
  const form = processes(old.provider);
  const { id, outputs, inputs = old.inputs } = await form.read(urn, old);
  if (id === undefined) return undefined;
  return { ...old, id, inputs, outputs: form.kept(outputs, old.outputs), initErrors: [] };
}

/** The provider is not asked to delete what the state says to retain, or what is gone. */
export async function destroyed(processes: Processes, urn: string, old: Resource): Promise<void> {
  if (old.pendingReplacement || isRetained(old)) return;
  await processes(old.provider).remove(urn, old, within(old.customTimeouts?.delete));
}

/** The time limit as the engine's request has it. */
const within = (text: string | undefined): StepRequest => {
  const timeoutMs = millisecondsOf(text);
  return timeoutMs === undefined ? {} : { timeoutMs };
};

/** The engine uses the option `retainOnDelete` in the state, not that of the program. */
const isRetained = ({ retainOnDelete = false }: Resource): boolean => retainOnDelete;
