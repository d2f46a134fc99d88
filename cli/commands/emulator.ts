import { type EmulatorOptions, type RunningEmulator, startEmulator, type World } from "../../emulator/index.js";
import { shellWord } from "../../provider/rules/shell.js";
import { EXIT } from "../arguments.js";
import type { Command } from "../command.js";
import { openBrowser } from "../open-browser.js";
import { cleanLine, LONGEST_LINE } from "../report/clean.js";
import { sizeText } from "../size-text.js";
import { HELP, parseEmulatorOptions } from "./emulator-options.js";
import { stopEmulator } from "./emulator-stop.js";

const SHOWN_LINES = 20;

export const emulator: Command = {
  summary: "run a local control plane to try programs against",
  async run(args, io) {
    if (args[0] === "stop") return stopEmulator(args.slice(1), io);
    const given = parseEmulatorOptions(args);
    if (given === undefined) {
      io.out.write(HELP);
      return EXIT.ok;
    }
    const { options, opens } = given;
    const running = await startEmulator(options).catch((error: NodeJS.ErrnoException) => {
      throw new Error(cleanLine(reasonOf(error, options), LONGEST_LINE));
    });
    // Ends at once. A terminal must not hang because a client waits for a response. The state that responses have shown
    // is saved already.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(EXIT.ok));
    io.out.write(greeting(running, options.state));
    if (opens) {
      const reason = await openBrowser(`${running.origin}/`, io.env);
      if (reason !== undefined)
        io.err.write(`no browser was opened, ${cleanLine(reason)}: open ${running.origin}/ yourself\n`);
    }
    return undefined;
  },
};

function reasonOf(error: NodeJS.ErrnoException, { port = 0, state }: EmulatorOptions): string {
  if (error.code === "EADDRINUSE") return `port ${port} is in use; choose another with --port, or 0 for a free one`;
  if (error.code === "EACCES" && error.syscall === "listen") {
    return `port ${port} needs more rights than this user has; choose one above 1023`;
  }
  return error.syscall === "open" ? `can't keep the state in ${state}: ${error.message}` : error.message;
}

/** The world in lines: each project, with its branches and their computes. */
function linesOf({ projects, branches, endpoints }: World): string[] {
  return Object.values(projects).flatMap((project) => [
    `project    ${project.id}  (${cleanLine(project.region_id)})`,
    ...Object.values(branches)
      .filter((branch) => branch.project_id === project.id)
      .flatMap((branch) => {
        const computes = Object.values(endpoints).filter((one) => one.branch_id === branch.id);
        const words = [cleanLine(branch.name), branch.parent_id ? "" : "root", computes.length > 0 ? "" : "no compute"];
        return [
          `  branch   ${branch.id}  ${words.filter(Boolean).join(", ")}`,
          ...computes.map((one) => {
            const { autoscaling_limit_min_cu: min, autoscaling_limit_max_cu: max } = one;
            const size = sizeText(min, max);
            const kind = one.type === "read_write" ? "primary" : "replica";
            return `  ${kind}  ${one.id}  on ${cleanLine(branch.name)}, ${one.current_state}, ${size}`;
          }),
        ];
      }),
  ]);
}

function greeting({ url, origin, apiKey, world, clock }: RunningEmulator, state: string | undefined): string {
  const lines = linesOf(world);
  const more = lines.length - SHOWN_LINES;
  const shown = [
    ...lines.slice(0, SHOWN_LINES),
    ...(more > 0 ? [`… and ${more} more`] : []),
    ...(state === undefined ? [] : [`state in   ${state}`]),
    ...(clock.mode === "virtual" ? [`clock      stopped at ${new Date(clock.now()).toISOString()}`] : []),
  ];
  const [project = "PROJECT"] = Object.keys(world.projects);
  return `emulator at ${url}
console at  ${origin}/

${shown.join("\n")}

In the terminal that runs your program:
  export COMPUTE_API_KEY=${shellWord(apiKey)}
  export COMPUTE_API_URL=${url}
  curl -H "Authorization: Bearer $COMPUTE_API_KEY" $COMPUTE_API_URL/projects/${project}/endpoints

Ctrl-C ends it, and so does: npx --no compute-endpoint emulator stop --port ${new URL(url).port}
`;
}
