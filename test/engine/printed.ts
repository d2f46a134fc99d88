/** The command that a refusal or a report prints, and running it as somebody does who copies the line. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Workspace } from "../../tools/engine/workspace";

const COMMAND = join(__dirname, "../../dist/cli/main.js");
const LINE = /^ *npx --no compute-endpoint (approve .*[0-9a-f]{32}(?:=\S+)?)$/m;

/** "approve --stack dev …"; an error where a text has no line of its own with it. */
export function printedIn(text: string): string {
  const command = LINE.exec(text)?.[1];
  if (command === undefined) throw new Error(`no command that approves in:\n${text}`);
  return command;
}

export const digestsIn = (command: string): string[] => command.match(/\b[0-9a-f]{32}\b/g) ?? [];

/** In the program's folder. `npx` itself, which takes a second, is in the tests of the package. */
export async function runPrinted(ws: Pick<Workspace, "programFolder" | "env">, command: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, ...command.split(" ")], {
    cwd: ws.programFolder,
    env: ws.env,
  });
  return stdout;
}
