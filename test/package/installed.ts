/** The package as users get it: packed by npm, and installed by npm into a folder of its own. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./snippets";

const execute = promisify(execFile);

export interface Installed {
  folder: string;
  /** The packed file. */
  file: string;
  /** What npm says of it. */
  tarball: { size: number; unpackedSize: number; files: { path: string; mode: number }[] };
  run(command: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  write(name: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

/** What the caller's `npm test` hands down speaks of the clone, not of the folder. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(PULUMI|COMPUTE|NEON|npm_(package|lifecycle|command|config_local))_?/.test(name),
  ),
);

export async function install(): Promise<Installed> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "compute-endpoint-tarball-")));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const run = async (command: string, ...args: string[]) => {
      try {
        return { code: 0, ...(await execute(command, args, { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 })) };
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
        if (typeof code !== "number") throw error;
        return { code, stdout, stderr };
      }
    };
    const write = (name: string, text: string) => writeFile(join(folder, name), text);
    const must = async (command: string, ...args: string[]) => {
      const result = await run(command, ...args);
      if (result.code !== 0) throw new Error(`${command} ${args.join(" ")}\n${result.stdout}${result.stderr}`);
      return result.stdout;
    };
    const pack = ["pack", ROOT, "--json", "--ignore-scripts", "--pack-destination", folder];
    const [tarball] = Object.values(JSON.parse(await must("npm", ...pack))) as [Installed["tarball"]];
    const file = join(folder, (await readdir(folder)).find((name) => name.endsWith(".tgz"))!);
    await write("package.json", JSON.stringify({ name: "fresh", version: "1.0.0", private: true }));
    // Without the peer, which is large and stands in the clone: it is linked below.
    await must("npm", "install", file, "--legacy-peer-deps", "--prefer-offline", "--no-audit", "--no-fund");
    for (const name of ["@pulumi/policy", "@pulumi/pulumi", "@types/node"]) await link(folder, name);
    return { folder, file, tarball, run, write, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A package of the clone's, for a program elsewhere. */
async function link(folder: string, name: string): Promise<void> {
  const path = join(folder, "node_modules", name);
  await mkdir(dirname(path), { recursive: true });
  await symlink(join(ROOT, "node_modules", name), path);
}

/** The command that runs on, as a person starts it; it ends with all of its processes. */
export function start(folder: string, command: string, ...args: string[]) {
  const child: ChildProcess = spawn(command, args, {
    cwd: folder,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]!.on("data", (chunk) => {
      output[stream] += chunk;
    });
  }
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  /** The first match in what it prints on stdout; an error if it ends without. */
  const printed = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(output.stdout);
        if (found) resolve(found);
      };
      child.stdout!.on("data", look);
      void ended.then(() =>
        reject(new Error(`${command} ended without ${pattern}:\n${output.stdout}${output.stderr}`)),
      );
      look();
    });
  const stop = async () => {
    try {
      process.kill(-child.pid!, "SIGTERM");
    } catch {
      // It has ended by itself.
    }
    await ended;
  };
  return { output, printed, stop };
}
