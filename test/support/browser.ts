/**
 * For tests in a real browser. Only a browser knows what a page of another site may do:
 *
 *     describeWithBrowser("a page of another site", (browser) => { test("…", async () => { … }); });
 */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { afterAll, describe, test } from "vitest";

export type { Browser, BrowserContext, Page } from "playwright-core";

/** A foreign host name that resolves to this machine, as in DNS rebinding. */
export const REBOUND = "evil.example";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

function onPath(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

let launched: Promise<Browser | undefined> | undefined;

/** The browser. If there is none: an error in CI, elsewhere a loud message and undefined. */
function requireBrowser(): Promise<Browser | undefined> {
  const path = onPath();
  launched ??= chromium
    .launch({
      // If PATH has none, playwright looks where the installers of Chrome put it.
      ...(path === undefined ? { channel: "chrome" } : { executablePath: path }),
      args: [`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`],
    })
    .catch((error: Error) => {
      const reason = `Chromium or Chrome is needed on PATH (Debian: apt-get install chromium). ${error.message}`;
      if (process.env["CI"]) throw new Error(reason, { cause: error });
      const line = "!".repeat(100);
      process.stderr.write(`\n${line}\nSKIPPED: everything that needs a real browser. ${reason}\n${line}\n\n`);
      return undefined;
    });
  return launched;
}

/** `describe` for tests that need a browser: skipped, or failing in CI, where there is none. */
export function describeWithBrowser(name: string, body: (browser: Browser) => void): void {
  describe(name, async () => {
    const browser = await requireBrowser();
    if (!browser) {
      test.skip("needs a browser, and none can be had here", () => {});
      return;
    }
    afterAll(() => browser.close());
    body(browser);
  });
}
