// Reads the engine's arguments on Linux: the command that Pulumi runs, and the file that `--config-file` names. The engine does
// not tell a provider which file the config came from, but an approval must go into that file.

import { basename } from "node:path";
import { commandLineOf, parentOf } from "../proc.js";

/** The engine starts the provider, perhaps through a shell and a launcher. */
const MOST_ANCESTORS = 8;
const FLAG = "--config-file";

/** @returns undefined if Pulumi got no such file, and on systems other than Linux, which do not tell */
export function configFileOfEngine(pid: number = process.ppid): string | undefined {
  const args = argumentsOfEngine(pid);
  return args && fileIn(args);
}

/**
 * Whether Pulumi certainly runs the command `preview`, which changes nothing. False in the preview of `pulumi up`, after global
 * flags, and on systems other than Linux.
 */
export const isPreviewCommand = (pid?: number): boolean => argumentsOfEngine(pid)?.[0] === "preview";

function argumentsOfEngine(pid: number = process.ppid): string[] | undefined {
  let at: number | undefined = pid;
  for (let tries = 0; tries < MOST_ANCESTORS && at !== undefined && at > 1; tries++) {
    const [command = "", ...args] = commandLineOf(at) ?? [];
    if (basename(command) === "pulumi") return args;
    at = parentOf(at);
  }
  return undefined;
}

function fileIn(args: readonly string[]): string | undefined {
  const at = args.findIndex((one) => one === FLAG || one.startsWith(`${FLAG}=`));
  if (at < 0) return undefined;
  return args[at] === FLAG ? args[at + 1] : args[at]!.slice(FLAG.length + 1);
}
