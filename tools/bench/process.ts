/**
 * A provider process without the engine: it runs Pulumi's own script for dynamic providers, called as the engine calls
 * it. For measuring a single process: how fast it starts, and how late it notices the end of an operation.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Http2Server } from "node:http2";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import * as grpc from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { peakOf } from "./peak";
import { cpuMsOf } from "./tree";

export type Props = Record<string, unknown>;

const SCRIPT = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");

type Struct = NonNullable<ReturnType<proto.CheckRequest["getOlds"]>>;
/** The copy that the SDK loads: messages of another copy are not its own. */
const { Struct } = createRequire(SCRIPT)("google-protobuf/google/protobuf/struct_pb") as {
  Struct: { fromJavaScript(value: Props): Struct };
};

/** A server at the address that the process takes for the engine's. It only accepts connections. */
export class StandIn {
  private constructor(private readonly server: Http2Server) {}

  static async listen(): Promise<StandIn> {
    const server = createServer();
    // A process that is killed resets its connection.
    server.on("session", (session) => session.on("error", () => {}));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new StandIn(server);
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close = () => void this.server.close();
}

export interface ProcessOptions {
  /** The program's folder. The modules that the provider's text requires are looked up from there. */
  folder: string;
  engine: string;
  env?: NodeJS.ProcessEnv;
  /** What Node.js runs. @default Pulumi's script for dynamic providers */
  script?: string;
}

export class SpawnedProvider {
  private constructor(
    private readonly child: ChildProcess,
    private readonly client: ResourceProviderClient,
    /** Milliseconds on the clock of `performance` at which it was spawned. */
    readonly spawnedAt: number,
  ) {}

  static async start({ folder, engine, env, script = SCRIPT }: ProcessOptions): Promise<SpawnedProvider> {
    const spawnedAt = performance.now();
    const child = spawn(process.execPath, [script, engine], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const port = await portOf(child);
    const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
    return new SpawnedProvider(child, client, spawnedAt);
  }

  async configure(config: Record<string, string> = {}): Promise<void> {
    const request = new proto.ConfigureRequest();
    request.setArgs(Struct.fromJavaScript(config));
    await this.call("configure", request);
  }

  /** What the engine says to a plugin first. */
  async handshake(engine: string): Promise<void> {
    const request = new proto.ProviderHandshakeRequest();
    request.setEngineAddress(engine);
    await this.call("handshake", request);
  }

  /** Milliseconds of CPU so far. On Linux only. */
  get cpuMs(): number {
    return cpuMsOf(this.child.pid ?? 0);
  }

  /** Bytes, resident, at their highest so far. On Linux only. */
  get peakBytes(): number {
    return peakOf(this.child.pid ?? 0) ?? Number.NaN;
  }

  /** @param news with the text of the provider, where it is a dynamic one */
  async check(news: Props, urn = ""): Promise<Props> {
    const request = new proto.CheckRequest();
    request.setUrn(urn);
    request.setOlds(Struct.fromJavaScript({}));
    request.setNews(Struct.fromJavaScript(news));
    const answer = await this.call<proto.CheckResponse>("check", request);
    const [failure] = answer.getFailuresList();
    if (failure) throw new Error(`check of ${failure.getProperty()}: ${failure.getReason()}`);
    return (answer.getInputs()?.toJavaScript() ?? {}) as Props;
  }

  /** @param news as check gave them */
  async create(news: Props): Promise<string> {
    const request = new proto.CreateRequest();
    request.setProperties(Struct.fromJavaScript(news));
    return (await this.call<proto.CreateResponse>("create", request)).getId();
  }

  async close(): Promise<void> {
    this.client.close();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await ended;
  }

  private call<Answer = unknown>(method: string, request: object): Promise<Answer> {
    type Call = (request: object, done: (error: grpc.ServiceError | null, answer: Answer) => void) => void;
    const client = this.client as unknown as Record<string, Call>;
    return new Promise((settle, fail) => {
      client[method]?.(request, (error, answer) => (error ? fail(error) : settle(answer)));
    });
  }
}

/** The port. The process prints nothing else by itself. */
function portOf(child: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let said = "";
    child.stdout?.on("data", (chunk) => {
      said += chunk;
      const port = /^(\d+)\n/.exec(said)?.[1];
      if (port) found(port);
    });
    child.once("error", failed);
    child.once("exit", (code) => failed(new Error(`the provider's process ended at once (${code})`)));
  });
}
