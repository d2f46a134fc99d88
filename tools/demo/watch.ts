/** `npm run demo -- --watch`: the emulator's console page in a browser beside the story, and a key to begin and to end. */
import { openBrowser } from "../../cli/open-browser";
import type { Page } from "./page";

/** Where keys come from: the process's input. */
export interface Keys {
  isTTY?: boolean;
  /** Whether the end has been read. Then no event follows. */
  readableEnded?: boolean;
  setRawMode?(isRaw: boolean): unknown;
  once(event: "data" | "end", listener: (chunk?: unknown) => void): unknown;
  off(event: "data" | "end", listener: (chunk?: unknown) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** What a terminal in raw mode sends for Ctrl-C. */
const CTRL_C = "\u0003";

/** Opens the page, and waits until the person has it in view. */
export async function beginWatching(page: Page, address: string, keys: Keys = process.stdin): Promise<void> {
  page.text(`The service has a page, which shows what happens there: ${address}`);
  const reason = await openBrowser(address);
  if (reason !== undefined) page.note(`No browser was opened, ${reason}: open the address yourself.`);
  page.note("Put the browser beside this window, and press a key to begin.");
  await keyPressed(keys);
}

/** Lets the person look around before the emulator ends. */
export async function endWatching(page: Page, address: string, keys: Keys = process.stdin): Promise<void> {
  page.note(`The story is over. The service and its page, ${address}, stay until you press a key.`);
  await keyPressed(keys);
}

/** Waits for a key, or for the end of the input where there is no terminal. Ctrl-C ends the demo as always. */
export function keyPressed(
  keys: Keys,
  interrupt: () => unknown = () => process.kill(process.pid, "SIGINT"),
): Promise<void> {
  if (keys.readableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    if (keys.isTTY) keys.setRawMode?.(true);
    const done = (chunk?: unknown) => {
      keys.off("data", done);
      keys.off("end", done);
      if (keys.isTTY) keys.setRawMode?.(false);
      keys.pause();
      if (String(chunk) === CTRL_C) interrupt();
      else resolve();
    };
    keys.once("data", done);
    keys.once("end", done);
    keys.resume();
  });
}
