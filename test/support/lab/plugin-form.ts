// The plugin behind the engine of the lab: its gRPC methods with messages as they are on the wire, without sockets, in virtual time.

import { AsyncLocalStorage } from "node:async_hooks";
import type { Metadata } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { NativeProvider } from "../../../native/provider.js";
import { handlersOf } from "../../../native/server.js";
import type { Clock } from "../../../provider/clock.js";
import type { StepRequest } from "../../../provider/endpoint/inputs.js";
import type { Ownership } from "../../../provider/endpoint/ownership.js";
import { ProviderProcess } from "../../../provider/provider-process.js";
import { readNotice } from "../../../provider/rules/notice.js";
import { NATIVE_TYPE } from "../../../provider/rules/urn.js";
import { type Call, type CallFailed, failed, PluginClient, secret } from "../plugin-client.js";
import type { Resource } from "./engine.js";
import { type Form, type FormOptions, noted, type Surface } from "./form.js";
import type { Props } from "./resource-options.js";
import type { Run, Step } from "./steps.js";

/** Remembers the last error: its kind and what it foresees get lost on the wire, and the judge wants them. */
class ObservedProvider extends NativeProvider {
  lastError: unknown;

  override clean(error: unknown): unknown {
    this.lastError = super.clean(error);
    return this.lastError;
  }
}

/** A process of the plugin: with its configuration, and nothing that it could ask in a preview. */
export const PLUGIN: Surface = { type: NATIVE_TYPE, start };

function start(options: FormOptions): { form: Form; ownership: Ownership } {
  const { clock, transport, run, isPreview, cancellation } = options;
  const process = new ProviderProcess({
    argv: [],
    clock,
    transport,
    print: (line) => (line.startsWith("warning: ") ? run.warnings.push(line.slice(9)) : run.said.push(line)),
  });
  const provider = new ObservedProvider(process);
  const lines: string[] = [];
  provider.logTo({
    say: async (_urn, severity, text) => void (severity === "warn" && lines.push(text)),
  });
  const client = new PluginClient(callsOf(provider));
  let configured: Promise<void> | undefined;
  const ready = () => {
    configured ??= client.configure(argsOf(options), options.instance);
    return configured;
  };
  cancellation.onRequest(() => void client.cancel());
  const turnOf = noteTurns(process, clock);
  return {
    form: new PluginForm({ client, ready, lines, run, turnOf, process, isPreview }),
    ownership: process.ownership,
  };
}

function argsOf({ instance, apiKey, baseUrl, config }: FormOptions): Props {
  const { askAgain, onRestart, pollSeconds, requestsPerMinute } = config;
  const account = instance === undefined ? { apiKey: secret(`${baseUrl}#${apiKey}`) } : { apiKey, apiUrl: baseUrl };
  const values = { askAgain, onRestart, pollSeconds, requestsPerMinute };
  const texts = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  // The lab looks itself what a preview foresees of a creation: without requests and without faults.
  return { ...account, ...Object.fromEntries(texts), liveNotices: "false" };
}

interface Method {
  requestSerialize(request: object): Buffer;
  requestDeserialize(bytes: Buffer): object;
  responseSerialize(response: object): Buffer;
  responseDeserialize(bytes: Buffer): object;
}

/** Calls the plugin's methods. Each message is written and read, as between two processes. */
function callsOf(provider: ObservedProvider): Call {
  const handlers = handlersOf(provider, { version: "0.0.0", connect: () => {} }) as Record<string, Handler>;
  const methods = ResourceProviderService as unknown as Record<string, Method>;
  return <Response>(name: string, request: object) =>
    new Promise<Response>((settle, fail) => {
      const method = methods[name]!;
      const received = method.requestDeserialize(method.requestSerialize(request));
      void handlers[name]!({ request: received }, (error, answer) => {
        if (error) fail(withKind(failed(error), provider.lastError));
        else settle(method.responseDeserialize(method.responseSerialize(answer!)) as Response);
      });
    });
}

type Handler = (
  call: { request: object },
  done: (error: { details: string; metadata?: Metadata } | null, answer?: object) => void,
) => Promise<void>;

function withKind(error: CallFailed, cause: unknown): Error {
  const { kind, foreseen } = { ...(cause as { kind?: string; foreseen?: object }) };
  return Object.assign(error, error.kept, kind === undefined ? {} : { kind }, foreseen ? { foreseen } : {});
}

