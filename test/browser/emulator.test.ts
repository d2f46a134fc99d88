/** What a page of another site can do to an emulator that runs on the developer's machine: nothing. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RunningEmulator, SEED, startEmulator, type World } from "../../emulator/index.js";
import { type BrowserContext, describeWithBrowser, type Page, REBOUND } from "../support/browser.js";
import { ATTACKS, OPENS, OWN_PAGE } from "./attacks.js";

const DELETES = `fetch("/_emulator/endpoints/${SEED.primaryId}", { method: "DELETE" });`;
const PAGE = `<!doctype html><title>quiet</title><script>document.title = "ran"; ${DELETES}</script>`;
const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg"><script>${DELETES}</script></svg>`;
const FAULT = JSON.stringify({ match: {}, times: 100, then: { status: 200, body: PAGE } });
/** Milliseconds after which a script of a page would have run and its request arrived. */
const SOON_MS = 200;

const BLANK = { contentType: "text/html", body: "<!doctype html><title>theirs</title><body>" };

describeWithBrowser("a page of another site", (browser) => {
  let em: RunningEmulator;
  let attacker: Server;
  let context: BrowserContext;
  let page: Page;
  let before: World;
  /** Method and path of what came to the attacker's own server. */
  let arrived: string[] = [];

  beforeEach(async () => {
    em = await startEmulator({ time: "virtual" });
    attacker = createServer((request, response) => {
      arrived.push(`${request.method} ${request.url}`);
      response.setHeader("content-type", BLANK.contentType);
      response.end(BLANK.body);
    });
    await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
    context = await browser.newContext();
    page = await context.newPage();
    before = structuredClone(em.world);
  });
  afterEach(async () => {
    await context.close();
    await em.close();
    attacker.closeAllConnections();
    await new Promise((resolve) => attacker.close(resolve));
  });

  /** @param args names and values; what the script gives has to be JSON */
  const run = <T>(script: string, args: Record<string, string> = {}): Promise<T> =>
    page.evaluate(
      `(async (${Object.keys(args)}) => {${script}})(${Object.values(args).map((one) => JSON.stringify(one))})`,
    );
  const faults = async () => {
    const answer = await em.handle({ method: "GET", path: "/_emulator/faults", headers: {} });
    return "body" in answer ? JSON.parse(answer.body) : undefined;
  };
  const attack = (script: string, target: string) => run<string>(script, { target, fault: FAULT }).catch(() => "");
  const theirs = (host: string) => `http://${host}:${(attacker.address() as AddressInfo).port}/`;
  const port = () => new URL(em.origin).port;
  /** Their page at an address with the emulator's port: its name led to their server, and leads here by now. */
  async function rebound(): Promise<string> {
    const address = `http://${REBOUND}:${port()}/`;
    await page.route(address, (route) => route.fulfill(BLANK));
    return address;
  }

  const PLACES: [string, () => string | Promise<string>, () => string][] = [
    ["on another port of this address", () => theirs("127.0.0.1"), () => em.origin],
    ["under another name of this machine", () => theirs("localhost"), () => em.origin],
    ["of another host", () => theirs(REBOUND), () => em.origin],
    ["under a name that leads here by now", () => rebound(), () => `http://${REBOUND}:${port()}`],
  ];

  test("sends all this, and a server without a gate takes it", async () => {
    for (const [way, script] of Object.entries(ATTACKS)) {
      await page.goto(theirs("localhost"));
      arrived = [];
      await attack(script, theirs("127.0.0.1").slice(0, -1));
      await expect
        .poll(() => arrived, { message: way })
        .toContainEqual(expect.stringMatching(/^\w+ \/(_emulator\/|api\/|console\/|$)/));
    }
  });

  for (const [where, address, target] of PLACES) {
    test(`${where} reads nothing and changes nothing`, async () => {
      const opened = await address();
      for (const [way, script] of Object.entries(ATTACKS)) {
        await page.goto(opened);
        const read = await attack(script, target());
        // A name that leads here makes it one origin to the browser, so there the refusal itself can be read.
        if (read !== "") expect(JSON.parse(read).message, way).toMatch(/^the emulator refuses Host "/);
        await page.waitForTimeout(SOON_MS);
        expect([await faults(), em.world, em.requests], way).toEqual([[], before, []]);
      }
    });

    test.each([
      ["a page", { body: PAGE }],
      ["a drawing", { body: DRAWING, headers: { "content-type": "image/svg+xml" } }],
    ])(`${where} gets no script run with an answer that is %s`, async (_kind, then) => {
      em.faults.add({ match: {}, times: 100, then: { status: 200, ...then } });
      await page.goto(await address());
      const opened = `${target()}/api/v2/projects`;
      await Promise.all([page.waitForURL(opened), run(OPENS, { address: opened })]);
      await page.waitForTimeout(SOON_MS);
      expect(await page.title()).not.toBe("ran");
      expect(em.world).toEqual(before);
      expect(em.requests).toEqual([]);
    });
  }

  test.each([
    ["a page", { body: PAGE }],
    ["a drawing", { body: DRAWING, headers: { "content-type": "image/svg+xml" } }],
  ])("is not what a person opens by its address: %s is shown, and its script does not run", async (_kind, then) => {
    em.faults.add({ match: {}, times: 100, then: { status: 200, ...then } });
    const answer = await page.goto(`${em.origin}/api/v2/projects`);
    expect([answer?.status(), await answer?.text()]).toEqual([200, then.body]);
    await page.waitForTimeout(SOON_MS);
    expect(await page.title()).not.toBe("ran");
    expect(em.world).toEqual(before);
  });

  test("is not one of the emulator's own, which can ask for everything", async () => {
    const address = `${em.origin}/`;
    await page.route(address, (route) => route.fulfill(BLANK));
    await page.goto(address);
    expect(await run(OWN_PAGE)).toEqual({ world: before, status: 204 });
    expect(await faults()).toHaveLength(1);
  });
});
