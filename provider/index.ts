// The adapter between Pulumi's dynamic provider and the lifecycle. Pulumi keeps the text of a dynamic provider in the
// state. Ours is one line, which loads this file.

import type { StackConfig } from "./config.js";
import { check } from "./endpoint/check.js";
import { diff } from "./endpoint/diff.js";
import { hintsIn } from "./endpoint/hints.js";
import { desiredStateOf } from "./endpoint/inputs.js";
import type { Outputs } from "./endpoint/outputs.js";
import { notThere } from "./endpoint/refusals.js";
import { isKind, type NotReady } from "./errors.js";
import { ProviderProcess } from "./provider-process.js";
import { followShim, takeDelete, takeRequest } from "./shim.js";

type Props = Record<string, unknown>;

const PROVIDER_KEY = "__provider";
const providerProcess = new ProviderProcess({ print: (line) => console.log(line), argv: process.argv.slice(2) });
const { ownership, secrets, shared } = providerProcess;

/** A dynamic provider, as Pulumi's own shim calls it. */
export interface DynamicProvider {
  configure(request: { config: { get(name: string): string | undefined } }): Promise<void>;
  check(olds: Props, news: Props): Promise<{ inputs: Props; failures: { property: string; reason: string }[] }>;
  diff(
    id: string,
    olds: Props,
    news: Props,
  ): Promise<{ changes?: boolean; replaces?: string[]; deleteBeforeReplace?: boolean }>;
  create(news: Props): Promise<{ id: string; outs: Props }>;
  read(id: string, state: Props): Promise<{ id?: string; props?: Props; inputs?: Props }>;
  update(id: string, olds: Props, news: Props): Promise<{ outs: Props }>;
  delete(id: string, state: Props): Promise<void>;
}

/** The resource's provider. */
export const provider: DynamicProvider = {
  /** Everything is set before the first await: the shim uses the provider before an async configure is done. */
  configure(request: { config: StackConfig }): Promise<void> {
    providerProcess.configure(request.config);
    followShim({ cancelled: () => providerProcess.cancellation.request() });
    providerProcess.followEngine();
    return Promise.resolve();
  },

  check(olds: Props, news: Props) {
    secrets.remember(news);
    return withCleanErrors(async () => {
      const hints = hintsIn(news);
      const answer = check(providerProcess.firstOldInputs, shared.config, olds, news, hints, ownership);
      for (const line of answer.warnings) providerProcess.warn(line);
      shared.oldInputs.rememberChecked(answer.inputs, olds);
      shared.places?.note(hints, answer.inputs);
      return { inputs: answer.inputs, failures: answer.failures };
    });
  },

  diff(id: string, olds: Props, news: Props) {
    shared.idsInState.add(id);
    const urn = ownership.noteDiff(id, olds);
    return withCleanErrors(async () => {
      const oldInputs = shared.oldInputs.rememberCompared(id, news);
      const { branchMoves } = ownership;
      const { askAgain } = shared.config;
      const options = {
        id,
        urn,
        branches: branchMoves,
        oldInputs,
        askAgain,
        unapplied: providerProcess.printFirstUnapplied,
      };
      const answer = diff(olds as unknown as Outputs, news, options);
      // A state without the provider's text can be neither refreshed nor destroyed: an update puts it back.
      const isLost = olds[PROVIDER_KEY] === undefined && answer.changes === false;
      return isLost ? { changes: true } : answer;
    });
  },

  create(news: Props) {
    const request = takeRequest(news);
    secrets.remember(news);
    return withCleanErrors(async () => {
      const { id, outputs } = await providerProcess.trackCreate(
        providerProcess.steps().create(shared, desiredStateOf(news, request)),
      );
      return { id, outs: { ...outputs } };
    }, news);
  },

  read(id: string, state: Props) {
    secrets.remember(state);
    return withCleanErrors(async () => {
      const answer = await providerProcess.steps().read(shared, id, state as Partial<Outputs>);
      if (answer.id === undefined && isLookup(state)) throw notThere(state["projectId"], id, " of this Endpoint.get");
      return { id: answer.id, props: answer.outputs && { ...answer.outputs }, inputs: answer.inputs };
    });
  },

  update(id: string, olds: Props, news: Props) {
    const request = takeRequest(news);
    for (const props of [olds, news]) secrets.remember(props);
    return withCleanErrors(async () => {
      const desiredState = desiredStateOf(news, request);
      const outputs = await providerProcess
        .steps()
        .update(shared, { id, olds: olds as unknown as Outputs, desiredState });
      return { outs: { ...outputs } };
    }, news);
  },

  delete(id: string, state: Props) {
    const request = takeDelete(id, state);
    secrets.remember(state);
    return withCleanErrors(() => providerProcess.steps().remove(shared, id, state as unknown as Outputs, request));
  },
};

/** Whether `Endpoint.get` reads: it gives only the project and the id. The state of a resource also has `managed`. */
const isLookup = (state: Props): boolean => state["managed"] === undefined;

/** Cleans the errors of a step. An error that keeps a compute in the state gets the provider's text. */
async function withCleanErrors<T>(work: () => Promise<T>, news?: Props): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isKind(error, "not-ready")) withProvider(error, news);
    throw providerProcess.clean(error);
  }
}

/** Without it, refresh and destroy of a compute that was kept after a failure could not load the provider. */
function withProvider(error: NotReady, news: Props | undefined): void {
  if (news) error.properties[PROVIDER_KEY] = news[PROVIDER_KEY];
}
