/**
 * The plugin, as the engine starts it and speaks to it: `pulumi-resource-compute ADDRESS`, then gRPC. Nothing of
 * Pulumi is within its reach, as in a program of another language.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { type LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { failed, PluginClient } from "../../support/plugin-client";

export { secret, UNKNOWN, urnOf } from "../../support/plugin-client";

/** What the plugin said through the engine. */
export interface Said {
  urn: string;
  severity: "warning" | "info" | "other";
  message: string;
}

/** As much of an engine as takes messages. */
export async function startEngineLog(said: Said[] = []): Promise<{ address: string; kill: () => Promise<void> }> {
  const server = new grpc.Server();
  const log = (call: grpc.ServerUnaryCall<LogRequest, Empty>, done: grpc.sendUnaryData<Empty>) => {
    const { request } = call;
    const words: Partial<Record<LogSeverity, Said["severity"]>> = {
      [LogSeverity.WARNING]: "warning",
      [LogSeverity.INFO]: "info",
    };
    said.push({
      urn: request.getUrn(),
      severity: words[request.getSeverity()] ?? "other",
      message: request.getMessage(),
    });
    done(null, new Empty());
  };
  server.addService(EngineService as never, { log } as never);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  return { address: `127.0.0.1:${port}`, kill: async () => server.forceShutdown() };
}

export class Plugin extends PluginClient {
  readonly output = { stdout: "", stderr: "" };
  readonly ended: Promise<number | NodeJS.Signals>;
  #client: ResourceProviderClient | undefined;

  private constructor(readonly child: ChildProcess) {
    super((method, request) => this.#send(method, request));
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.on("data", (chunk) => {
        this.output[name] += chunk;
      });
    }
    this.ended = once(child, "close").then(([code, signal]) => code ?? signal);
  }

  /** @param folder in whose `node_modules` the package is */
  static async start(engine: string, folder: string, env: NodeJS.ProcessEnv = {}): Promise<Plugin> {
    const script = join(folder, "node_modules/pulumi-compute-endpoint/dist/native/main.js");
    const inherited = Object.entries(process.env).filter(([name]) => !/^(PULUMI|COMPUTE|NEON)_/.test(name));
    const child = spawn(process.execPath, [script, engine], {
      cwd: folder,
      env: { ...Object.fromEntries(inherited), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const plugin = new Plugin(child);
    while (!plugin.output.stdout.includes("\n")) {
      await Promise.race([once(child.stdout!, "data"), plugin.ended]);
      if (!plugin.alive) throw new Error(`it ended at once: ${plugin.output.stderr}`);
    }
    const [port] = plugin.output.stdout.split("\n");
    plugin.#client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
    const handshake = new proto.ProviderHandshakeRequest();
    handshake.setEngineAddress(engine);
    await plugin.call("handshake", handshake);
    return plugin;
  }

  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async close(): Promise<void> {
    this.#client?.close();
    if (this.alive) this.child.kill("SIGKILL");
    await this.ended;
  }

  #send<Response>(method: string, request: object): Promise<Response> {
    type Call = (request: object, done: (error: grpc.ServiceError | null, answer: Response) => void) => void;
    const client = this.#client as unknown as Record<string, Call>;
    return new Promise((settle, fail) => {
      client[method]!(request, (error, answer) => (error ? fail(failed(error)) : settle(answer)));
    });
  }
}
