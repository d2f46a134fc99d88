/**
 * `pulumi-language-nodejs` for an engine built from Go modules: Pulumi's own is not served as a module of the same
 * version, and the one that older modules carry refuses resource hooks.
 *
 * It does what Pulumi's does for programs and policy packs, and leaves out what nobody here needs: generating code,
 * packing, debuggers, Bun, tracing, the stack's config inside a policy pack, and telling the engine in advance which
 * plugins a program will want. It is bundled into one file, see `bundleHost`.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect } from "node:http2";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as grpc from "@grpc/grpc-js";
import { LanguageRuntimeService } from "@pulumi/pulumi/proto/language_grpc_pb";
import * as language from "@pulumi/pulumi/proto/language_pb";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ENGINE_VERSION } from "../recipe";
import { outcomeOf, programConfig, type RuntimeOptions, runArguments, runtimeOptions } from "./options";

type Unary<Request, Response> = (call: grpc.ServerUnaryCall<Request, Response>) => Promise<Response> | Response;
type Stream<Request, Response> = (call: grpc.ServerWritableStream<Request, Response>) => Promise<void>;

/** Time between asking our processes to end and ending them, as in Pulumi's host. */
const GRACE_MS = 5_000;

let engine = "";
const running = new Set<ChildProcess>();

const handshake: Unary<language.LanguageHandshakeRequest, language.LanguageHandshakeResponse> = ({ request }) => {
  follow(request.getEngineAddress());
  return new language.LanguageHandshakeResponse();
};

const runProgram: Unary<language.RunRequest, language.RunResponse> = async (call) => {
  const { request } = call;
  const info = request.getInfo()!;
  const response = new language.RunResponse();
  try {
    const options = optionsOf(info);
    const script = locate("@pulumi/pulumi/cmd/run", info.getProgramDirectory(), "pulumi install");
    const args = runArguments({
      monitor: request.getMonitorAddress(),
      engine,
      organization: request.getOrganization(),
      project: request.getProject(),
      stack: request.getStack(),
      rootDirectory: info.getRootDirectory(),
      programDirectory: info.getProgramDirectory(),
      entryPoint: info.getEntryPoint(),
      parallel: request.getParallel(),
      dryRun: request.getDryrun(),
      args: request.getArgsList(),
    });
    const env = {
      ...process.env,
      ...environmentFor(options),
      PULUMI_CONFIG: programConfig(request.getConfigMap().entries() as unknown as Iterable<[string, string]>),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    };
    // What the program prints goes to our own output, where the engine reads it.
    const child = start([...options.nodeargs, script, ...args], call, { env, stdio: ["ignore", "inherit", "inherit"] });
    const outcome = outcomeOf(...(await endOf(child)));
    response.setError(outcome.error ?? "");
    response.setBail(outcome.bail ?? false);
  } catch (error) {
    response.setError((error as Error).message);
  }
  return response;
};

