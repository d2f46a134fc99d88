/** The console page during a real `pulumi up`, and the picture of it in the docs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { type Story, startStory } from "../engine/support";
import { type Browser, describeWithBrowser, type Page } from "../support/browser.js";
import { describeWithEngine, ENGINE_TEST_MS } from "../support/engine";
import {
  byHand,
  type ConsolePage,
  compute,
  expectAccessible,
  openConsole,
  operationRows,
  story,
  textOf,
  timeline,
} from "./console-page.js";

const PRIMARY = SEED.primaryId;
const PICTURE = join(__dirname, "../../docs/console.webp");
/** Set it to write the picture anew. Otherwise the test only checks that the page shows what the picture shows. */
const WRITES_PICTURE = process.env["COMPUTE_ENDPOINT_WRITE_PICTURE"] === "1";

const PROGRAM = `
const primary = new Endpoint("primary", {
  projectId, branchId, adopt: true, autoscalingLimitMinCu: 1, autoscalingLimitMaxCu: 2,
  restartTriggers: ["first"],
});
new Endpoint("reports", { projectId, branchId, type: "read_only", name: "reports", size: 0.5 }, { dependsOn: primary });`;

describeWithEngine("a real pulumi up", (engine) => {
  describeWithBrowser("is told by the console page", (browser) => {
    let run: Story;
    let shown: ConsolePage;
    let page: Page;

    beforeAll(async () => {
      run = await startStory(engine, { program: PROGRAM, operationMs: 1500 });
      shown = await openConsole(browser, run.em, { viewport: { width: 1280, height: 860 } });
      page = shown.page;
    }, ENGINE_TEST_MS);
    afterAll(async () => {
      await shown?.context.close();
      await run?.close();
    });

    const PATCHED = expect.stringMatching(/ PATCH \/endpoints\/ep-amber\S+ 200 /);
    const APPLIED = expect.stringMatching(/ Apply config Primary ep-amber\S+ OK/);
    const CREATED = expect.stringMatching(/ POST \/endpoints 201 /);
    const STARTED = expect.stringMatching(/ Start compute Read replica ep-\S+ OK/);

    test(
      "live: what it asks, and what the service does",
      async () => {
        const seen = new Set<string>();
        const up = run.ws.up({ args: ["--skip-preview"] }).finally(() => seen.add("the end"));
        while (!seen.has("the end")) {
          for (const text of (await textOf(compute(page, PRIMARY))).split("\n")) seen.add(text);
          for (const [name, , , status] of await operationRows(page)) seen.add(`${name}: ${status}`);
        }
        await up;
        expect([...seen]).toEqual(
          expect.arrayContaining(["restarting", "Apply config: In progress", "Apply config: OK", "1 to 2 CU"]),
        );
        await expect.poll(() => story(page)).toEqual(expect.arrayContaining([PATCHED, APPLIED, CREATED, STARTED]));
        const entries = await story(page);
        const places = [PATCHED, APPLIED, CREATED, STARTED].map((one) =>
          entries.findIndex((entry) => one.asymmetricMatch(entry)),
        );
        expect(places).toEqual([...places].sort((a, b) => a - b));
        await expect.poll(() => page.getByRole("article").count()).toBe(2);
      },
      ENGINE_TEST_MS,
    );

    test(
      "a restart in progress, as in the picture of the docs, which ends when the person lets the clock go on",
      async () => {
        await run.ws.edit("index.js", (text) => text.replace('"first"', '"second"'));
        await byHand(page).getByRole("button", { name: "Stop clock" }).click();
        await expect.poll(() => run.em.clock.mode).toBe("virtual");
        const up = run.ws.up({ args: ["--skip-preview"] });
        up.catch(() => {}); // If an expectation fails before, the command is killed.
        const card = () => textOf(compute(page, PRIMARY));
        await expect.poll(card, { timeout: 60_000 }).toContain("restarting");
        run.em.clock.advance(600);
        expect(await renamedByAColleague()).toBe(423);
        await expect
          .poll(async () => (await operationRows(page)).slice(0, 2).map(([name, , , status]) => [name, status]))
          .toEqual([
            ["Start compute", "Scheduling"],
            ["Suspend compute", "In progress"],
          ]);
        await expect
          .poll(() => story(page))
          .toEqual(
            expect.arrayContaining([
              expect.stringMatching(/ POST \/endpoints\/ep-amber\S+\/restart 200$/),
              expect.stringMatching(/ PATCH \/endpoints\/ep-amber\S+ 423 project already has running conflicting/),
            ]),
          );
        expect(await card()).toMatch(/Primary, read-write[\s\S]*Active[\s\S]*restarting/);
        // A success goes by itself.
        await expect.poll(() => page.getByRole("button", { name: "Dismiss" }).count()).toBe(0);
        await page.mouse.move(0, 0);
        if (WRITES_PICTURE) writeFileSync(PICTURE, await pictureOf(browser, page));
        await expectAccessible(page);

        await byHand(page).getByRole("button", { name: "Start clock" }).click();
        await up;
        await expect.poll(card).not.toContain("restarting");
        expect((await operationRows(page)).slice(0, 2).map(([name, , , status]) => [name, status])).toEqual([
          ["Start compute", "OK"],
          ["Suspend compute", "OK"],
        ]);
        expect(await textOf(timeline(page).locator(".refused"))).toContain("423");
        expect(shown.errors).toEqual([]);
      },
      ENGINE_TEST_MS,
    );

    const renamedByAColleague = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${run.em.apiKey}`, "content-type": "application/json" };
      const body = JSON.stringify({ endpoint: { name: "main-db" } });
      const address = `${run.em.url}/projects/${SEED.projectId}/endpoints/${PRIMARY}`;
      return (await fetch(address, { method: "PATCH", headers, body })).status;
    };
  });
});

/** As WebP, which takes a fifth of a PNG's bytes. The browser converts it, on an empty page without a policy. */
async function pictureOf(browser: Browser, page: Page): Promise<Buffer> {
  const png = (await page.screenshot()).toString("base64");
  const empty = await browser.newPage();
  const webp = await empty.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${png}";
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.75).split(",")[1];
  })()`);
  await empty.close();
  return Buffer.from(webp, "base64");
}
