/**
 * Pulumi's own process for dynamic providers, as the engine starts it and speaks to it: `node
 * @pulumi/pulumi/cmd/dynamic-provider ADDRESS` in the program's folder, then gRPC. The package is a copy of the build,
 * so that a build that runs meanwhile swaps nothing under it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { autoNameOf } from "../../provider/rules/name.js";
import { PROVIDER_TEXT } from "../../sdk/literal.js";
import { failed } from "../support/plugin-client";

export type Props = Record<string, unknown>;

const REPOSITORY = resolve(__dirname, "../..");
const SCRIPT = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");

type Struct = NonNullable<ReturnType<proto.CheckRequest["getOlds"]>>;
/** The SDK's own: the package it comes from is not one of ours. */
const ofSdk = createRequire(SCRIPT);
const { Struct } = ofSdk("google-protobuf/google/protobuf/struct_pb") as {
  Struct: { fromJavaScript(value: Props): Struct };
};
const { Empty } = ofSdk("google-protobuf/google/protobuf/empty_pb") as { Empty: new () => object };

/** A folder from which the package resolves, as a program's does. */
export async function programFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "compute-endpoint-grpc-")));
  const modules = join(path, "node_modules");
  const ours = join(modules, "pulumi-compute-endpoint");
  await mkdir(ours, { recursive: true });
  await cp(join(REPOSITORY, "dist"), join(ours, "dist"), { recursive: true });
  await cp(join(REPOSITORY, "package.json"), join(ours, "package.json"));
  await mkdir(join(modules, "@pulumi"));
  for (const name of ["undici", "zod", "@pulumi/pulumi"]) {
    await symlink(join(REPOSITORY, "node_modules", name), join(modules, name));
  }
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

export { CallFailed } from "../support/plugin-client";

/** What the engine registered beside the properties. */
export interface Registered {
  urn?: string;
  /** Seconds. */
  timeout?: number;
}

export interface ShimOptions {
  /** The engine's address, the argument of the process. */
  engine: string;
  folder: string;
  env?: NodeJS.ProcessEnv;
}

export class Shim {
  readonly output = { stdout: "", stderr: "" };
  /** Exit code or signal, when it has ended. */
  readonly ended: Promise<number | NodeJS.Signals>;
  #client: ResourceProviderClient | undefined;

  private constructor(readonly child: ChildProcess) {
    child.stdout?.on("data", (chunk) => {
      this.output.stdout += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      this.output.stderr += chunk;
    });
    this.ended = once(child, "close").then(([code, signal]) => code ?? signal);
  }

  static async start({ engine, folder, env }: ShimOptions) {
    const child = spawn(process.execPath, [SCRIPT, engine], {
      cwd: folder,
      env: { ...withoutOurs(process.env), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const shim = new Shim(child);
    const port = await Promise.race([shim.firstLine(), shim.ended.then(() => undefined)]);
    if (!port) throw new Error(`it ended at once: ${shim.output.stderr}`);
    shim.#client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
    return shim;
  }

  /** What it printed after its port. */
  get said(): string {
    return this.output.stdout.replace(/^\d+\n/, "");
  }

  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async configure(config: Record<string, string>): Promise<void> {
    const request = new proto.ConfigureRequest();
    request.setArgs(struct(config));
    await this.#call("configure", request);
  }

  async check(olds: Props, news: Props): Promise<{ inputs: Props; failures: { property: string; reason: string }[] }> {
    const request = new proto.CheckRequest();
    request.setOlds(struct(olds));
    request.setNews(struct(withText(news)));
    const answer = await this.#call<proto.CheckResponse>("check", request);
    const failures = answer.getFailuresList().map((one) => ({ property: one.getProperty(), reason: one.getReason() }));
    return { inputs: plain(answer.getInputs()), failures };
  }

  async diff(id: string, olds: Props, news: Props) {
    const request = new proto.DiffRequest();
    request.setId(id);
    request.setOlds(struct(withText(olds)));
    request.setNews(struct(withText(news)));
    const answer = await this.#call<proto.DiffResponse>("diff", request);
    const words = ["unknown", "none", "some"] as const;
    return { changes: words[answer.getChanges()], replaces: answer.getReplacesList() };
  }

  async create(news: Props, registered: Registered = {}): Promise<{ id: string; outputs: Props }> {
    const request = register(new proto.CreateRequest(), registered);
    request.setProperties(struct(withText(news)));
    const answer = await this.#call<proto.CreateResponse>("create", request);
    return { id: answer.getId(), outputs: plain(answer.getProperties()) };
  }

  async read(id: string, state: Props): Promise<{ id: string; outputs: Props; inputs: Props }> {
    const request = new proto.ReadRequest();
    request.setId(id);
    request.setProperties(struct(withText(state)));
    const answer = await this.#call<proto.ReadResponse>("read", request);
    return { id: answer.getId(), outputs: plain(answer.getProperties()), inputs: plain(answer.getInputs()) };
  }

  async update(id: string, olds: Props, news: Props, registered: Registered = {}): Promise<Props> {
    const request = register(new proto.UpdateRequest(), registered);
    request.setId(id);
    request.setOlds(struct(withText(olds)));
    request.setNews(struct(withText(news)));
    return plain((await this.#call<proto.UpdateResponse>("update", request)).getProperties());
  }

  async delete(id: string, state: Props, registered: Registered = {}): Promise<void> {
    const request = register(new proto.DeleteRequest(), registered);
    request.setId(id);
    request.setProperties(struct(withText(state)));
    await this.#call("delete", request);
  }

  /** What the engine sends at the first Ctrl-C, and at the end of each command. */
  async cancel(): Promise<void> {
    await this.#call("cancel", new Empty());
  }

  /** Ends it as the engine does, and waits until it is gone. */
  async close(): Promise<void> {
    this.#client?.close();
    if (this.alive) this.child.kill("SIGKILL");
    await this.ended;
  }

  private firstLine(): Promise<string> {
    return new Promise((settle) => {
      const look = () => {
        const line = /^(\d+)\n/.exec(this.output.stdout)?.[1];
        if (line) settle(line);
      };
      this.child.stdout?.on("data", look);
    });
  }

  #call<Answer = unknown>(method: string, request: object): Promise<Answer> {
    type Call = (request: object, done: (error: grpc.ServiceError | null, answer: Answer) => void) => void;
    const client = this.#client as unknown as Record<string, Call>;
    return new Promise((settle, fail) => {
      client[method]!(request, (error, answer) => (error ? fail(failed(error)) : settle(answer)));
    });
  }
}

function register<T extends { setUrn(urn: string): unknown; setTimeout(seconds: number): unknown }>(
  request: T,
  { urn, timeout }: Registered,
): T {
  if (urn !== undefined) request.setUrn(urn);
  if (timeout !== undefined) request.setTimeout(timeout);
  return request;
}

const struct = (value: Props): Struct => Struct.fromJavaScript(value);
const plain = (value: Struct | undefined): Props => (value?.toJavaScript() ?? {}) as Props;
/** Everything but old inputs of a creation carries the text of the provider. */
const withText = (props: Props): Props => ({ __provider: PROVIDER_TEXT, ...props });

/** What the class hands to check. */
export const urnOf = (name: string): string => `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/compute:Endpoint::${name}`;
/** The name of a compute to which the program gives none. */
export const hint = (name: string): string => autoNameOf(urnOf(name));

const withoutOurs = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^(PULUMI|COMPUTE|NEON)_/.test(name)));
