// The gRPC service of a Pulumi provider, over `NativeProvider`. gRPC answers UNIMPLEMENTED for all other methods.

import { isKind, messageOf, type NotReady } from "../provider/errors.js";
import { ProviderProcess } from "../provider/provider-process.js";
import { EngineLog } from "./engine-log.js";
import {
  Any,
  Empty,
  Metadata,
  plugin,
  proto,
  ResourceProviderService,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  Status,
  type Struct,
  type sendUnaryData,
  status,
} from "./grpc.js";
import { type DiffResult, type EngineStep, NativeProvider, type StepValues } from "./provider.js";
import { schemaOf } from "./schema.js";
import { structOf, type Values, valuesOf } from "./values.js";

export interface ServerOptions {
  /** Of this package. */
  version: string;
  /** The arguments of the process, which contain the engine's address. */
  argv: readonly string[];
  print(line: string): void;
}

/** Starts the service on a free port of this machine. @returns the port */
export function serve({ version, argv, print }: ServerOptions): Promise<number> {
  const process = new ProviderProcess({ argv, print });
  const provider = new NativeProvider(process);
  const connect = (address: string) => {
    provider.logTo(new EngineLog(address));
    process.followEngine();
  };
  const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
  server.addService(ResourceProviderService as never, handlersOf(provider, { version, connect }) as never);
  return new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    );
  });
}

export interface HandlerOptions {
  version: string;
  /** Told the engine's address. */
  connect(address: string): void;
}

/** The methods of the service, each as gRPC calls it. */
export function handlersOf(provider: NativeProvider, { version, connect }: HandlerOptions): Record<string, unknown> {
  return {
    handshake: unary(provider, (request: proto.ProviderHandshakeRequest) => {
      connect(request.getEngineAddress());
      const response = new proto.ProviderHandshakeResponse();
      response.setAcceptSecrets(true);
      return response;
    }),

    attach: unary(provider, (request: plugin.PluginAttach) => {
      connect(request.getAddress());
      return new Empty();
    }),

    getPluginInfo: unary(provider, () => {
      const info = new plugin.PluginInfo();
      info.setVersion(version);
      return info;
    }),

    getSchema: unary(provider, () => {
      const response = new proto.GetSchemaResponse();
      response.setSchema(JSON.stringify(schemaOf(version)));
      return response;
    }),

    // Values are checked when they are used: a preview may have no key although the update has one.
    checkConfig: unary(provider, (request: proto.CheckRequest) => {
      const response = new proto.CheckResponse();
      response.setInputs(request.getNews());
      return response;
    }),

    /** Never a replacement: that would replace all computes of the provider. */
    diffConfig: unary(provider, (request: proto.DiffRequest) => {
      const isSame = jsonOf(request.getOlds()) === jsonOf(request.getNews());
      const response = new proto.DiffResponse();
      response.setChanges(isSame ? proto.DiffResponse.DiffChanges.DIFF_NONE : proto.DiffResponse.DiffChanges.DIFF_SOME);
      return response;
    }),

    configure: unary(provider, async (request: proto.ConfigureRequest) => {
      const [name, urn] = [request.getName() || undefined, request.getUrn() || undefined];
      await provider.configure(valuesOf(request.getArgs()), name, urn);
      const response = new proto.ConfigureResponse();
      response.setAcceptsecrets(true);
      response.setSupportspreview(true);
      return response;
    }),

    check: unary(provider, async (request: proto.CheckRequest) => {
      const olds = valuesOf(request.getOlds());
      const { props, secrets, failures } = await provider.check(request.getUrn(), olds, valuesOf(request.getNews()));
      const response = new proto.CheckResponse();
      response.setInputs(structOf(props, secrets));
      response.setFailuresList(
        failures.map(({ property, reason }) => {
          const failure = new proto.CheckFailure();
          failure.setProperty(property);
          failure.setReason(reason);
          return failure;
        }),
      );
      return response;
    }),

    diff: unary(provider, (request: proto.DiffRequest) => {
      const [olds, news] = [valuesOf(request.getOlds()), valuesOf(request.getNews())];
      return diffResponse(provider.diff(request.getId(), olds, news, valuesOf(request.getOldInputs())));
    }),

    create: unary(
      provider,
      async (request: proto.CreateRequest) => {
        const made = await provider.create(stepOf(request), valuesOf(request.getProperties()));
        const response = new proto.CreateResponse();
        response.setId(made.id);
        response.setProperties(structOf(made.props, made.secrets));
        return response;
      },
      (request) => ({ news: valuesOf(request.getProperties()) }),
    ),

    read: unary(provider, async (request: proto.ReadRequest) => {
      const [state, known] = [valuesOf(request.getProperties()), valuesOf(request.getInputs())];
      const { id, outputs, inputs } = await provider.read(request.getId(), state, known);
      const response = new proto.ReadResponse();
      if (id === undefined) return response;
      response.setId(id);
      response.setProperties(structOf(outputs.props, outputs.secrets));
      response.setInputs(structOf(inputs.props, inputs.secrets));
      return response;
    }),

    update: unary(
      provider,
      async (request: proto.UpdateRequest) => {
        const [olds, news] = [valuesOf(request.getOlds()), valuesOf(request.getNews())];
        const oldInputs = valuesOf(request.getOldInputs());
        const { props, secrets } = await provider.update(stepOf(request), request.getId(), olds, news, oldInputs);
        const response = new proto.UpdateResponse();
        response.setProperties(structOf(props, secrets));
        return response;
      },
      (request) => ({ news: valuesOf(request.getNews()), olds: valuesOf(request.getOlds()) }),
    ),

    delete: unary(provider, async (request: proto.DeleteRequest) => {
      await provider.delete(stepOf(request), request.getId(), valuesOf(request.getProperties()));
      return new Empty();
    }),

    invoke: unary(provider, async (request: proto.InvokeRequest) => {
      const { props, secrets } = await provider.invoke(request.getTok(), valuesOf(request.getArgs()));
      const response = new proto.InvokeResponse();
      response.setReturn(structOf(props, secrets));
      return response;
    }),

    cancel: unary(provider, () => {
      provider.cancel();
      return new Empty();
    }),
  };
}

