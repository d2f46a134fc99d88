// The adapter between Pulumi's engine and the lifecycle, for programs in any language. The requests carry the URN, the old
// inputs, the time limit, which values are secret, and whether it is a preview. The class gets these through internal
// inputs.

import { check } from "../provider/endpoint/check.js";
import { type DiffAnswer, diff } from "../provider/endpoint/diff.js";
import { isPreviewCommand } from "../provider/endpoint/engine-arguments.js";
import { type DesiredState, desiredStateOf, type Problem } from "../provider/endpoint/inputs.js";
import type { Outputs } from "../provider/endpoint/outputs.js";
import { notThere } from "../provider/endpoint/refusals.js";
import { Stopped } from "../provider/errors.js";
import type { ProviderProcess } from "../provider/provider-process.js";
import { configWarnings, instanceNameProblem, plainHostProblem } from "../provider/rules/config-warnings.js";
import { factsTail } from "../provider/rules/message-data.js";
import { textsIn } from "../provider/rules/texts-in.js";
import { FIXED_OUTPUTS } from "../provider/rules/unchanged-outputs.js";
import { identityOf } from "../provider/rules/urn.js";
import { textOfLine } from "../provider/rules/warnings.js";
import { isDefaultProvider, settingsOf, stackConfig } from "./config.js";
import { inputDiff, type Kind } from "./detailed-diff.js";
import type { EngineLog } from "./engine-log.js";
import { callFunction, secretsOf } from "./functions.js";
import { outputsOfCreation, outputsOfUpdate } from "./known-outputs.js";
import { LiveProjects } from "./live-projects.js";
import {
  announcedChangeOf,
  linesOfCreation,
  linesOfUpdate,
  type ResourceStep,
  resourceStep,
  type TimedLine,
  type UpdateStep,
} from "./preview-warnings.js";
import type { Props, Values } from "./values.js";

/** What the requests of create, update and delete have in common. */
export interface EngineStep {
  urn: string;
  /** Milliseconds; 0 if the resource has no `customTimeouts` for this step. */
  timeoutMs?: number;
  preview?: boolean;
}

/** The new inputs of a create or an update, and the outputs before, where there were some. */
export interface StepValues {
  news: Values;
  olds?: Values;
}

export interface DiffResult extends DiffAnswer {
  /** The inputs that differ. */
  paths: ReadonlyMap<string, Kind>;
  stables: readonly string[];
}

export class NativeProvider {
  readonly #providerProcess: ProviderProcess;
  #log: Pick<EngineLog, "say"> | undefined;
  #projects: LiveProjects | undefined;

  constructor(process: ProviderProcess) {
    this.#providerProcess = process;
  }

  /** Sends messages to the engine from now on. */
  logTo(log: Pick<EngineLog, "say">): void {
    this.#log = log;
  }

  /**
   * @param name of the provider resource; undefined if the engine does not say it
   * @param urn of the provider resource, which has the project's name
   * @throws Stopped if the stack's config names a host in plain text, or sets a name that is reserved for a `Provider`
   */
  async configure(args: Values, name: string | undefined, urn: string | undefined): Promise<void> {
    const config = stackConfig(args.props, name);
    if (isDefaultProvider(name)) {
      const settings = settingsOf(args, urn && identityOf(urn)?.project);
      const problem = instanceNameProblem(config.get) ?? plainHostProblem(settings);
      if (problem !== undefined) throw new Stopped(problem);
      for (const text of configWarnings(settings, process.env, Date.now()))
        await this.#say("", { severity: "warn", text });
    }
    this.#providerProcess.configure(config);
    const isQuiet = config.get("compute:liveNotices") === "false";
    const warn = (text: string) => this.#say("", { severity: "warn", text });
    this.#projects = isQuiet ? undefined : new LiveProjects(this.#providerProcess.shared.config, warn);
  }

  async check(urn: string, olds: Values, news: Values): Promise<Values & { failures: Problem[] }> {
    const { firstOldInputs, shared, ownership, secrets } = this.#providerProcess;
    secrets.remember(withSecrets(news));
    // Options such as `replaceOnChanges` and `retainOnDelete` reach no provider.
    const hints = { urn, secrets: [...news.secrets], mayReplace: "transforms", isPreview: isPreviewCommand() } as const;
    const { inputs, failures, warnings } = check(
      firstOldInputs,
      shared.config,
      withSecrets(olds),
      news.props,
      hints,
      ownership,
    );
    for (const line of warnings) await this.#say(urn, { severity: "warn", text: line });
    shared.places?.note(hints, inputs);
    return { props: withoutSecretNames(inputs), secrets: news.secrets, failures };
  }

