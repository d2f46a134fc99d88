/** A service that repeats what it was asked: no step prints or keeps a value that the program calls secret. */
import { describe, expect, test } from "vitest";
import { CallFailed, hint, type Props } from "./shim";
import { BRANCH, PROJECT, type Rig, rig } from "./support";

const TOKEN = 'token "of"\n  the\tapp \\ 17';
const TIMEOUT = 4321;
const program = (more: Props = {}): Props => ({
  projectId: PROJECT,
  branchId: BRANCH,
  size: 1,
  suspendTimeoutSeconds: TIMEOUT,
  settings: { pgSettings: { "app.token": TOKEN } },
  __autoName: hint("main"),
  __secret: ["projectId", "settings", "suspendTimeoutSeconds"],
  ...more,
});
const state = (): Props => {
  const { __autoName: _, ...outputs } = program();
  return { ...outputs, adopted: false, managed: ["branchId", "size", "suspendTimeoutSeconds", "settings"] };
};

const oneLine = TOKEN.replace(/\s+/g, " ");
const WORDS = `of project ${PROJECT}: suspend_timeout_seconds ${TIMEOUT} and ${TOKEN} and ${JSON.stringify(TOKEN)} and ${oneLine} and ${encodeURIComponent(TOKEN)}`;
const REPLIES = [
  ["in its message", { status: 404, body: { code: "", message: WORDS } }],
  ["in a page", { status: 400, body: `<html><body>${WORDS}</body></html>` }],
  ["at the place of the cut", { status: 400, body: { code: "", message: `${"-".repeat(1010)} ${TOKEN}` } }],
  ["at the place of the cut, in JSON", { status: 400, body: { error: `${"-".repeat(980)} ${TOKEN}` } }],
] as const;

const STEPS: [string, ({ shim }: Rig) => Promise<unknown>][] = [
  ["create", ({ shim }) => shim.create(program())],
  ["read", ({ shim }) => shim.read("ep-nobody-knows-123456", state())],
  ["update", ({ shim }) => shim.update("ep-nobody-knows-123456", state(), program({ size: 2 }))],
  ["delete", ({ shim }) => shim.delete("ep-nobody-knows-123456", state())],
];

describe.each(STEPS)("%s", (_name, step) => {
  test("shows no secret of a service that repeats it", async () => {
    for (const [where, then] of REPLIES) {
      const own = await rig();
      own.emulator.faults.add({ match: {}, times: 1000, then });
      const error = await step(own).then(
        () => new Error("it was to fail"),
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof CallFailed)) throw error;
      // An id is made of random digits, and so is the port.
      const shown = [error.message, ...(error.kept?.reasons ?? []), own.shim.said, own.shim.output.stderr]
        .join("\n")
        .replace(/request id [\w-]+/g, "request id")
        .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1");
      expect(shown, where).toMatch(/\[secr?e?t?/);
      expect(shown, where).not.toContain(PROJECT);
      expect(shown, where).not.toMatch(/4321|token|the\b.{1,8}app|of\\?"/);
    }
  });
});
