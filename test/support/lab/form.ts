// What the engine asks of a provider, and its answers: the same for both forms of the provider. Here is that of TypeScript programs, on
// the code that both share.

import type { Transport } from "../../../provider/api/transport.js";
import type { Cancellation } from "../../../provider/cancellation.js";
import type { Clock } from "../../../provider/clock.js";
import { type ProviderConfig, readConfig } from "../../../provider/config.js";
import { check, type FirstOldInputs } from "../../../provider/endpoint/check.js";
import { type DiffAnswer, diff } from "../../../provider/endpoint/diff.js";
import { hintsIn } from "../../../provider/endpoint/hints.js";
import { desiredStateOf, type Problem, type StepRequest } from "../../../provider/endpoint/inputs.js";
import { create, read, remove, update } from "../../../provider/endpoint/lifecycle.js";
import { OldInputs } from "../../../provider/endpoint/old-inputs.js";
import type { Outputs } from "../../../provider/endpoint/outputs.js";
import { Ownership } from "../../../provider/endpoint/ownership.js";
import { Rollout } from "../../../provider/endpoint/rollout.js";
import type { SharedState } from "../../../provider/endpoint/shared-state.js";
import { createContext } from "../../../provider/operations/create-context.js";
import type { Impact } from "../../../provider/rules/impact.js";
import { ENDPOINT_TYPE } from "../../../provider/rules/urn.js";
import type { Resource } from "./engine.js";
import { differingPaths, type Options, type Props, withIgnored } from "./resource-options.js";
import type { Run, Step } from "./steps.js";
import { warned } from "./warned.js";

export interface Checked {
  inputs: Props;
  failures: Problem[];
  /** What was said at the resource. */
  warnings: readonly string[];
}

export interface Foreseen {
  /** The impact of which it warns at the resource. */
  warned: Impact;
  /** The outputs after the step, where the form tells them. */
  outputs?: Props;
}

/** Pulumi's requests about one resource: each has its URN. */
export interface Form {
  config: Pick<ProviderConfig, "onRestart" | "askAgain">;
  /** The properties as the program's language registers them. */
  registered(args: Props, options: Options): Props;
  check(urn: string, olds: Props, news: Props): Promise<Checked>;
  /** @throws what fails the preview. @returns the answer, and the paths that differ, which the engine shows */
  diff(urn: string, old: Resource, inputs: Props, options: Options): Promise<{ answer: DiffAnswer; differs: string[] }>;
  /** What a preview says of the step. @param old absent for a creation */
  foreseen(urn: string, old: Resource | undefined, inputs: Props): Promise<Foreseen>;
  create(urn: string, inputs: Props, request: StepRequest): Promise<{ id: string; outputs: Props }>;
  read(urn: string, old: Resource): Promise<{ id?: string; outputs: Props; inputs?: Props }>;
  update(urn: string, old: Resource, inputs: Props, request: StepRequest): Promise<Props>;
  remove(urn: string, old: Resource, request: StepRequest): Promise<void>;
  /** What the state keeps of outputs. @param from the inputs of the same resource */
  kept(outputs: Props, from: Props): Props;
  /** The form as one step sees it: its turns are noted. */
  noting(step: Step, clock: Clock): Form;
}

/** What the process of a form needs of the lab. */
export interface FormOptions {
  /** The name of the `Provider` instance; undefined for the stack's own account. */
  instance: string | undefined;
  apiKey: string;
  baseUrl: string;
  config: Partial<ProviderConfig>;
  /** Whether the command is a preview. */
  isPreview: boolean;
  clock: Clock;
  transport: Transport;
  cancellation: Cancellation;
  run: Run;
}

/** A form of the provider, for a lab. */
export interface Surface {
  /** The type of its resources. */
  type: string;
  start(options: FormOptions): { form: Form; ownership: Ownership };
}

export const PROVIDER_TEXT = "the provider's text";
const withProvider = (props: Props, from: Props): Props => ({ ...props, __provider: from["__provider"] });
const outputsIn = (resource: Resource): Outputs => struct(resource.outputs) as unknown as Outputs;

