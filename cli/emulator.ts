import { type EmulatorOptions, type RunningEmulator, startEmulator, type World } from "../emulator/index.js";
import { HELP, parseFlags } from "./emulator-flags.js";
import type { Command } from "./main.js";
import { clean } from "./report/clean.js";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const SHOWN_LINES = 20;
const LONGEST_LINE = 2000;

export const emulator: Command = {
  summary: "run a local control plane to try programs against",
  async run(args) {
    let options: EmulatorOptions | "help";
    try {
      options = parseFlags(args);
    } catch (error) {
      return fail(EXIT_USAGE, `${(error as Error).message}; see --help`);
    }
    if (options === "help") {
      process.stdout.write(HELP);
      return 0;
    }
    let running: RunningEmulator;
    try {
      running = await startEmulator(options);
    } catch (error) {
      return fail(EXIT_FAILED, reasonOf(error as NodeJS.ErrnoException, options));
    }
    // At once: what a client is waiting for is not worth a terminal that hangs, and what it was told is kept already.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(0));
    process.stdout.write(greeting(running, options.state));
    return undefined;
  },
};

function fail(code: number, message: string): number {
  process.stderr.write(`compute-endpoint emulator: ${clean(message, LONGEST_LINE)}\n`);
  return code;
}

function reasonOf(error: NodeJS.ErrnoException, { port = 0, state }: EmulatorOptions): string {
  if (error.code === "EADDRINUSE") return `port ${port} is in use; choose another with --port, or 0 for a free one`;
  if (error.code === "EACCES" && error.syscall === "listen") {
    return `port ${port} needs more rights than this user has; choose one above 1023`;
  }
  return error.syscall === "open" ? `can't keep the state in ${state}: ${error.message}` : error.message;
}

/** The world in lines, a project with its branches and computes. */
function linesOf({ projects, branches, endpoints }: World): string[] {
  return Object.values(projects).flatMap((project) => [
    `project    ${project.id}  (${clean(project.region_id)})`,
    ...Object.values(branches)
      .filter((branch) => branch.project_id === project.id)
      .flatMap((branch) => {
        const computes = Object.values(endpoints).filter((one) => one.branch_id === branch.id);
        const words = [clean(branch.name), branch.parent_id ? "" : "root", computes.length > 0 ? "" : "no compute"];
        return [
          `  branch   ${branch.id}  ${words.filter(Boolean).join(", ")}`,
          ...computes.map((one) => {
            const { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max } = one;
            const size = min === max ? `${max} CU` : `${min} to ${max} CU`;
            const kind = one.type === "read_write" ? "primary" : "replica";
            return `  ${kind}  ${one.id}  on ${clean(branch.name)}, ${one.current_state}, ${size}`;
          }),
        ];
      }),
  ]);
}

function greeting({ url, apiKey, world, clock }: RunningEmulator, state: string | undefined): string {
  const lines = linesOf(world);
  const more = lines.length - SHOWN_LINES;
  const shown = [
    ...lines.slice(0, SHOWN_LINES),
    ...(more > 0 ? [`… and ${more} more`] : []),
    ...(state === undefined ? [] : [`kept in    ${state}`]),
    ...(clock.mode === "virtual" ? [`clock      stands at ${new Date(clock.now()).toISOString()}`] : []),
  ];
  const [project = "PROJECT"] = Object.keys(world.projects);
  return `emulator at ${url}

${shown.join("\n")}

In the terminal that runs your program:
  export COMPUTE_API_KEY=${quoted(apiKey)}
  export COMPUTE_API_URL=${url}
  curl -H "Authorization: Bearer $COMPUTE_API_KEY" $COMPUTE_API_URL/projects/${project}/endpoints

Ctrl-C ends it.
`;
}

const quoted = (text: string): string => (/^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
