// The requests of the engine to the plugin, and its answers, in the words of a program.

import { createRequire } from "node:module";
import type { Metadata, ServiceError } from "@grpc/grpc-js";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";

type Props = Record<string, unknown>;

export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
export const secret = (value: unknown): object => ({ ...SECRET, value });

export const urnOf = (name: string): string => `urn:pulumi:dev::shop::compute:index:Endpoint::${name}`;

/** A call that failed, with what Pulumi would keep in the state. */
export class CallFailed extends Error {
  constructor(
    message: string,
    readonly kept?: { id: string; properties: Props; reasons: string[] },
  ) {
    super(message);
  }
}

export interface Step {
  /** @default "main" */
  name?: string;
  /** @default that of the name */
  urn?: string;
  preview?: boolean;
  /** Seconds. */
  timeout?: number;
  oldInputs?: Props;
}

/** Sends a request of the engine, over whatever connection. Rejects with a `CallFailed`. */
export type Call = <Response = unknown>(method: string, request: object) => Promise<Response>;

export class PluginClient {
  constructor(readonly call: Call) {}

  /** @param args without their namespace, as the engine sends them */
  async configure(args: Props, name = "default"): Promise<void> {
    const request = new proto.ConfigureRequest();
    request.setArgs(struct(args));
    request.setName(name);
    await this.call("configure", request);
  }

  async schema(): Promise<Props> {
    const response = await this.call<proto.GetSchemaResponse>("getSchema", new proto.GetSchemaRequest());
    return JSON.parse(response.getSchema()) as Props;
  }

  async diffConfig(olds: Props, news: Props) {
    const request = new proto.DiffRequest();
    request.setOlds(struct(olds));
    request.setNews(struct(news));
    const response = await this.call<proto.DiffResponse>("diffConfig", request);
    return { changes: CHANGES[response.getChanges()], replaces: response.getReplacesList() };
  }

  async check(olds: Props, news: Props, name = "main", urn = urnOf(name)) {
    const request = new proto.CheckRequest();
    request.setUrn(urn);
    request.setOlds(struct(olds));
    request.setNews(struct(news));
    const response = await this.call<proto.CheckResponse>("check", request);
    const failures = response.getFailuresList().map((one) => [one.getProperty(), one.getReason()] as const);
    return { inputs: plain(response.getInputs()), failures };
  }

  async diff(id: string, olds: Props, news: Props, { name = "main", urn = urnOf(name), oldInputs = {} }: Step = {}) {
    const request = new proto.DiffRequest();
    request.setId(id);
    request.setUrn(urn);
    request.setOlds(struct(olds));
    request.setNews(struct(news));
    request.setOldInputs(struct(oldInputs));
    const response = await this.call<proto.DiffResponse>("diff", request);
    const details: Record<string, string> = {};
    response.getDetaileddiffMap().forEach((one, path) => {
      details[path] = KINDS[one.getKind()]!;
    });
    const { getChanges, getReplacesList, getStablesList } = response;
    return {
      changes: CHANGES[getChanges.call(response)],
      replaces: getReplacesList.call(response),
      stables: getStablesList.call(response),
      deleteBeforeReplace: response.getDeletebeforereplace(),
      details,
    };
  }

  async create(news: Props, { name = "main", urn = urnOf(name), preview = false, timeout = 0 }: Step = {}) {
    const request = new proto.CreateRequest();
    request.setUrn(urn);
    request.setProperties(struct(news));
    request.setPreview(preview);
    request.setTimeout(timeout);
    const response = await this.call<proto.CreateResponse>("create", request);
    return { id: response.getId(), outputs: plain(response.getProperties()) };
  }

  async update(id: string, olds: Props, news: Props, step: Step = {}): Promise<Props> {
    const { name = "main", urn = urnOf(name), preview = false, timeout = 0, oldInputs = {} } = step;
    const request = new proto.UpdateRequest();
    request.setId(id);
    request.setUrn(urn);
    request.setOlds(struct(olds));
    request.setNews(struct(news));
    request.setOldInputs(struct(oldInputs));
    request.setPreview(preview);
    request.setTimeout(timeout);
    return plain((await this.call<proto.UpdateResponse>("update", request)).getProperties());
  }

  async read(id: string, state: Props = {}, inputs: Props = {}, name = "main", urn = urnOf(name)) {
    const request = new proto.ReadRequest();
    request.setId(id);
    request.setUrn(urn);
    request.setProperties(struct(state));
    request.setInputs(struct(inputs));
    const response = await this.call<proto.ReadResponse>("read", request);
    return { id: response.getId(), outputs: plain(response.getProperties()), inputs: plain(response.getInputs()) };
  }

  async delete(id: string, state: Props, { name = "main", urn = urnOf(name), timeout = 0 }: Step = {}): Promise<void> {
    const request = new proto.DeleteRequest();
    request.setId(id);
    request.setUrn(urn);
    request.setProperties(struct(state));
    request.setTimeout(timeout);
    await this.call("delete", request);
  }

  async invoke(token: string, args: Props): Promise<Props> {
    const request = new proto.InvokeRequest();
    request.setTok(`compute:index:${token}`);
    request.setArgs(struct(args));
    return plain((await this.call<proto.InvokeResponse>("invoke", request)).getReturn());
  }

  async cancel(): Promise<void> {
    await this.call("cancel", new Empty());
  }
}

const CHANGES = ["unknown", "none", "some"];
const KINDS = ["add", "add-replace", "delete", "delete-replace", "update", "update-replace"];

export function failed(error: Pick<ServiceError, "details"> & { metadata?: Metadata }): CallFailed {
  const [bytes] = error.metadata?.get("grpc-status-details-bin") ?? [];
  if (bytes === undefined) return new CallFailed(error.details);
  const [detail] = Status.deserializeBinary(bytes as Buffer).getDetailsList();
  const kept = detail?.unpack(proto.ErrorResourceInitFailed.deserializeBinary, "pulumirpc.ErrorResourceInitFailed");
  if (!kept) return new CallFailed(error.details);
  const [id, properties, reasons] = [kept.getId(), plain(kept.getProperties()), kept.getReasonsList()];
  return new CallFailed(error.details, { id, properties, reasons });
}

/** The copy of the SDK's stubs: a message takes no other. */
const { Struct: SdkStruct } = createRequire(require.resolve("@pulumi/pulumi/package.json"))(
  "google-protobuf/google/protobuf/struct_pb",
) as { Struct: typeof Struct };
const struct = (value: Props): Struct => SdkStruct.fromJavaScript(JSON.parse(JSON.stringify(value)));
const plain = (value: Struct | undefined): Props => (value?.toJavaScript() ?? {}) as Props;
