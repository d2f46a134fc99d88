// Pulumi's shim for dynamic providers passes on neither the engine's cancel request nor the timeout of each step. Both are in
// messages that this process decodes, so this file wraps the decode functions. Where they can't be found, the provider works as
// it would without them.

import { createRequire } from "node:module";

/** Is told about requests that the shim does not pass on. */
export interface ShimListener {
  /** The engine asks to cancel: at the first Ctrl-C, and at the normal end of each command. */
  cancelled(): void;
}

/**
 * The parts of the engine's request for a step that the shim does not pass on. It is a `StepRequest` of `endpoint/inputs.ts`,
 * which this file does not import: it wraps Pulumi's functions and knows no computes.
 */
export interface EngineRequest {
  /** Milliseconds, from the resource's `customTimeouts`; 0 if it has none for this step. */
  timeoutMs?: number;
}

/** The internal input through which a request's timeout reaches the step. It never gets into outputs or the state. */
const TIMEOUT = "__timeoutMs";

type Decode = (bytes: Uint8Array) => unknown;
interface Message {
  deserializeBinary: Decode;
  prototype: object;
}

/** Pulumi's generated messages. Only the methods that this file calls are declared. */
interface Value {
  constructor: new () => Value;
  getStringValue(): string;
  setNumberValue(value: number): void;
}
interface Struct {
  getFieldsMap(): { get(key: string): Value | undefined; set(key: string, value: Value): void };
}
interface Request {
  getTimeout?(): number;
  getProperties?(): Struct | undefined;
  getNews?(): Struct | undefined;
}

/** The requests that have a timeout, each with the properties that reach the provider's method. */
const STRUCTS: Record<string, (request: Request) => Struct | undefined> = {
  CreateRequest: (request) => request.getProperties?.(),
  UpdateRequest: (request) => request.getNews?.(),
  DeleteRequest: (request) => request.getProperties?.(),
};

/** The gRPC stubs of Pulumi's ResourceProvider service, wherever a package manager put them. */
const STUBS = /[\\/]proto[\\/]provider_grpc_pb\.js$/;
/** The part of grpc-js that decodes the requests to a server. */
const SERVER = /grpc-js[\\/].*[\\/]server[^\\/]*$/;
/** The text of our provider in the properties of a resource. */
const OURS = /["']pulumi-compute-endpoint\/provider["']/;

let isFollowed = false;
/** The request for the `delete` that the shim calls next; see `followDeletes`. */
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
      if (message) onDecode(message, (request) => putTimeout(request as Request, structOf));
    }
    if (messages["DeleteRequest"]) followDeletes(messages["DeleteRequest"]);
  }
}

/** Takes the timeout of a request out of its properties. */
export function takeRequest(properties: Record<string, unknown>): EngineRequest {
  const { [TIMEOUT]: timeoutMs } = properties;
  delete properties[TIMEOUT];
  return typeof timeoutMs === "number" ? { timeoutMs } : {};
}

/**
 * The same for a delete. The request that makes the shim load this code was decoded before, so its properties lack the
 * timeout; `followDeletes` has noted it.
 */
export function takeDelete(id: string, properties: Record<string, unknown>): EngineRequest {
  const taken = takeRequest(properties);
  if (deleting?.id !== id) return taken;
  const { id: _, ...request } = deleting;
  return { ...request, ...taken };
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
 * Whether the engine's request to cancel is being decoded. `Cancel` is an `Empty`, and so are other messages: a dynamic
 * resource of the user may run a client of Pulumi's in this process, which gets them as answers. So the stack has to
 * show that a server decodes the message, with the stubs of a resource provider. The only other such request is
 * `GetPluginInfo`, and the engine sends it before this code is loaded.
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

/** Puts the timeout into the properties of one of our resources, where the step finds it. */
function putTimeout(request: Request, structOf: (request: Request) => Struct | undefined): void {
  const fields = structOf(request)?.getFieldsMap();
  const text = fields?.get("__provider");
  if (!fields || !text || !request.getTimeout || !OURS.test(text.getStringValue())) return;
  const timeout = new text.constructor();
  timeout.setNumberValue(request.getTimeout() * 1000);
  fields.set(TIMEOUT, timeout);
}

/**
 * The first request of a `destroy` is a delete, and is decoded before this code is loaded. But the shim calls the request's
 * `getId` exactly when it calls the provider: `provider.delete(req.getId(), props)`.
 */
function followDeletes(message: Message): void {
  const prototype = message.prototype as Request & { getId(): string };
  const { getId } = prototype;
  prototype.getId = function (this: typeof prototype) {
    const id = getId.call(this);
    deleting = { id, timeoutMs: (this.getTimeout?.() ?? 0) * 1000 };
    queueMicrotask(() => {
      deleting = undefined;
    });
    return id;
  };
}
