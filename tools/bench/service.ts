/** An emulator in a process of its own, so that its work counts neither as the program's nor as the provider's. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import type { RequestRecord, World } from "../../emulator/index";

const MAIN = resolve(__dirname, "..", "..", "dist", "cli", "main.js");
const KEY = "bench-key";

export interface ServiceOptions {
  operationMs: number;
  lock: "project" | "branch";
  /** Does it count requests as the public service does: 700 a minute, 40 a second for each route? @default true */
  limited?: boolean;
}

export class Service {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start({ operationMs, lock, limited = true }: ServiceOptions): Promise<Service> {
    const flags = ["--api-key", KEY, "--operation-ms", String(operationMs), "--lock", lock];
    const limits = limited ? ["--rate-limit", "public"] : [];
    const child = spawn(process.execPath, [MAIN, "emulator", ...flags, ...limits], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const endWithUs = () => void child.kill();
    process.once("exit", endWithUs);
    child.once("exit", () => process.removeListener("exit", endWithUs));
    return new Service(child, await urlOf(child));
  }

  /** What a program needs to find it. */
  get env(): NodeJS.ProcessEnv {
    return { COMPUTE_API_URL: this.url, COMPUTE_API_KEY: KEY };
  }

  world = () => this.control<World>("GET", "world");
  requests = () => this.control<RequestRecord[]>("GET", "requests");

  async setWorld(world: World): Promise<void> {
    await this.control("PUT", "world", world);
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.kill();
    await ended;
  }

  private async control<T>(method: string, what: string, body?: unknown): Promise<T> {
    const response = await fetch(new URL(`/_emulator/${what}`, this.url), {
      method,
      headers: { "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${what}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}

/** The address, once it listens. */
function urlOf(child: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let said = "";
    child.stdout?.on("data", (chunk) => {
      said += chunk;
      const url = /^emulator at (\S+)$/m.exec(said)?.[1];
      if (url) found(url);
    });
    child.once("error", failed);
    child.once("exit", (code) => failed(new Error(`the emulator ended at once (${code}): ${said}`)));
  });
}
