// The no-op provider of `floor-provider.ts` as a plugin, for the same YAML program as ours. It stands in the folder `floor` of the
// program, beside its schema.

import type { ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import type * as Grpc from "../../../native/grpc";
import type { provider as Provider } from "./floor-provider";

type Props = Record<string, unknown>;

const { Empty, plugin, proto, ResourceProviderService, Server, ServerCredentials, Struct } =
  require("../node_modules/pulumi-compute-endpoint/dist/native/grpc.js") as typeof Grpc;
const { provider } = require("./floor-provider.js") as { provider: typeof Provider };

const propsOf = (struct: Grpc.Struct | undefined) => (struct?.toJavaScript() ?? {}) as Props;
/** Through JSON, which drops undefined values. */
const structOf = (props: Props) => Struct.fromJavaScript(JSON.parse(JSON.stringify(props)));
const nameOf = (urn: string) => urn.split("::").at(-1);

/** One method: gRPC calls it with a request, and it answers with a promise. */
const method =
  <T>(work: (request: T) => unknown) =>
  ({ request }: ServerUnaryCall<T, unknown>, done: sendUnaryData<unknown>) =>
    void Promise.resolve(work(request)).then((answer) => done(null, answer as object));

const checked = (inputs: Grpc.Struct | undefined) => {
  const response = new proto.CheckResponse();
  response.setInputs(inputs);
  return response;
};

const compared = (isSame: boolean) => {
  const response = new proto.DiffResponse();
  response.setChanges(isSame ? proto.DiffResponse.DiffChanges.DIFF_NONE : proto.DiffResponse.DiffChanges.DIFF_SOME);
  return response;
};

const handlers = {
  handshake: method(() => {
    const response = new proto.ProviderHandshakeResponse();
    response.setAcceptSecrets(true);
    return response;
  }),
  attach: method(() => new Empty()),
  cancel: method(() => new Empty()),
  getPluginInfo: method(() => {
    const info = new plugin.PluginInfo();
    info.setVersion("0.1.0");
    return info;
  }),
  getSchema: method(() => {
    const response = new proto.GetSchemaResponse();
    response.setSchema(JSON.stringify(require("./schema.json")));
    return response;
  }),
  checkConfig: method((request: Grpc.proto.CheckRequest) => checked(request.getNews())),
  diffConfig: method(() => compared(true)),
  configure: method(() => {
    const response = new proto.ConfigureResponse();
    response.setAcceptsecrets(true);
    response.setSupportspreview(true);
    return response;
  }),
  check: method(async (request: Grpc.proto.CheckRequest) => {
    const news = { ...propsOf(request.getNews()), __urn: nameOf(request.getUrn()) };
    return checked(structOf((await provider.check({}, news)).inputs));
  }),
  diff: method(async (request: Grpc.proto.DiffRequest) => {
    const { changes } = await provider.diff("", propsOf(request.getOlds()), propsOf(request.getNews()));
    return compared(!changes);
  }),
  create: method(async (request: Grpc.proto.CreateRequest) => {
    const response = new proto.CreateResponse();
    if (request.getPreview()) {
      response.setProperties(request.getProperties());
      return response;
    }
    const { id, outs } = await provider.create(propsOf(request.getProperties()));
    response.setId(id);
    response.setProperties(structOf(outs));
    return response;
  }),
  read: method(async (request: Grpc.proto.ReadRequest) => {
    const { id, props, inputs } = await provider.read(request.getId(), propsOf(request.getProperties()));
    const response = new proto.ReadResponse();
    response.setId(id);
    response.setProperties(structOf(props));
    response.setInputs(structOf(inputs));
    return response;
  }),
  update: method((request: Grpc.proto.UpdateRequest) => {
    const response = new proto.UpdateResponse();
    response.setProperties(request.getNews());
    return response;
  }),
  delete: method(() => new Empty()),
};

const server = new Server();
server.addService(ResourceProviderService as never, handlers as never);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(port);
});
