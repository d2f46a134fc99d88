/**
 * The native form of the provider, as the engine starts it and speaks to it: `pulumi-resource-compute ADDRESS`, then gRPC. Nothing of
 * Pulumi is within its reach, as in a program of another language.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { type LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Props } from "../shim";
import { CallFailed } from "../shim";

export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
export const secret = (value: unknown): object => ({ ...SECRET, value });

export const urnOf = (name: string): string => `urn:pulumi:dev::shop::compute:index:Endpoint::${name}`;

/** What the plugin said through the engine. */
export interface Said {
  urn: string;
  severity: "warning" | "info" | "other";
  message: string;
}

/** As much of an engine as takes messages. */
export async function startEngineLog(said: Said[] = []): Promise<{ address: string; kill: () => Promise<void> }> {
  const server = new grpc.Server();
  const log = (call: grpc.ServerUnaryCall<LogRequest, Empty>, done: grpc.sendUnaryData<Empty>) => {
    const { request } = call;
    const words: Partial<Record<LogSeverity, Said["severity"]>> = {
      [LogSeverity.WARNING]: "warning",
      [LogSeverity.INFO]: "info",
    };
    said.push({
      urn: request.getUrn(),
      severity: words[request.getSeverity()] ?? "other",
      message: request.getMessage(),
    });
    done(null, new Empty());
  };
  server.addService(EngineService as never, { log } as never);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { address: `127.0.0.1:${port}`, kill: async () => server.forceShutdown() };
}

export interface Step {
  /** @default "main" */
  name?: string;
  preview?: boolean;
  /** Seconds. */
  timeout?: number;
  oldInputs?: Props;
}

export class Plugin {
  readonly output = { stdout: "", stderr: "" };
  readonly ended: Promise<number | NodeJS.Signals>;
  #client: ResourceProviderClient | undefined;

  private constructor(readonly child: ChildProcess) {
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.on("data", (chunk) => {
        this.output[name] += chunk;
      });
    }
    this.ended = once(child, "close").then(([code, signal]) => code ?? signal);
  }

  /** @param folder in whose `node_modules` the package is */
  static async start(engine: string, folder: string, env: NodeJS.ProcessEnv = {}): Promise<Plugin> {
    const script = join(folder, "node_modules/pulumi-compute-endpoint/dist/native/main.js");
    const inherited = Object.entries(process.env).filter(([name]) => !/^(PULUMI|COMPUTE|NEON)_/.test(name));
    const child = spawn(process.execPath, [script, engine], {
      cwd: folder,
      env: { ...Object.fromEntries(inherited), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const plugin = new Plugin(child);
    while (!plugin.output.stdout.includes("\n")) {
      await Promise.race([once(child.stdout!, "data"), plugin.ended]);
      if (!plugin.alive) throw new Error(`it ended at once: ${plugin.output.stderr}`);
    }
    const [port] = plugin.output.stdout.split("\n");
    plugin.#client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
    const handshake = new proto.ProviderHandshakeRequest();
    handshake.setEngineAddress(engine);
    await plugin.call("handshake", handshake);
    return plugin;
  }

  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

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

  async check(olds: Props, news: Props, name = "main") {
    const request = new proto.CheckRequest();
    request.setUrn(urnOf(name));
    request.setOlds(struct(olds));
    request.setNews(struct(news));
    const response = await this.call<proto.CheckResponse>("check", request);
    const failures = response.getFailuresList().map((one) => [one.getProperty(), one.getReason()] as const);
    return { inputs: plain(response.getInputs()), failures };
  }

  async diff(id: string, olds: Props, news: Props, { name = "main", oldInputs = {} }: Step = {}) {
    const request = new proto.DiffRequest();
    request.setId(id);
    request.setUrn(urnOf(name));
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

  async create(news: Props, { name = "main", preview = false, timeout = 0 }: Step = {}) {
    const request = new proto.CreateRequest();
    request.setUrn(urnOf(name));
    request.setProperties(struct(news));
    request.setPreview(preview);
    request.setTimeout(timeout);
    const response = await this.call<proto.CreateResponse>("create", request);
    return { id: response.getId(), outputs: plain(response.getProperties()) };
  }

  async update(id: string, olds: Props, news: Props, step: Step = {}): Promise<Props> {
    const { name = "main", preview = false, timeout = 0, oldInputs = {} } = step;
    const request = new proto.UpdateRequest();
    request.setId(id);
    request.setUrn(urnOf(name));
    request.setOlds(struct(olds));
    request.setNews(struct(news));
    request.setOldInputs(struct(oldInputs));
    request.setPreview(preview);
    request.setTimeout(timeout);
    return plain((await this.call<proto.UpdateResponse>("update", request)).getProperties());
  }

  async read(id: string, state: Props = {}, inputs: Props = {}, name = "main") {
    const request = new proto.ReadRequest();
    request.setId(id);
    request.setUrn(urnOf(name));
    request.setProperties(struct(state));
    request.setInputs(struct(inputs));
    const response = await this.call<proto.ReadResponse>("read", request);
    return { id: response.getId(), outputs: plain(response.getProperties()), inputs: plain(response.getInputs()) };
  }

  async delete(id: string, state: Props, { name = "main", timeout = 0 }: Step = {}): Promise<void> {
    const request = new proto.DeleteRequest();
    request.setId(id);
    request.setUrn(urnOf(name));
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

  async close(): Promise<void> {
    this.#client?.close();
    if (this.alive) this.child.kill("SIGKILL");
    await this.ended;
  }

  call<Response = unknown>(method: string, request: object): Promise<Response> {
    type Call = (request: object, done: (error: grpc.ServiceError | null, answer: Response) => void) => void;
    const client = this.#client as unknown as Record<string, Call>;
    return new Promise((settle, fail) => {
      client[method]!(request, (error, answer) => (error ? fail(failed(error)) : settle(answer)));
    });
  }
}

const CHANGES = ["unknown", "none", "some"];
const KINDS = ["add", "add-replace", "delete", "delete-replace", "update", "update-replace"];

function failed(error: grpc.ServiceError): CallFailed {
  const [bytes] = error.metadata.get("grpc-status-details-bin");
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