  /** @throws Stopped if the update would change something that this preview does not show */
  diff(id: string, olds: Values, news: Values, oldInputs: Values): DiffResult {
    const { shared, ownership } = this.#providerProcess;
    shared.idsInState.add(id);
    const state = withSecrets(olds);
    const urn = ownership.noteDiff(id, state);
    const before = withSecrets(oldInputs);
    // A refresh calls diff without check: there is no change to plan.
    const isChecked = urn !== undefined;
    if (isChecked) shared.oldInputs.rememberFor(id, before);
    const found = diff(state as unknown as Outputs, news.props, {
      id,
      urn,
      branches: ownership.branchMoves,
      askAgain: shared.config.askAgain,
      unapplied: this.#providerProcess.printFirstUnapplied,
      ...(isChecked ? { oldInputs: before } : {}),
    });
    const paths = found.changes === false ? new Map<string, Kind>() : inputDiff(before, news.props);
    const changes = found.replaces ? true : (found.changes ?? paths.size > 0);
    return { ...found, changes, paths, stables: [...FIXED_OUTPUTS, "projectId", "type"] };
  }

  async create(request: EngineStep, news: Values): Promise<Values & { id: string }> {
    const step = this.#step(request, news);
    this.#providerProcess.secrets.remember(withSecrets(news));
    for (const line of await linesOfCreation(step)) await this.#say(request.urn, line);
    if (request.preview) return { id: "", props: outputsOfCreation(news), secrets: news.secrets };
    const desiredState = this.#desiredStateOf(news, request);
    const made = await this.#providerProcess.trackCreate(
      this.#providerProcess.steps().create(this.#providerProcess.shared, desiredState),
    );
    return { id: made.id, ...stateValuesOf({ ...made.outputs }, news) };
  }

  async update(request: EngineStep, id: string, olds: Values, news: Values, oldInputs: Values): Promise<Values> {
    const state = withSecrets(olds);
    const before = withSecrets(oldInputs);
    const { askAgain } = this.#providerProcess.shared.config;
    const step: UpdateStep = { ...this.#step(request, news, before), id, olds: state, oldInputs: before, askAgain };
    for (const values of [state, withSecrets(news)]) this.#providerProcess.secrets.remember(values);
    const change = announcedChangeOf(step);
    for (const line of await linesOfUpdate(step, change)) await this.#say(request.urn, line);
    if (request.preview) {
      const outputs = outputsOfUpdate(olds.props, before, news, change);
      return { props: outputs, secrets: secretsAfter(news, olds) };
    }
    const updateRequest = { id, olds: state as unknown as Outputs, desiredState: this.#desiredStateOf(news, request) };
    return stateValuesOf(
      { ...(await this.#providerProcess.steps().update(this.#providerProcess.shared, updateRequest)) },
      news,
      olds,
    );
  }

  /** @returns no id where the compute does not exist any more */
  async read(id: string, state: Values, inputs: Values): Promise<{ id?: string; outputs: Values; inputs: Values }> {
    const place = computeRefOf(id, state.props);
    const { shared } = this.#providerProcess;
    const known = withSecrets(state);
    this.#providerProcess.secrets.remember(known);
    const isManaged = known["managed"] !== undefined;
    // An empty state means an import. A state with only the project means `Endpoint.get`.
    const isImport = Object.keys(state.props).length === 0;
    const found = isImport
      ? await this.#providerProcess.steps().readForImport(shared, place)
      : await this.#providerProcess
          .steps()
          .read(shared, place.id, { ...known, projectId: place.project } as Partial<Outputs>);
    if (found.id === undefined && !isManaged) throw notThere(place.project, place.id);
    if (found.id === undefined) return { outputs: NOTHING, inputs: NOTHING };
    return {
      id: found.id,
      outputs: stateValuesOf({ ...found.outputs }, inputs, state),
      inputs: found.inputs ? { props: withoutSecretNames(found.inputs), secrets: inputs.secrets } : inputs,
    };
  }

  async delete({ timeoutMs }: EngineStep, id: string, state: Values): Promise<void> {
    const known = withSecrets(state);
    this.#providerProcess.secrets.remember(known);
    const request = timeoutMs ? { timeoutMs } : {};
    await this.#providerProcess.steps().remove(this.#providerProcess.shared, id, known as unknown as Outputs, request);
  }

  async invoke(token: string, args: Values): Promise<Values> {
    const { shared } = this.#providerProcess;
    const { account } = shared.config;
    if (account instanceof Error) throw account;
    this.#providerProcess.secrets.remember(withSecrets(args));
    const access = { context: shared.context, keySource: account.keySource, timeoutMs: lookups().LOOKUP_MS };
    const result = await callFunction(token, lookups(), access, args.props);
    return { props: { ...result }, secrets: secretsOf(token) };
  }

  /** At the first Ctrl-C, and at the normal end of each command. */
  cancel(): void {
    this.#providerProcess.cancellation.request();
  }

  /** Removes secrets from the error. */
  clean(error: unknown): unknown {
    return this.#providerProcess.clean(error);
  }

  /**
   * What the state keeps of a compute whose step failed.
   * @param properties of the error
   */
  keptAfterFailure = (properties: Props, { news, olds }: StepValues): Values => stateValuesOf(properties, news, olds);

  #step({ urn, preview = false }: EngineStep, news: Values, oldInputs?: Props): ResourceStep {
    return resourceStep(news, {
      urn,
      ...(oldInputs ? { oldInputs } : {}),
      config: this.#providerProcess.shared.config,
      isPreview: preview,
      isSoftened: () => this.#isSoftened,
      projectNow: async (projectId) => (preview ? this.#projects?.projectOf(projectId) : undefined),
      lookups,
    });
  }

  /** `COMPUTE_ON_RESTART=warn` softens only previews. Pulumi does not tell check whether it is a preview. */
  get #isSoftened(): boolean {
    return this.#providerProcess.shared.config.softensPreviews && isPreviewCommand();
  }

  #desiredStateOf(news: Values, { timeoutMs }: EngineStep): DesiredState {
    return desiredStateOf(withSecrets(news), timeoutMs ? { timeoutMs } : {});
  }

  async #say(urn: string, line: TimedLine): Promise<void> {
    const text = this.#providerProcess.printable(textOfLine(line));
    await this.#log?.say(urn, line.severity, text + factsTail(line.facts ?? [], line.atMs ?? Date.now()));
  }
}

