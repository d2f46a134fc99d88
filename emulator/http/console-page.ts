import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { PAGE_HEADERS, withSecurityHeaders } from "./security-headers.js";

/**
 * The files of the console page, as the build wrote them. They are not part of the API: no fault changes them, no record has them.
 */

const FILES: Record<string, { name: string; type: string }> = {
  "/": { name: "index.html", type: "text/html; charset=utf-8" },
  "/console/console.js": { name: "console.js", type: "text/javascript; charset=utf-8" },
  "/console/console.css": { name: "console.css", type: "text/css; charset=utf-8" },
  "/console/icon.svg": { name: "icon.svg", type: "image/svg+xml" },
};

interface PageFile {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The file of the console page at this path, or undefined. Only the page itself may run its script. */
export async function consolePage(path: string): Promise<PageFile | undefined> {
  const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  if (!file) return undefined;
  try {
    const headers = { "content-type": file.type };
    const body = await readFile(join(folder(), file.name), "utf8");
    return {
      status: 200,
      headers: path === "/" ? { ...headers, ...PAGE_HEADERS } : withSecurityHeaders(headers),
      body,
    };
  } catch (error) {
    const body = `The emulator runs, but its console page can't be read: ${(error as Error).message}\n`;
    return { status: 500, headers: withSecurityHeaders({ "content-type": "text/plain; charset=utf-8" }), body };
  }
}

/** The sources run in tests too, and the built page is in the package in either case. */
const folder = () => join(dirname(require.resolve("pulumi-compute-endpoint/package.json")), "dist/emulator/console");