/** Notes the turns of each step, by the step in which they are asked for. */
function noteTurns(process: ProviderProcess, clock: Clock): AsyncLocalStorage<Step> {
  const steps = new AsyncLocalStorage<Step>();
  let isNoted = false;
  const { context } = Object.getOwnPropertyDescriptors(process.shared);
  Object.defineProperty(process.shared, "context", {
    get: () => {
      const own = context.get!.call(process.shared) as ProviderProcess["shared"]["context"];
      if (isNoted) return own;
      isNoted = true;
      const run = own.mutations.run.bind(own.mutations);
      own.mutations.run = (project, keys, work) => {
        const step = steps.getStore();
        return run(project, keys, () => noted(clock, step, work));
      };
      return own;
    },
  });
  return steps;
}

interface Parts {
  client: PluginClient;
  ready(): Promise<void>;
  /** The warnings at resources, since they were last taken. */
  lines: string[];
  run: Run;
  turnOf: AsyncLocalStorage<Step>;
  process: ProviderProcess;
  isPreview: boolean;
}

const DROPS = /open connections drop|nothing can connect|new host/;

class PluginForm implements Form {
  constructor(
    private readonly parts: Parts,
    private readonly step?: Step,
  ) {}

  get config(): Form["config"] {
    return this.parts.process.shared.config;
  }

  registered({ customTimeouts: _, __retain: _retain, ...args }: Props): Props {
    return args;
  }

  async check(urn: string, olds: Props, news: Props) {
    const { client, lines, run, ready } = this.parts;
    await ready();
    lines.splice(0);
    const { inputs, failures } = await client.check(olds, news, "", urn);
    const warnings = lines.splice(0);
    run.warnings.push(...warnings);
    return { inputs, failures: failures.map(([property, reason]) => ({ property, reason })), warnings };
  }

  async diff(urn: string, old: Resource, inputs: Props) {
    const { id, outputs, inputs: oldInputs } = old;
    const { changes, replaces, details } = await this.parts.client.diff(id, outputs, inputs, { urn, oldInputs });
    const differs = Object.keys(details);
    return { answer: { replaces, ...(differs.length > 0 ? {} : { changes: changes === "some" }) }, differs };
  }

  async foreseen(urn: string, old: Resource | undefined, inputs: Props) {
    const { client, isPreview, lines } = this.parts;
    if (!isPreview) return { warned: "none" as const };
    lines.splice(0);
    const step = { urn, preview: true, ...(old ? { oldInputs: old.inputs } : {}) };
    const outputs = old
      ? await client.update(old.id, old.outputs, inputs, step)
      : (await client.create(inputs, step)).outputs;
    const isSaid = lines.splice(0).some((line) => DROPS.test(line));
    return { warned: isSaid ? (readNotice(inputs)?.impact ?? "may-restart") : ("none" as const), outputs };
  }

  create(urn: string, inputs: Props, request: StepRequest) {
    return this.#do((client) => client.create(inputs, { urn, ...secondsOf(request) }));
  }

  async read(urn: string, { id, outputs: state, inputs: known }: Resource) {
    const { id: found, ...read } = await this.#do((client) => client.read(id, state, known, "", urn));
    return { ...read, ...(found === "" ? {} : { id: found }) };
  }

  update(urn: string, { id, outputs, inputs: oldInputs }: Resource, inputs: Props, request: StepRequest) {
    return this.#do((client) => client.update(id, outputs, inputs, { urn, oldInputs, ...secondsOf(request) }));
  }

  remove(urn: string, { id, outputs }: Resource, request: StepRequest) {
    return this.#do((client) => client.delete(id, outputs, { urn, ...secondsOf(request) }));
  }

  kept(outputs: Props): Props {
    return outputs;
  }

  noting(step: Step): Form {
    return new PluginForm(this.parts, step);
  }

  async #do<T>(work: (client: PluginClient) => Promise<T>): Promise<T> {
    const { client, ready, turnOf } = this.parts;
    await ready();
    return this.step ? turnOf.run(this.step, () => work(client)) : work(client);
  }
}

const secondsOf = ({ timeoutMs }: StepRequest) => (timeoutMs ? { timeout: timeoutMs / 1000 } : {});