const lookups = () => require("../provider/lookup/index.js") as typeof import("../provider/lookup/index.js");

const NOTHING: Values = { props: {}, secrets: new Set() };

/** Inputs that the class keeps in the state. The plugin gets these values in its requests. */
const CLASS_INPUTS = new Set(["__provider", "__urn", "__parent", "customTimeouts"]);

/** Adds the names of the secret properties, as `provider/` expects. */
function withSecrets({ props, secrets }: Values): Props {
  const kept = Object.fromEntries(Object.entries(props).filter(([name]) => !CLASS_INPUTS.has(name)));
  const names = [...new Set([...textsIn(props["__secret"]), ...secrets])].sort();
  return names.length > 0 ? { ...kept, __secret: names } : kept;
}

function withoutSecretNames({ __secret: _, ...props }: Props): Props {
  return props;
}

/** What goes into the state. @param olds the outputs before, where there were some */
const stateValuesOf = (outputs: Props, news: Values, olds: Values = NOTHING): Values => ({
  props: withoutSecretNames(outputs),
  secrets: secretsAfter(news, olds),
});

/**
 * A property that the program no longer sets stays secret. `__asked` has the values that the service did not apply. They may
 * contain secrets that nobody has marked.
 */
const secretsAfter = (news: Values, olds: Values): ReadonlySet<string> =>
  new Set([...news.secrets, ...[...olds.secrets].filter((name) => news.props[name] === undefined), "__asked"]);

const FORM = "PROJECT/ep-…";

/** @param id `ep-…` of a state that has the project, or `PROJECT/ep-…` */
function computeRefOf(id: string, { projectId }: Props): { project: string; id: string } {
  const at = id.indexOf("/");
  if (at >= 0) return { project: id.slice(0, at), id: id.slice(at + 1) };
  if (typeof projectId === "string") return { project: projectId, id };
  throw new Stopped(`the id ${id} has no project, and every API route needs one: use ${FORM}`);
}
