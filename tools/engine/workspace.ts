/**
 * A Pulumi project with a stack of its own in a temporary folder, driven by `pulumi` commands as a person would.
 *
 *     const ws = await Workspace.create(engine, { program: `new (require("pulumi-compute-endpoint").Endpoint)(…)` });
 *     await ws.setConfig({ "compute:apiUrl": url }, { "compute:apiKey": key });   // plain, secret
 *     await ws.up();
 *     await ws.setProgram(`…`);                       // the same stack with a changed program (or `edit`)
 *     const { document } = await ws.previewJson();
 *     const { stderr } = await ws.up({ fails: true });
 *     await ws.close();
 *
 * The Pulumi of the machine is neither used nor changed: state, credentials, plugins and settings are in the folder.
 * Variables of the caller that Pulumi or our provider would read are left out. The engine is told not to use the network.
 */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "./index";
import { commandOf, kill, processesWith } from "./processes";
import { type Run, run } from "./run";

/** The clone. Programs get its packages and its build. */
const REPOSITORY = resolve(__dirname, "..", "..");

/** Far more than anything takes on a busy machine; a test that hangs should say so before the runner gives up. */
const LIMIT_MS = 180_000;

export interface WorkspaceOptions {
  /** Text of `index.js` (or `index.ts`), or several files by name; or nothing, and `from`. */
  program?: string | Record<string, string>;
  /** A whole program to copy, such as an example: everything but `node_modules` and the settings of stacks. */
  from?: string;
  /** Is `program` TypeScript? It takes two seconds longer a run. @default false */
  typescript?: boolean;
  /** @default "test" */
  project?: string;
  /** @default "dev" */
  stack?: string;
  /** For all commands. */
  env?: NodeJS.ProcessEnv;
  /**
   * More packages of the clone for the program. It has the SDK, this package and the packages for TypeScript already.
   */
  packages?: string[];
  /** Folders of further language hosts. */
  hosts?: string[];
  /** @default "never" */
  color?: "never" | "always";
}

export interface CommandOptions {
  /** More arguments, such as `["--target", urn]`. */
  args?: string[];
  /** For this command; undefined takes a variable away. */
  env?: NodeJS.ProcessEnv;
  input?: string;
  limitMs?: number;
  /** The command is expected to fail, and it is an error if it does not. @default false */
  fails?: boolean;
  /** Sees the output as it comes. */
  onOutput?: (chunk: string, stream: "stdout" | "stderr") => void;
  /** Is given the running command, for tests that interrupt or kill it. */
  onStart?: (child: ChildProcess) => void;
}

/** The parts of the document of `preview --json` that tests read. Any may be missing or odd: see `cli/report/preview.ts`. */
export interface PreviewDocument {
  config?: Record<string, string>;
  steps?: PreviewStep[];
  diagnostics?: { urn?: string; prefix?: string; message: string; severity: string }[];
  changeSummary?: Record<string, number>;
}

export interface PreviewStep {
  op: string;
  urn: string;
  provider?: string;
  oldState?: StateResource;
  newState?: StateResource;
  diffReasons?: string[] | null;
  replaceReasons?: string[] | null;
  detailedDiff?: Record<string, { kind: string; inputDiff: boolean }> | null;
}

export interface StateResource {
  urn: string;
  type: string;
  id?: string;
  custom?: boolean;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
  initErrors?: string[];
  [more: string]: unknown;
}

export interface StateDocument {
  version: number;
  deployment: {
    resources?: StateResource[];
    pending_operations?: { type: string; resource: StateResource }[];
    [more: string]: unknown;
  };
}

/** A command ended otherwise than the test expected. The message holds all that it printed. */
export class CommandFailed extends Error {
  override readonly name = "CommandFailed";
  constructor(
    what: string,
    readonly run: Run,
  ) {
    super(`${what}\nstdout:\n${run.stdout}\nstderr:\n${run.stderr}`);
  }
}

export class Workspace {
  private constructor(
    /** Everything is in here. */
    readonly folder: string,
    /** Pulumi.yaml, the program, and `node_modules`. */
    readonly programFolder: string,
    readonly stack: string,
    /** What the commands get. May be changed between them. */
    readonly env: NodeJS.ProcessEnv,
    private readonly binDir: string,
    private readonly options: WorkspaceOptions,
  ) {}

