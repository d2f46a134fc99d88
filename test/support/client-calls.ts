import { Deadline } from "../../provider/clock.js";
import type { ProviderError } from "../../provider/errors.js";
import { PROJECT, type Scripted } from "./scripted-service.js";

export const P = `/projects/${PROJECT}`;
export const ENDPOINT = { id: "ep-a", project_id: PROJECT };
export const BODY = { endpoint: { branch_id: "br-a", type: "read_only" as const } };
export const CHANGE = { status: 201, body: { endpoint: ENDPOINT, operations: [] } };
export const HTML =
  "<!DOCTYPE html><html><head><title>Down</title><style>p{}</style></head><body><p>for a moment</p></body></html>";

export const minutes = (service: Scripted, count = 10) => new Deadline(service.clock, count * 60_000);
export const get = (service: Scripted, count?: number) =>
  service.context.client.listEndpoints(PROJECT, minutes(service, count));
export const post = (service: Scripted, count?: number) =>
  service.context.client.createEndpoint(PROJECT, BODY, minutes(service, count));
export const remove = (service: Scripted) => service.context.client.deleteEndpoint(PROJECT, "ep-a", minutes(service));

/** The error of a call. Throws if the call succeeds. */
export async function failed(service: Scripted, work: Promise<unknown>): Promise<ProviderError> {
  return service.clock.run(
    work.then(
      (value) => {
        throw new Error(`no error but ${JSON.stringify(value)}`);
      },
      (error) => error,
    ),
  );
}
