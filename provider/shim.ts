// Pulumi's shim for dynamic providers keeps two things to itself: that the engine asks to cancel, and the URN and the timeout
// of each request. Both stand in messages that are decoded in this very process, by functions that the shim looks up anew for
// each message. So those functions are wrapped. Where they can't be found, the provider works as it would without them.

import { createRequire } from "node:module";

/** Who hears what the shim does not pass on. */
export interface ShimListener {
  /** The engine asks to cancel: at the first Ctrl-C, and at the normal end of each command. */
  cancelled(): void;
}

/** What the engine's request says of a step, beside the properties. */
export interface EngineRequest {
  /** As the engine has registered the resource. */
  urn?: string;
  /** Milliseconds, from the resource's `customTimeouts`; 0 where it has none for this step. */
  timeoutMs?: number;
}

/** Internal inputs through which a request's URN and timeout reach the step. They never get into outputs or the state. */
const URN = "__urn";
const TIMEOUT = "__timeoutMs";

type Decode = (bytes: Uint8Array) => unknown;
interface Message {
  deserializeBinary: Decode;
  prototype: object;
}

/** The generated messages that are used here, as far as they are used. */
interface Value {
  constructor: new () => Value;
  getStringValue(): string;
  setStringValue(text: string): void;
  setNumberValue(value: number): void;
}
interface Struct {
  getFieldsMap(): { get(key: string): Value | undefined; set(key: string, value: Value): void };
}
interface Request {
  getUrn(): string;
  getTimeout?(): number;
  getProperties?(): Struct | undefined;
  getNews?(): Struct | undefined;
}

/** The requests of steps, each with the properties that reach the provider's method. */
const STRUCTS: Record<string, (request: Request) => Struct | undefined> = {
  DiffRequest: (request) => request.getNews?.(),
  CreateRequest: (request) => request.getProperties?.(),
  ReadRequest: (request) => request.getProperties?.(),
  UpdateRequest: (request) => request.getNews?.(),
  DeleteRequest: (request) => request.getProperties?.(),
};

/** Pulumi's stubs of a resource provider's service, in whatever folder a package manager has put them. */
const STUBS = /[\\/]proto[\\/]provider_grpc_pb\.js$/;
/** The part of grpc-js that decodes what a server is asked. */
const SERVER = /grpc-js[\\/].*[\\/]server[^\\/]*$/;
/** The text of our provider in the properties of a resource. */
const OURS = /["']pulumi-compute-endpoint\/provider["']/;

let isFollowed = false;
/** Of the `delete` that the shim is just about to call. */
let deleting: (EngineRequest & { id: string }) | undefined;

/** Listens to the shim of this process; only the first call does anything. */
export function followShim(listener: ShimListener): void {
  if (isFollowed) return;
  isFollowed = true;
  for (const stubs of Object.keys(require.cache).filter((path) => STUBS.test(path))) {
    const load = loaded(stubs);
    const empty = load("google-protobuf/google/protobuf/empty_pb.js")?.["Empty"];
    if (empty) onDecode(empty, () => isServed(stubs) && listener.cancelled());
    const messages = load("./provider_pb.js") ?? {};
    for (const [name, structOf] of Object.entries(STRUCTS)) {
      const message = messages[name];
      if (message) onDecode(message, (request) => mark(request as Request, structOf));
    }
    if (messages["DeleteRequest"]) followDeletes(messages["DeleteRequest"]);
  }
}

/** Takes what the shim has put beside a request's properties out of them. */
export function takeRequest(properties: Record<string, unknown>): EngineRequest {
  const { [URN]: urn, [TIMEOUT]: timeoutMs } = properties;
  delete properties[URN];
  delete properties[TIMEOUT];
  return {
    ...(typeof urn === "string" ? { urn } : {}),
    ...(typeof timeoutMs === "number" ? { timeoutMs } : {}),
  };
}

/** The same for a delete, which may be the request that has loaded this code: it was decoded before. */
export function takeDelete(id: string, properties: Record<string, unknown>): EngineRequest {
  const marked = takeRequest(properties);
  if (deleting?.id !== id) return marked;
  const { id: _, ...request } = deleting;
  return { ...request, ...marked };
}

/** Modules that are loaded already, as the file at `path` would load them. */
function loaded(path: string) {
  const { resolve } = createRequire(path);
  return (name: string): Record<string, Message | undefined> | undefined => {
    try {
      return require.cache[resolve(name)]?.exports as Record<string, Message | undefined> | undefined;
    } catch {
      return undefined;
    }
  };
}

function onDecode(message: Message, heard: (decoded: unknown) => void): void {
  const decode = message.deserializeBinary;
  message.deserializeBinary = function (this: unknown, bytes) {
    const decoded = Reflect.apply(decode, this, [bytes]);
    try {
      heard(decoded);
    } catch {
      // Pulumi's request comes first: it goes on without what we wanted to know.
    }
    return decoded;
  };
}

/**
 * Whether a server decodes this message, for the stubs of a resource provider. Other code shares the process: a dynamic
 * resource of the user's may be a client of Pulumi's, which decodes many an `Empty`. Of what a provider is asked, only
 * `Cancel` and `GetPluginInfo` have one, and the latter comes before any provider is loaded.
 */
function isServed(stubs: string): boolean {
  const { stackTraceLimit, prepareStackTrace } = Error;
  try {
    Error.stackTraceLimit = 50;
    // The files as they are: the shim has source maps applied to stacks.
    Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? "");
    const files = new Error().stack as unknown as string[];
    return files.includes(stubs) && files.some((file) => SERVER.test(file));
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = prepareStackTrace;
  }
}

/** Puts URN and timeout into the properties of one of our resources, where the step finds them. */
function mark(request: Request, structOf: (request: Request) => Struct | undefined): void {
  const fields = structOf(request)?.getFieldsMap();
  const text = fields?.get("__provider");
  if (!fields || !text || !OURS.test(text.getStringValue())) return;
  const value = () => new text.constructor();
  const urn = value();
  urn.setStringValue(request.getUrn());
  fields.set(URN, urn);
  if (!request.getTimeout) return;
  const timeout = value();
  timeout.setNumberValue(request.getTimeout() * 1000);
  fields.set(TIMEOUT, timeout);
}

/**
 * The first request of a `destroy` is a delete, and is decoded before this code is loaded. But the shim asks it for its id in
 * the very moment in which it calls the provider: `provider.delete(req.getId(), props)`.
 */
function followDeletes(message: Message): void {
  const prototype = message.prototype as Request & { getId(): string };
  const { getId } = prototype;
  prototype.getId = function (this: typeof prototype) {
    const id = getId.call(this);
    deleting = { id, urn: this.getUrn(), timeoutMs: (this.getTimeout?.() ?? 0) * 1000 };
    queueMicrotask(() => {
      deleting = undefined;
    });
    return id;
  };
}
