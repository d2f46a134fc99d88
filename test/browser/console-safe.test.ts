/** The console page keeps what the emulator promises: other sites get nothing, and no name or value runs as a script. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { type EndpointRow, type RunningEmulator, SEED, startEmulator } from "../../emulator/index.js";
import { describeWithBrowser, REBOUND } from "../support/browser.js";
import { byHand, type ConsolePage, compute, openConsole, operations, textOf, timeline } from "./console-page.js";

const PRIMARY = SEED.primaryId;
const PROJECT = `/projects/${SEED.projectId}`;
const FILES = ["/", "/console/console.js", "/console/console.css", "/console/icon.svg"];
/** Each would run or load something if it were read as HTML, an attribute or an address. */
const MARKUP = [
  `<img src=x onerror="document.title='ran'">`,
  `<script>document.title='ran'</script>`,
  `"><svg onload="document.title='ran'">`,
  `javascript:document.title='ran'`,
  `</title></textarea><iframe srcdoc="x">`,
];
const RTL = "\u202Egnihtyna";

describeWithBrowser("the safety of the console page", (browser) => {
  let em: RunningEmulator;
  let shown: ConsolePage | undefined;
  beforeEach(async () => {
    em = await startEmulator({ time: "virtual" });
  });
  afterEach(async () => {
    await shown?.context.close();
    shown = undefined;
    await em.close();
  });
  const primary = () => em.world.endpoints[PRIMARY] as EndpointRow;

  test("it has a strict policy, and no style or script in itself", async () => {
    const answer = await fetch(`${em.origin}/`);
    const policy = new Map((answer.headers.get("content-security-policy") ?? "").split("; ").map(directive));
    expect(Object.fromEntries(policy)).toEqual({
      "default-src": "'none'",
      "script-src": "'self'",
      "style-src": "'self'",
      "img-src": "'self'",
      "connect-src": "'self'",
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "'none'",
      "require-trusted-types-for": "'script'",
      "trusted-types": "'none'",
    });
    const { headers } = answer;
    expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(await answer.text()).not.toMatch(/<script>|<style|\son\w+=|\sstyle=/);
    for (const path of FILES) {
      const { status, headers: given } = await fetch(em.origin + path);
      expect([status, given.get("x-content-type-options"), given.get("x-frame-options")]).toEqual([
        200,
        "nosniff",
        "DENY",
      ]);
      expect(given.get("cross-origin-resource-policy")).toBe("same-origin");
      if (path !== "/") expect(given.get("content-security-policy")).toMatch(/^sandbox;/);
    }
  });

  test("the browser keeps the policy: no script in a text, no other site, no HTML from a text", async () => {
    shown = await openConsole(browser, em);
    const run = <T>(script: string) => (shown as ConsolePage).page.evaluate<T>(`(async () => {${script}})()`);
    expect(
      await run(`
      document.body.append(Object.assign(document.createElement("script"), { textContent: "" }));
    `).catch((error: Error) => error.message),
    ).toMatch(/TrustedScript/);
    expect(await run(`document.body.innerHTML = "<b>x</b>"`).catch((error: Error) => error.message)).toMatch(
      /TrustedHTML/,
    );
    expect(await run<string>(`return fetch("http://${REBOUND}/").then(() => "sent", () => "refused")`)).toBe("refused");
    expect(
      await run<string>(`return new Promise((resolve) => {
      const image = new Image();
      image.onload = () => resolve("loaded");
      image.onerror = () => resolve("refused");
      image.src = "http://${REBOUND}:${new URL(em.origin).port}/console/icon.svg";
    })`),
    ).toBe("refused");
  });

  test.each(FILES)(
    "%s is refused under a name that leads here (DNS rebinding), and to a page of another site",
    async (path) => {
      const { port } = new URL(em.origin);
      shown = { context: await browser.newContext() } as ConsolePage;
      const page = await shown.context.newPage();
      const rebound = await page.goto(`http://${REBOUND}:${port}${path}`);
      expect([rebound?.status(), await rebound?.text()]).toEqual([
        403,
        expect.stringContaining(`refuses Host \\"${REBOUND}`),
      ]);
      const others: Record<string, string>[] = [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { origin: "null" },
      ];
      for (const headers of others) {
        expect((await fetch(em.origin + path, { headers })).status).toBe(403);
      }
    },
  );

  test("no fault changes it, no record has it, and other methods do not get it", async () => {
    em.faults.add({ match: {}, times: 100, then: { status: 200, body: "<script>document.title='ran'</script>" } });
    expect(await (await fetch(`${em.origin}/`)).text()).toContain("<title>Compute emulator</title>");
    expect(em.requests).toEqual([]);
    em.faults.clear();
    expect((await fetch(`${em.origin}/`, { method: "POST" })).status).toBe(401);
    expect((await fetch(`${em.origin}/`, { method: "HEAD" })).status).toBe(200);
    expect((await fetch(`${em.origin}/console/../console/main.tsx`)).status).toBe(401);
    expect((await fetch(`${em.origin}/console/..%2f..%2fpackage.json`)).status).toBe(401);
  });

  test("names and values are texts, whatever is in them", async () => {
    const text = MARKUP.join(" ");
    const [project, branch] = [em.world.projects[SEED.projectId]!, em.world.branches[SEED.branches.main]!];
    project.name = branch.name = text;
    Object.assign(primary(), { name: text, host: text, region_id: text });
    em.faults.add({ match: {}, then: { status: 502, body: text } });
    for (const action of MARKUP) em.faults.add({ operation: { action, then: "never" } });
    const headers = { authorization: `Bearer ${em.apiKey}`, "content-type": "application/json" };
    await fetch(`${em.url}${PROJECT}/endpoints?${text}`, { headers });
    await fetch(`${em.url}${PROJECT}/endpoints/${encodeURIComponent(text)}`, {
      method: "PATCH",
      headers,
      body: JSON.stringify(text),
    });
    em.startOperation({ projectId: SEED.projectId, action: text });
    em.world.operations.push({
      ...em.world.operations[0]!,
      id: "00000000-0000-4000-8000-000000000001",
      status: text,
      error: text,
      created_at: "2030-01-01T00:00:00.000000Z",
    });
    em.faults.add({ match: { path: text }, then: { status: 500 } });
    shown = await openConsole(browser, em);
    const { page, errors, asked } = shown;
    await expect.poll(() => textOf(compute(page, PRIMARY))).toContain(text);
    expect(await textOf(operations(page))).toContain(text.slice(1, 40));
    expect(await textOf(timeline(page))).toContain(text);
    expect(await textOf(byHand(page))).toContain("onerror");
    await compute(page, PRIMARY).getByRole("button", { name: "Rename…" }).click();
    expect(await page.getByRole("dialog").getByLabel("Name").inputValue()).toBe(text);
    await page.keyboard.press("Escape");
    expect([await page.title(), errors]).toEqual(["Compute emulator", []]);
    expect(asked.filter((url) => !url.startsWith(`${em.origin}/`) || /\/x$/.test(url))).toEqual([]);
    expect(await page.locator("iframe, script:not([src]), svg, img").count()).toBe(0);
  });

  test("a name that turns the direction of writing turns only itself", async () => {
    primary().name = RTL;
    shown = await openConsole(browser, em);
    await expect.poll(() => shown?.page.locator("bdi", { hasText: RTL }).count()).toBe(1);
  });
});

function directive(text: string): [string, string] {
  const [name = "", ...values] = text.split(" ");
  return [name, values.join(" ")];
}
