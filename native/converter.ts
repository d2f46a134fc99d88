// `pulumi-converter-compute`: lists the computes for `pulumi import --from compute PROJECT…`. Pulumi then imports each through
// the plugin. The key and the URL come from the environment: Pulumi gives a converter no config.

import { readConfig } from "../provider/config.js";
import { namesOf } from "../provider/endpoint/import-names.js";
import { messageOf, Stopped } from "../provider/errors.js";
import { accessTo, LOOKUP_MS } from "../provider/lookup/access.js";
import { selectComputes } from "../provider/lookup/select.js";
import { isKnownType } from "../provider/rules/settings.js";
import { NATIVE_TYPE } from "../provider/rules/urn.js";
import {
  ConverterService,
  converter,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from "./grpc.js";

/** @param targets `PROJECT` or `PROJECT/ep-…` */
async function endpointsOf(targets: readonly string[]) {
  if (targets.length === 0)
    throw new Stopped("no computes named: run `pulumi import --from compute PROJECT`, or PROJECT/ep-…");
  const { account, ...config } = readConfig({ get: () => undefined }, process.env);
  if (account instanceof Error) throw account;
  const access = accessTo({ ...config, account }, LOOKUP_MS, () => {});
  const named = targets.map((target) => {
    const [projectId = "", endpointId] = target.split("/");
    return { projectId, endpointId };
  });
  return selectComputes(
    access,
    named,
    ({ type }) => isKnownType(type),
    (projectId, id) => new Stopped(`project ${projectId} has no compute ${id}`),
  );
}

async function convertState(targets: readonly string[]): Promise<converter.ConvertStateResponse> {
  const found = await endpointsOf(targets);
  const names = namesOf(
    found.map(({ endpoint }) => endpoint),
    "",
  );
  const response = new converter.ConvertStateResponse();
  response.setResourcesList(
    found.map(({ projectId, endpoint: { id } }) => {
      const one = new converter.ResourceImport();
      one.setType(NATIVE_TYPE);
      one.setName(names.get(id)!);
      one.setLogicalName(names.get(id)!);
      one.setId(`${projectId}/${id}`);
      return one;
    }),
  );
  return response;
}

type Request = ServerUnaryCall<converter.ConvertStateRequest, converter.ConvertStateResponse>;

const server = new Server();
server.addService(
  ConverterService as never,
  {
    convertState: ({ request }: Request, done: sendUnaryData<converter.ConvertStateResponse>) => {
      convertState(request.getArgsList()).then(
        (response) => done(null, response),
        (error: unknown) => done({ code: status.UNKNOWN, details: messageOf(error) }),
      );
    },
  } as never,
);
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(String(port));
});
// The engine holds the other end of stdin. When it closes, this process exits.
process.stdin.resume().once("end", () => process.exit(0));