/** A request about a resource, as gRPC has it. */
interface WireStep {
  getUrn(): string;
  getTimeout(): number;
  getPreview?(): boolean;
}

const stepOf = (request: WireStep): EngineStep => ({
  urn: request.getUrn(),
  timeoutMs: request.getTimeout() * 1000,
  preview: request.getPreview?.() ?? false,
});

const KINDS = {
  add: ["ADD", "ADD_REPLACE"],
  delete: ["DELETE", "DELETE_REPLACE"],
  update: ["UPDATE", "UPDATE_REPLACE"],
} as const;

function diffResponse({ changes, replaces = [], deleteBeforeReplace, paths, stables }: DiffResult): proto.DiffResponse {
  const response = new proto.DiffResponse();
  const { DIFF_NONE, DIFF_SOME } = proto.DiffResponse.DiffChanges;
  response.setChanges(changes ? DIFF_SOME : DIFF_NONE);
  response.setReplacesList([...replaces]);
  response.setDeletebeforereplace(deleteBeforeReplace ?? false);
  response.setStablesList(replaces.length > 0 ? [] : [...stables]);
  response.setDiffsList([...new Set([...paths.keys()].map((path) => path.split(/[.[]/)[0]!))]);
  for (const [path, kind] of paths) {
    const one = new proto.PropertyDiff();
    one.setKind(proto.PropertyDiff.Kind[KINDS[kind][replaces.includes(path) ? 1 : 0]]);
    one.setInputdiff(true);
    response.getDetaileddiffMap().set(path, one);
  }
  response.setHasdetaileddiff(paths.size > 0);
  return response;
}

const jsonOf = (struct: Struct | undefined): string => JSON.stringify(struct?.toJavaScript() ?? {});

type Unary<Request, Response> = (
  call: ServerUnaryCall<Request, Response>,
  done: sendUnaryData<Response>,
) => Promise<void>;

/** @param stepValuesOf the values of a step whose failure may keep a compute in the state */
function unary<Request, Response>(
  provider: NativeProvider,
  work: (request: Request) => Response | Promise<Response>,
  stepValuesOf?: (request: Request) => StepValues,
): Unary<Request, Response> {
  return async ({ request }, done) => {
    try {
      done(null, await work(request));
    } catch (error) {
      done(failureOf(provider, error, stepValuesOf?.(request)));
    }
  };
}

/** The gRPC error. For NotReady it carries the compute, and the engine keeps that in the state. */
function failureOf(provider: NativeProvider, error: unknown, step: StepValues | undefined) {
  const cleaned = provider.clean(error);
  const message = messageOf(cleaned);
  if (!step || !isKind(cleaned, "not-ready")) return { code: status.UNKNOWN, details: message };
  const metadata = new Metadata();
  const kept = provider.keptAfterFailure(cleaned.properties, step);
  metadata.set("grpc-status-details-bin", Buffer.from(statusBytes(cleaned, kept)));
  return { code: status.UNKNOWN, details: message, metadata };
}

function statusBytes({ id, reasons, message }: NotReady, { props, secrets }: Values): Uint8Array {
  const failed = new proto.ErrorResourceInitFailed();
  failed.setId(id);
  failed.setProperties(structOf(props, secrets));
  failed.setReasonsList(reasons);
  const packed = new Any();
  packed.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const all = new Status();
  all.setCode(status.UNKNOWN);
  all.setMessage(message);
  all.addDetails(packed);
  return all.serializeBinary();
}
