/** The published `neon` command against an emulator, as a process of its own in a home of its own. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { type EmulatorOptions, type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import { type Run, run } from "../../tools/engine/run";

export const { projectId: PROJECT, primaryId: PRIMARY } = SEED;
export const { main: MAIN, dev: DEV } = SEED.branches;

const COMMAND = require.resolve("neon/cli");
const LIMIT_MS = 60_000;

/** Each start is a second of one core, and other tests run beside these. */
const AT_ONCE = 2;
let running = 0;
const queue: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => queue.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    const next = queue.shift();
    if (next) next();
    else running -= 1;
  }
}

export interface CliOptions {
  /** @default the emulator's */
  apiKey?: string;
  /** @default the home */
  cwd?: string;
  /** Arguments that come without a project. @default false: `--project-id` of the seeded project is added */
  bare?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: what the command prints is read without our types
export type Printed = any;

export class Neon {
  private constructor(
    readonly em: RunningEmulator,
    /** HOME of the command, with its configuration in it. */
    readonly home: string,
  ) {}

  static async start(options: EmulatorOptions = {}): Promise<Neon> {
    const em = await startEmulator({ operationMs: 50, apiKey: "key-of-the-neon-command", ...options });
    return new Neon(em, await mkdtemp(join(tmpdir(), "neon-command-")));
  }

  /** Whatever the exit code. */
  async run(args: string[], { apiKey = this.em.apiKey, cwd = this.home }: CliOptions = {}): Promise<Run> {
    await mkdir(cwd, { recursive: true });
    const configuration = join(this.home, ".config", "neon");
    const flags = ["--api-host", this.em.url, "--no-analytics", "--no-color", "--config-dir", configuration];
    const files = ["--context-file", join(this.home, "context")];
    const result = await inTurn(() =>
      run(
        process.execPath,
        ["--require", join(__dirname, "loopback-only.cjs"), COMMAND, ...args, ...flags, ...files, "--api-key", apiKey],
        {
          cwd,
          // Nothing of the caller's: neither a key nor a program that could be found on a PATH.
          env: { HOME: this.home, PATH: "", NO_UPDATE_NOTIFIER: "1", TZ: "UTC" },
          limitMs: LIMIT_MS,
        },
      ),
    );
    expect(result.stderr).not.toContain("NOT ALLOWED");
    return result;
  }

  /** What a command that succeeds prints with `--output json`, parsed; nothing is undefined. */
  async json(args: string[], { bare = false, ...options }: CliOptions = {}): Promise<Printed> {
    const project = bare ? [] : ["--project-id", PROJECT];
    const result = await this.run([...args, ...project, "--output", "json"], options);
    expect(result, `neon ${args.join(" ")}`).toMatchObject({ code: 0 });
    return result.stdout === "" ? undefined : JSON.parse(result.stdout);
  }

  /** What a command that fails says, without the lines that tell of waiting. */
  async refusal(args: string[], options: CliOptions = {}): Promise<string> {
    const result = await this.run(args, options);
    expect(result, `neon ${args.join(" ")}`).toMatchObject({ code: 1, stdout: "" });
    return result.stderr.trim();
  }

  /** The requests so far as lines; the record is emptied. */
  requests = (): string[] =>
    this.em.requests.splice(0).map(({ method, path, status }) => `${method} ${path} ${status}`);

  /** Until nothing runs any more. */
  idle = () =>
    vi.waitFor(() => {
      expect(this.em.world.operations.filter(({ status }) => status !== "finished")).toEqual([]);
    }, LIMIT_MS);

  async close(): Promise<void> {
    await this.em.close();
    await rm(this.home, { recursive: true, force: true });
  }
}
