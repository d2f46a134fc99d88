// `pulumi-converter-compute`: lists the computes for `pulumi import --from compute PROJECT…`. Pulumi then imports each through
// the plugin. The key and the URL come from the environment: Pulumi gives a converter no config.

import { readConfig } from "../provider/config.js";
import { namesOf } from "../provider/endpoint/import-names.js";
import { messageOf, Stopped } from "../provider/errors.js";
import { accessTo, deadlineOf, explainMissingProject, LOOKUP_MS } from "../provider/lookup/access.js";
import { isKnownType } from "../provider/rules/settings.js";
import { NATIVE_TYPE } from "../provider/rules/urn.js";
import type { WireEndpoint } from "../provider/wire/endpoint.js";
import {
  ConverterService,
  converter,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from "./grpc.js";

interface Found {
  project: string;
  endpoint: WireEndpoint;
}

/** @param targets `PROJECT` or `PROJECT/ep-…` */
async function endpointsOf(targets: readonly string[]): Promise<Found[]> {
  if (targets.length === 0)
    throw new Stopped("no computes named: run `pulumi import --from compute PROJECT`, or PROJECT/ep-…");
  const { account, ...config } = readConfig({ get: () => undefined }, process.env);
  if (account instanceof Error) throw account;
  const access = accessTo({ ...config, account }, LOOKUP_MS, () => {});
  const found = new Map<string, Found>();
  for (const target of targets) {
    const [project = "", id] = target.split("/");
    const all = await access.context.lists.recent(project, deadlineOf(access)).catch((error: unknown) => {
      throw explainMissingProject(access, project, error);
    });
    const selected = all.filter((one) => (id === undefined ? isKnownType(one.type) : one.id === id));
    if (selected.length === 0)
      throw new Stopped(`project ${project} has no ${id === undefined ? "computes" : `compute ${id}`}`);
    for (const endpoint of selected) found.set(endpoint.id, { project, endpoint });
  }
  return [...found.values()];
}

async function convertState(targets: readonly string[]): Promise<converter.ConvertStateResponse> {
  const found = await endpointsOf(targets);
  const names = namesOf(
    found.map(({ endpoint }) => endpoint),
    "",
  );
  const response = new converter.ConvertStateResponse();
  response.setResourcesList(
    found.map(({ project, endpoint: { id } }) => {
      const one = new converter.ResourceImport();
      one.setType(NATIVE_TYPE);
      one.setName(names.get(id)!);
      one.setLogicalName(names.get(id)!);
      one.setId(`${project}/${id}`);
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
