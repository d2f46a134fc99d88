import type { Cancellation } from "../cancellation.js";
import type { Clock, Deadline } from "../clock.js";
import { ConfigError } from "../errors.js";
import { WireBranchPage } from "../wire/branch.js";
import { WireConnectionUri } from "../wire/connection.js";
import {
  type EndpointCreateBody,
  type EndpointUpdateBody,
  type WireEndpoint,
  WireEndpointAnswer,
  WireEndpointChange,
  WireEndpointList,
  WireEndpointRemoval,
} from "../wire/endpoint.js";
import { type WireOperation, WireOperationAnswer, WireOperationPage } from "../wire/operation.js";
import { type Call, Caller } from "./caller.js";
import { branchPath, connectionPath, endpointPath, operationPath } from "./path.js";
import { NO_SECRETS, Redactor, type SecretRemover } from "./redact.js";
import type { Transport } from "./transport.js";

export interface ClientOptions {
  /** For example `https://console.example.com/api/v2`; a trailing slash is fine. */
  baseUrl: string;
  apiKey: string;
  /** Where the key comes from, for example `COMPUTE_API_KEY`. Named when the service refuses the key. */
  keySource: string;
  /** Where the URL comes from. Named when the service can't be reached. Absent if nobody has set one. */
  urlSource?: string;
  /** Advice for the user when the service refuses the key. Absent if there is none. */
  keyHint?: string;
  clock: Clock;
  transport: Transport;
  cancellation: Cancellation;
  /** @default 700 */
  requestsPerMinute?: number;
  /** Values that the program calls secret. @default none */
  secrets?: SecretRemover;
  /** Milliseconds one request may take. @default 30000 */
  requestTimeoutMs?: number;
  /** Called with a progress line while a request is retried. */
  log?: (line: string) => void;
}

/** The answer to a delete. */
export interface Removal {
  /** 204 or 404. A 404 may be wrong: only the project's list shows whether the compute is gone. */
  wasMissing: boolean;
  status: number;
  /** Id of the compute in the answer. */
  answeredId?: string;
  operations: WireOperation[];
}

/**
 * One method per route. Each repeats its request until the deadline where that is safe, and throws `UnknownOutcome` for a
 * mutation that may have been applied. A GET is sent once even after the deadline; a mutation never is.
 */
export class Client {
  readonly #caller: Caller;
  #hasFetchedEndpoint = false;

  // Set by `operations/create-context.ts`. `subject` is the id of the compute, or of the branch for a new compute.
  /** Called after a 423. Waits for the running operation, at most 30 s, and returns its name; undefined if it did not wait. */
  onLocked?: (project: string, subject: string, deadline: Deadline) => Promise<string | undefined>;
  /** Called before a mutation is sent, and after it has succeeded or failed. */
  onWrite?: (project: string) => void;
  /** Called when a mutation was accepted. */
  onAccepted?: (project: string, subject: string, operations: readonly WireOperation[]) => void;