  static async create(engine: Pick<Engine, "binDir">, options: WorkspaceOptions = {}): Promise<Workspace> {
    // Its real name: on macOS the temporary folder is behind a link, and paths in messages are compared.
    const folder = await realpath(await mkdtemp(join(tmpdir(), "compute-endpoint-")));
    const programFolder = join(folder, "program");
    const state = join(folder, "state");
    await Promise.all([programFolder, state, join(folder, "home")].map((each) => mkdir(each)));
    const env: NodeJS.ProcessEnv = {
      ...withoutOurs(process.env),
      PATH: [engine.binDir, ...(options.hosts ?? []), process.env["PATH"] ?? ""].join(delimiter),
      PULUMI_BACKEND_URL: `file://${state}`,
      PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
      PULUMI_HOME: join(folder, "home"),
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      ...(options.color === "always" ? {} : { NO_COLOR: "1" }),
      ...options.env,
    };
    const stack = options.stack ?? "dev";
    const ws = new Workspace(folder, programFolder, stack, env, engine.binDir, options);
    try {
      if (options.from) await ws.copyFrom(options.from);
      else await ws.setProgram(options.program ?? "");
      await ws.linkPackages();
      await ws.pulumi(["stack", "init", stack], { fails: false });
    } catch (error) {
      await ws.close();
      throw error;
    }
    return ws;
  }