/** The class, as a TypeScript program has it. */
export const CLASS: Surface = {
  type: ENDPOINT_TYPE,
  start({ run, config: own, apiKey, baseUrl, clock, transport, cancellation }) {
    const config = { ...readConfig({ get: () => undefined }, {}), ...own };
    const context = createContext({
      ...{ baseUrl, apiKey, clock, transport, cancellation },
      keySource: "COMPUTE_API_KEY (environment)",
      log: (line) => run.said.push(line),
      requestsPerMinute: config.requestsPerMinute,
      pollSeconds: config.pollSeconds,
    });
    const warn = (line: string) => void run.warnings.push(line);
    const ownership = new Ownership();
    const shared = { claimed: new Map<string, string>(), idsInState: new Set<string>(), ownership };
    const state = { context, config, ...shared, oldInputs: new OldInputs(), rollout: new Rollout(), warn };
    return { form: classForm(state), ownership };
  },
};

function classForm(shared: SharedState, first: FirstOldInputs = new Map()): Form {
  return {
    config: shared.config,

    // The inputs that the constructor makes of options. It sees no options that `transforms` set.
    registered: (args, { replaceOnChanges, retainOnDelete }) => ({
      ...args,
      __provider: PROVIDER_TEXT,
      ...(replaceOnChanges?.length ? { __mayReplace: true } : {}),
      ...(retainOnDelete ? { __retain: true } : {}),
    }),

    async check(urn, olds, news) {
      const all = { ...struct(news), __urn: urn };
      const answer = check(first, shared.config, struct(olds), all, hintsIn(all), shared.ownership);
      const { inputs, failures, warnings } = struct(answer);
      for (const warning of warnings) shared.warn(warning);
      shared.oldInputs.rememberChecked(inputs, olds);
      return { inputs: withProvider(inputs, news), failures, warnings };
    },

    async diff(_urn, old, inputs, { ignoreChanges }) {
      shared.idsInState.add(old.id);
      const answer = diff(outputsIn(old), struct(inputs), {
        id: old.id,
        urn: shared.ownership?.noteDiff(old.id, outputsIn(old)),
        branches: shared.ownership?.branchMoves,
        oldInputs: shared.oldInputs.rememberCompared(old.id, inputs),
        askAgain: shared.config.askAgain,
        unapplied: shared.context.log,
      });
      return {
        answer: struct(answer),
        differs: differingPaths(old.inputs, withIgnored(inputs, old.inputs, ignoreChanges)),
      };
    },

    async foreseen(_urn, old, inputs) {
      return { warned: old ? warned(old, inputs, shared.config.askAgain) : "none" };
    },

    async create(_urn, inputs, request) {
      const { id, outputs } = await create(shared, desiredStateOf(struct(inputs), request));
      return { id, outputs: { ...outputs } };
    },

    async read(_urn, old) {
      const { id, outputs, inputs } = await read(shared, old.id, outputsIn(old));
      return {
        ...(id === undefined ? {} : { id }),
        outputs: { ...outputs },
        ...(inputs ? { inputs: withProvider(struct(inputs), old.inputs) } : {}),
      };
    },

    async update(_urn, old, inputs, request) {
      const desiredState = desiredStateOf(struct(inputs), request);
      return { ...(await update(shared, { id: old.id, olds: outputsIn(old), desiredState })) };
    },

    remove: (_urn, old, request) => remove(shared, old.id, outputsIn(old), request),
    kept: (outputs, from) => withProvider(struct(outputs), from),
    noting: (step, clock) => classForm(withTurnsNoted(clock, shared, step), first),
  };
}

/** The shared state as one step sees it: its turns are noted. */
function withTurnsNoted(clock: Clock, shared: SharedState, step: Step): SharedState {
  const { mutations } = shared.context;
  const run: typeof mutations.run = (project, keys, work) =>
    mutations.run(project, keys, () => noted(clock, step, work));
  const addKey = mutations.addKey.bind(mutations);
  return { ...shared, context: { ...shared.context, mutations: { run, addKey } as typeof mutations } };
}

/** Runs a turn of the step, and notes it. */
export async function noted<T>(clock: Clock, step: Step | undefined, work: () => Promise<T>): Promise<T> {
  const turn: Step["turns"][number] = { from: clock.now() };
  step?.turns.push(turn);
  try {
    return await work();
  } finally {
    turn.to = clock.now();
  }
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
