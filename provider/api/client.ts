import type { Clock, Deadline } from "../clock.js";
import type { EndpointCreateBody, EndpointUpdateBody, WireEndpoint, WireEndpointChange } from "../wire/endpoint.js";
import type { WireOperation, WireOperationPage } from "../wire/operation.js";
import type { Transport } from "./transport.js";

export interface ClientOptions {
  /** For example `https://console.example.com/api/v2`; a trailing slash is fine. */
  baseUrl: string;
  apiKey: string;
  /** Where the key comes from, for example `COMPUTE_API_KEY`: named when the service refuses the key. */
  keySource: string;
  clock: Clock;
  transport: Transport;
  /** @default 700 */
  requestsPerMinute?: number;
  /** Milliseconds one request may take. @default 30000 */
  requestTimeoutMs?: number;
  /** Hears, now and then, that a request is being repeated. */
  say?: (line: string) => void;
}

/** What a delete came to. */
export interface Removal {
  /** 204 or 404: there was nothing to delete. After a 404, only the project's list tells whether that is true. */
  missing: boolean;
  status: number;
  operations: WireOperation[];
}

/** One method per route. Each repeats what may be repeated until the deadline, and always sends at least one GET. */
export class Client {
  /** Waits for what holds a lock after a 423; true when it waited. Set by `operations/locked.ts`. */
  onLocked?: (project: string, deadline: Deadline) => Promise<boolean>;
  /** Called before a mutation is sent and after its answer. Set by `operations/context.ts`. */
  onWrite?: (project: string) => void;

  constructor(_options: ClientOptions) {}

  listEndpoints(_project: string, _deadline: Deadline): Promise<WireEndpoint[]> {
    throw new Error("not built yet");
  }

  createEndpoint(_project: string, _body: EndpointCreateBody, _deadline: Deadline): Promise<WireEndpointChange> {
    throw new Error("not built yet");
  }

  updateEndpoint(
    _project: string,
    _id: string,
    _body: EndpointUpdateBody,
    _deadline: Deadline,
  ): Promise<WireEndpointChange> {
    throw new Error("not built yet");
  }

  deleteEndpoint(_project: string, _id: string, _deadline: Deadline): Promise<Removal> {
    throw new Error("not built yet");
  }

  /**
   * @param needless asked after each 423, before the request is repeated: when it answers true (the compute is idle),
   *   the 423 is thrown at once.
   */
  restartEndpoint(
    _project: string,
    _id: string,
    _deadline: Deadline,
    _needless?: () => Promise<boolean>,
  ): Promise<WireEndpointChange> {
    throw new Error("not built yet");
  }

  getOperation(_project: string, _id: string, _deadline: Deadline): Promise<WireOperation> {
    throw new Error("not built yet");
  }

  listOperations(
    _project: string,
    _page: { limit: number; cursor?: string },
    _deadline: Deadline,
  ): Promise<WireOperationPage> {
    throw new Error("not built yet");
  }
}