/** Policy packs, and providers that are written as Node.js programs. */
const runPlugin: Stream<language.RunPluginRequest, language.RunPluginResponse> = async (call) => {
  const { request } = call;
  const info = request.getInfo()!;
  const folder = info.getProgramDirectory();
  const options = optionsOf(info);
  const isPack = request.getKind() === "analyzer";
  const script = locate(`@pulumi/pulumi/cmd/${isPack ? "run-policy-pack" : "run-plugin"}`, folder, "npm install");
  const args = isPack ? [...request.getArgsList(), folder] : [folder, ...request.getArgsList()];
  const child = start([...options.nodeargs, script, ...args], call, {
    cwd: isPack ? folder : request.getPwd(),
    env: { ...process.env, ...Object.fromEntries(request.getEnvList().map(pair)), ...environmentFor(options) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout!.on("data", (chunk) => call.write(respond((response) => response.setStdout(chunk))));
  child.stderr!.on("data", (chunk) => call.write(respond((response) => response.setStderr(chunk))));
  const [code] = await endOf(child);
  call.write(respond((response) => response.setExitcode(code ?? 1)));

  function respond(fill: (response: language.RunPluginResponse) => void): language.RunPluginResponse {
    const response = new language.RunPluginResponse();
    fill(response);
    return response;
  }
};

/** `pulumi install`. */
const installDependencies: Stream<language.InstallDependenciesRequest, language.InstallDependenciesResponse> = async (
  call,
) => {
  const info = call.request.getInfo()!;
  const { packagemanager } = optionsOf(info);
  const child = start(
    ["install"],
    call,
    { cwd: info.getProgramDirectory(), stdio: ["ignore", "pipe", "pipe"] },
    packagemanager,
  );
  for (const [stream, set] of [
    [child.stdout!, "setStdout"],
    [child.stderr!, "setStderr"],
  ] as const) {
    stream.on("data", (chunk) => {
      const response = new language.InstallDependenciesResponse();
      response[set](chunk);
      call.write(response);
    });
  }
  const [code] = await endOf(child);
  if (code !== 0) throw new Error(`${packagemanager} install exited with code ${code}`);
};

/** `pulumi about`. */
const about: Unary<language.AboutRequest, language.AboutResponse> = ({ request }) => {
  const response = new language.AboutResponse();
  response.setExecutable(process.execPath);
  response.setVersion(process.version);
  const info = request.getInfo();
  if (info) response.getMetadataMap().set("packagemanager", optionsOf(info).packagemanager);
  return response;
};

/** What the program's package.json names, in the versions that are installed. */
const getProgramDependencies: Unary<
  language.GetProgramDependenciesRequest,
  language.GetProgramDependenciesResponse
> = ({ request }) => {
  const folder = request.getInfo()!.getProgramDirectory();
  const response = new language.GetProgramDependenciesResponse();
  const { dependencies = {}, devDependencies = {} } = readPackage(folder);
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const dependency = new language.DependencyInfo();
    dependency.setName(name);
    dependency.setVersion(readPackage(join(folder, "node_modules", name)).version ?? "");
    response.addDependencies(dependency);
  }
  return response;
};

/** Dynamic providers need no plugin but our own start script; for others the engine asks when it meets them. */
const getRequiredPackages: Unary<language.GetRequiredPackagesRequest, language.GetRequiredPackagesResponse> = () =>
  new language.GetRequiredPackagesResponse();

const getPluginInfo: Unary<unknown, PluginInfo> = () => {
  const info = new PluginInfo();
  info.setVersion(ENGINE_VERSION);
  return info;
};

/** Its answer is as empty as its request. */
const cancel: Unary<unknown, unknown> = ({ request }) => {
  for (const child of running) interrupt(child);
  return request;
};

/** Starts a process that ends with the call it belongs to, and with the engine. */
function start(
  args: string[],
  call: { on(event: "cancelled", listener: () => void): unknown },
  options: SpawnOptions,
  command = "node",
): ChildProcess {
  const child = spawn(command, args, options);
  running.add(child);
  call.on("cancelled", () => interrupt(child));
  return child;
}

function endOf(child: ChildProcess): Promise<[code: number | null, signal: string | null]> {
  return new Promise((resolve, reject) => {
    const settle = () => running.delete(child);
    child.once("error", (error) => {
      settle();
      reject(new Error(`could not run ${child.spawnfile}: ${error.message}`));
    });
    child.once("close", (code, signal) => {
      settle();
      resolve([code, signal]);
    });
  });
}

function interrupt(child: ChildProcess): void {
  child.kill("SIGINT");
  setTimeout(() => running.has(child) && child.kill("SIGKILL"), GRACE_MS).unref();
}

/**
 * Ends us when the engine is gone, however it went: a connection of our own tells, for a killed engine can't, and our
 * parent's id tells nothing once a shell stands between. HTTP/2, for the engine would hang up on a silent socket.
 */
function follow(address: string): void {
  if (address === "" || engine === address) return;
  engine = address;
  const connection = connect(`http://${address}`);
  connection.on("error", () => {});
  connection.on("close", () => {
    for (const child of running) child.kill("SIGKILL");
    process.exit(0);
  });
}

/** A module from the program's own SDK, never from ours. */
function locate(module: string, folder: string, cure: string): string {
  try {
    return createRequire(join(folder, "index.js")).resolve(module);
  } catch {
    throw new Error(
      `It looks like the Pulumi SDK has not been installed. Have you run ${cure}? (looked from ${folder})`,
    );
  }
}

const optionsOf = (info: language.ProgramInfo): RuntimeOptions =>
  runtimeOptions((info.getOptions()?.toJavaScript() ?? {}) as Record<string, unknown>);

const environmentFor = (options: RuntimeOptions): NodeJS.ProcessEnv => ({
  ...(options.typescript ? { PULUMI_NODEJS_TYPESCRIPT: "true" } : {}),
  ...(options.tsconfig ? { PULUMI_NODEJS_TSCONFIG_PATH: options.tsconfig } : {}),
});

const pair = (entry: string): [string, string] => {
  const at = entry.indexOf("=");
  return [entry.slice(0, at), entry.slice(at + 1)];
};

interface Package {
  version?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

function readPackage(folder: string): Package {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Package;
  } catch {
    return {};
  }
}

const unary =
  <Request, Response>(handler: Unary<Request, Response>): grpc.handleUnaryCall<Request, Response> =>
  async (call, callback) => {
    try {
      callback(null, await handler(call));
    } catch (error) {
      callback({ code: grpc.status.UNKNOWN, details: (error as Error).message });
    }
  };

const stream =
  <Request, Response>(handler: Stream<Request, Response>): grpc.handleServerStreamingCall<Request, Response> =>
  async (call) => {
    try {
      await handler(call);
      call.end();
    } catch (error) {
      call.emit("error", { code: grpc.status.UNKNOWN, details: (error as Error).message });
    }
  };

function serve(): void {
  if (process.argv.includes("--version") || process.argv.includes("-version")) {
    console.log(ENGINE_VERSION);
    return;
  }
  follow(
    process.argv
      .slice(2)
      .filter((arg) => !arg.startsWith("-"))
      .at(-1) ?? "",
  );
  const unlimited = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };
  const server = new grpc.Server(unlimited);
  // What is not here is answered as unimplemented, which the engine understands.
  server.addService(LanguageRuntimeService as unknown as grpc.ServiceDefinition, {
    handshake: unary(handshake),
    run: unary(runProgram),
    runPlugin: stream(runPlugin),
    installDependencies: stream(installDependencies),
    about: unary(about),
    getProgramDependencies: unary(getProgramDependencies),
    getRequiredPackages: unary(getRequiredPackages),
    getPluginInfo: unary(getPluginInfo),
    runtimeOptionsPrompts: unary(() => new language.RuntimeOptionsResponse()),
    template: unary(() => new language.TemplateResponse()),
    cancel: unary(cancel),
  });
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    console.log(String(port)); // the engine reads this line
  });
}

// The engine's way to end a plugin; one that doesn't end by itself holds it up for seconds.
process.on("SIGINT", () => {
  for (const child of running) interrupt(child);
  const leaveWhenDone = () => running.size === 0 && process.exit(0);
  leaveWhenDone();
  setInterval(leaveWhenDone, 20);
});
serve();