  /** @throws ConfigError for a key or a URL that can't be used */
  constructor(options: ClientOptions) {
    const { apiKey: key, keySource, urlSource, keyHint, clock, transport, cancellation } = options;
    const { requestsPerMinute, requestTimeoutMs = 30_000 } = options;
    // Other characters are not allowed in a header. The network's own error would say so less clearly.
    if (!/^[\x21-\x7e]+$/.test(key)) {
      throw new ConfigError(
        `the key from ${keySource} is empty, or holds spaces, line breaks or characters that a key can't have`,
      );
    }
    this.#caller = new Caller({
      baseUrl: checkedUrl(options.baseUrl),
      key,
      keySource,
      urlSource,
      keyHint,
      redactor: new Redactor(key, options.secrets ?? NO_SECRETS),
      clock,
      transport,
      cancellation,
      requestsPerMinute,
      requestTimeoutMs,
      log: options.log ?? (() => {}),
      onLocked: async (project, subject, deadline) => this.onLocked?.(project, subject, deadline),
    });
  }

  /** Whether a GET of one compute has ever succeeded. A server that has no such route answers 404 to every one. */
  get hasFetchedEndpoint(): boolean {
    return this.#hasFetchedEndpoint;
  }

  async listEndpoints(project: string, deadline: Deadline): Promise<WireEndpoint[]> {
    const path = endpointPath(project);
    const route = "GET endpoints";
    const answer = await this.#caller.call({ project, route, method: "GET", path, schema: WireEndpointList }, deadline);
    return answer.value.endpoints;
  }

  /** @throws ServiceError with 404 for a compute that does not exist, and for a project that the key can't see */
  async getEndpoint(project: string, id: string, deadline: Deadline): Promise<WireEndpoint> {
    const path = endpointPath(project, id);
    const route = "GET endpoint";
    const call = { project, route, method: "GET", path, schema: WireEndpointAnswer };
    const { endpoint } = (await this.#caller.call(call, deadline)).value;
    this.#hasFetchedEndpoint = true;
    return endpoint;
  }

  async createEndpoint(project: string, body: EndpointCreateBody, deadline: Deadline): Promise<WireEndpointChange> {
    const path = endpointPath(project);
    const route = "POST endpoints";
    const subject = body.endpoint.branch_id;
    const call = { project, subject, route, method: "POST", path, body, schema: WireEndpointChange };
    return (await this.#write(call, deadline)).value;
  }

  async updateEndpoint(
    project: string,
    id: string,
    body: EndpointUpdateBody,
    deadline: Deadline,
  ): Promise<WireEndpointChange> {
    const path = endpointPath(project, id);
    const route = "PATCH endpoint";
    const call = { project, subject: id, route, method: "PATCH", path, body, schema: WireEndpointChange };
    return (await this.#write(call, deadline)).value;
  }

  async deleteEndpoint(project: string, id: string, deadline: Deadline): Promise<Removal> {
    const path = endpointPath(project, id);
    const route = "DELETE endpoint";
    // `endpoint/remove.ts` decides what a 404 means, so a 404 is a result here, whatever its body is. A 200 without
    // JSON is not: it may be a login page.
    const lenient = (status: number) => status === 404;
    const call = { project, subject: id, route, method: "DELETE", path, schema: WireEndpointRemoval, lenient };
    const { status, value } = await this.#write(call, deadline);
    const wasMissing = status === 204 || status === 404;
    return { wasMissing, status, answeredId: value.endpoint?.id, operations: value.operations };
  }

  /** @param checkNeedless see `#act` */
  restartEndpoint(project: string, id: string, deadline: Deadline, checkNeedless?: () => Promise<boolean>) {
    return this.#act("restart", project, id, deadline, checkNeedless);
  }

  /** @param checkNeedless see `#act` */
  startEndpoint(project: string, id: string, deadline: Deadline, checkNeedless?: () => Promise<boolean>) {
    return this.#act("start", project, id, deadline, checkNeedless);
  }

  /** @param checkNeedless see `#act` */
  suspendEndpoint(project: string, id: string, deadline: Deadline, checkNeedless?: () => Promise<boolean>) {
    return this.#act("suspend", project, id, deadline, checkNeedless);
  }

  async getOperation(project: string, id: string, deadline: Deadline): Promise<WireOperation> {
    const path = operationPath(project, id);
    const route = "GET operation";
    const call = { project, route, method: "GET", path, schema: WireOperationAnswer };
    return (await this.#caller.call(call, deadline)).value.operation;
  }

  /** One page, newest first. @param page `limit` from 1 to 1000; `cursor` of the page before */
  async listOperations(
    project: string,
    page: { limit: number; cursor?: string },
    deadline: Deadline,
  ): Promise<WireOperationPage> {
    const query = { limit: String(page.limit), ...(page.cursor === undefined ? {} : { cursor: page.cursor }) };
    const path = operationPath(project);
    const route = "GET operations";
    const call = { project, route, method: "GET", path, query, schema: WireOperationPage };
    return (await this.#caller.call(call, deadline)).value;
  }

  /** The first page of a project's branches. */
  async listBranches(project: string, limit: number, deadline: Deadline): Promise<WireBranchPage> {
    const query = { limit: String(limit) };
    const path = branchPath(project);
    const route = "GET branches";
    const call = { project, route, method: "GET", path, query, schema: WireBranchPage };
    return (await this.#caller.call(call, deadline)).value;
  }

  /** A connection URI, which contains a password. @param query parameters with the API's names */
  async getConnectionUri(project: string, query: Record<string, string>, deadline: Deadline): Promise<string> {
    const path = connectionPath(project);
    const route = "GET connection_uri";
    const call = { project, route, method: "GET", path, query, schema: WireConnectionUri, secret: true };
    return (await this.#caller.call(call, deadline)).value.uri;
  }

  /** Takes the key and secrets out of texts before they are shown. */
  get redactor(): Redactor {
    return this.#caller.redactor;
  }

  /**
   * @param checkNeedless asked after each 423. If it answers true (the compute is in the state that the action would bring about),
   *   the 423 is thrown at once, and the request is not repeated
   */
  async #act(
    action: "restart" | "start" | "suspend",
    project: string,
    id: string,
    deadline: Deadline,
    checkNeedless?: () => Promise<boolean>,
  ): Promise<WireEndpointChange> {
    const path = endpointPath(project, id, action);
    const route = `POST ${action}`;
    const call = { project, subject: id, route, method: "POST", path, schema: WireEndpointChange, checkNeedless };
    return (await this.#write(call, deadline)).value;
  }

  async #write<T extends { operations: WireOperation[] }>(
    call: Call<T> & { subject: string },
    deadline: Deadline,
  ): Promise<{ status: number; value: T }> {
    const { project, subject } = call;
    this.onWrite?.(project);
    try {
      const answer = await this.#caller.call(call, deadline);
      this.onAccepted?.(project, subject, answer.value.operations);
      return answer;
    } finally {
      this.onWrite?.(project);
    }
  }
}

function checkedUrl(baseUrl: string): string {
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new ConfigError("the service's URL can't be read; it looks like https://host/api/v2");
  }
  return baseUrl.replace(/\/+$/, "");
}