  /** Another program for the same stack. A single text is the main file; by name, any files. */
  async setProgram(program: string | Record<string, string>): Promise<void> {
    const { project = "test", typescript = false } = this.options;
    const main = typescript ? "index.ts" : "index.js";
    const defaults = {
      "Pulumi.yaml": `name: ${project}\nruntime:\n  name: nodejs\n  options:\n    typescript: ${typescript}\n`,
      "package.json": `${JSON.stringify({ name: project, private: true, main })}\n`, // without one there is a warning
    };
    const given = typeof program === "string" ? { [main]: program } : program;
    for (const [name, text] of Object.entries({ ...defaults, ...given })) {
      const path = join(this.programFolder, name);
      if (!(name in given) && existsSync(path)) continue;
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
  }

  /** A change in one file of the program, as one makes it in an editor. An error if it changes nothing. */
  async edit(name: string, change: (text: string) => string): Promise<void> {
    const path = join(this.programFolder, name);
    const before = await readFile(path, "utf8");
    const after = change(before);
    if (after === before) throw new Error(`the edit of ${name} changed nothing in:\n${before}`);
    await writeFile(path, after);
  }

  /**
   * One `pulumi` command in the program's folder. Gives back what it did, whatever its exit code, unless `fails` says
   * what to expect. Throws `TimeLimit` when it takes too long, and then nothing of it is left running.
   */
  async pulumi(args: readonly string[], options: CommandOptions = {}): Promise<Run> {
    const color = ["--color", this.options.color ?? "never"];
    const all = [...args, ...(options.args ?? []), "--non-interactive", ...color];
    const result = await run(join(this.binDir, "pulumi"), all, {
      cwd: this.programFolder,
      env: { ...this.env, ...options.env },
      input: options.input,
      limitMs: options.limitMs ?? LIMIT_MS,
      // Like one Ctrl-C: a chance to write its state and let go of the stack's lock, before all of it is killed.
      askFirst: { signal: "SIGINT", graceMs: 5_000 },
      onOutput: options.onOutput,
      onStart: options.onStart,
    });
    const command = `pulumi ${all.join(" ")}`;
    if (options.fails === false && result.code !== 0)
      throw new CommandFailed(`${command} failed (${result.code})`, result);
    if (options.fails === true && result.code === 0)
      throw new CommandFailed(`${command} was to fail and did not`, result);
    return result;
  }

  /** `pulumi preview`, as people see it. */
  preview = (options?: CommandOptions) => this.pulumiChecked(["preview"], options);

  /** `pulumi preview --diff`. */
  previewDiff = (options?: CommandOptions) => this.pulumiChecked(["preview", "--diff"], options);

  /** `pulumi preview --json`, parsed. A failed preview has a document too. */
  async previewJson(options?: CommandOptions): Promise<Run & { document: PreviewDocument }> {
    const result = await this.pulumiChecked(["preview", "--json"], options);
    return { ...result, document: parse(result) };
  }

  /** `pulumi up`, with its own preview as people have it; `args: ["--skip-preview"]` saves half of the time. */
  up = (options?: CommandOptions) => this.pulumiChecked(["up", "--yes"], options);

  refresh = (options?: CommandOptions) => this.pulumiChecked(["refresh", "--yes"], options);

  destroy = (options?: CommandOptions) => this.pulumiChecked(["destroy", "--yes"], options);

  /** The stack's state as `pulumi stack export` gives it: secrets encrypted. */
  async export(options?: CommandOptions): Promise<StateDocument> {
    return parse(await this.pulumiChecked(["stack", "export"], options));
  }

  /** The state's resource of this name; an error that lists what there is, if it is not the only one. */
  async resource(name: string): Promise<StateResource> {
    const { resources = [] } = (await this.export()).deployment;
    const [found, ...more] = resources.filter(({ urn }) => urn.endsWith(`::${name}`));
    if (!found || more.length > 0) {
      throw new Error(`not one resource "${name}" in the state, but:\n${resources.map(({ urn }) => urn).join("\n")}`);
    }
    return found;
  }

  /** The stack's outputs, secrets in clear. */
  async outputs(options?: CommandOptions): Promise<Record<string, unknown>> {
    return parse(await this.pulumiChecked(["stack", "output", "--json", "--show-secrets"], options));
  }

  /** Settings of the stack: plain ones, and secret ones. */
  async setConfig(plain: Record<string, string>, secret: Record<string, string> = {}): Promise<void> {
    const flags = (flag: string, values: Record<string, string>) =>
      Object.entries(values).flatMap(([key, value]) => [flag, `${key}=${value}`]);
    await this.pulumiChecked(["config", "set-all", ...flags("--plaintext", plain), ...flags("--secret", secret)]);
  }

  async removeConfig(...keys: string[]): Promise<void> {
    await this.pulumiChecked(["config", "rm-all", ...keys]);
  }

  /** Processes of this workspace's that are still there after a moment, as command lines. Looks on Linux only. */
  async leftBehind(withinMs = 2_000): Promise<string[]> {
    const until = performance.now() + withinMs;
    while (this.leftPids().length > 0 && performance.now() < until) await sleep(50);
    return this.leftPids().map(commandOf);
  }

  /**
   * Ends the processes that are left, and removes the folder. The computes stay: a test that wants them gone runs
   * `destroy`.
   */
  async close(): Promise<void> {
    for (const pid of this.leftPids()) kill(pid);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  private leftPids = () => processesWith("PULUMI_HOME", this.env["PULUMI_HOME"] ?? this.folder);

  private pulumiChecked(args: string[], options: CommandOptions = {}): Promise<Run> {
    return this.pulumi(args, { ...options, fails: options.fails ?? false });
  }

  private async copyFrom(source: string): Promise<void> {
    await cp(source, this.programFolder, {
      recursive: true,
      filter: (path) => basename(path) !== "node_modules" && !/^Pulumi\..+\.yaml$/.test(basename(path)),
    });
  }

  /**
   * Links the clone's packages into `node_modules`, and the clone itself as this package, as npm does for a workspace.
   */
  private async linkPackages(): Promise<void> {
    const modules = join(this.programFolder, "node_modules");
    const typescript =
      this.options.typescript || (await readdir(this.programFolder)).some((name) => name.endsWith(".ts"));
    const names = [
      "@pulumi/pulumi",
      ...(typescript ? ["typescript", "ts-node", "@types/node"] : []),
      ...(this.options.packages ?? []),
    ];
    for (const name of names) {
      await mkdir(dirname(join(modules, name)), { recursive: true });
      await symlink(join(REPOSITORY, "node_modules", name), join(modules, name));
    }
    await symlink(REPOSITORY, join(modules, "pulumi-compute-endpoint"));
  }
}

/** A test must not use the Pulumi, the keys or the addresses of the caller, and must not change them. */
const withoutOurs = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^(PULUMI|COMPUTE|NEON)_/.test(name)));

function parse<T>(result: Run): T {
  try {
    return JSON.parse(result.stdout) as T;
  } catch {
    throw new CommandFailed("the command printed no JSON", result);
  }
}
