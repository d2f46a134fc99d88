import { spawn } from "node:child_process";

/** What opens an address in the person's browser, by platform. */
const OPENERS: Partial<Record<NodeJS.Platform, [command: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
const FREE_DESKTOP: [string] = ["xdg-open"];
/** Milliseconds in which a command that can't open anything has usually ended. */
const SOON_MS = 2000;

/**
 * Opens an address in a browser: with the command of the variable BROWSER, else with that of the platform. The browser outlives
 * this process.
 * @returns why it did not open, or undefined
 */
export function openBrowser(address: string, env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const chosen = env["BROWSER"]?.trim();
  const [command, ...args] = chosen ? ([chosen] as const) : (OPENERS[process.platform] ?? FREE_DESKTOP);
  return new Promise((resolve) => {
    const child = spawn(command, [...args, address], { env, detached: true, stdio: "ignore" });
    const timer = setTimeout(() => resolve(undefined), SOON_MS);
    child.once("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve(error.code === "ENOENT" ? `there is no command ${command}` : error.message);
    });
    child.once("exit", (code) => {
      clearTimeout(timer);
      resolve(code === 0 || code === null ? undefined : `${command} ended with exit code ${code}`);
    });
    child.unref();
  });
}
