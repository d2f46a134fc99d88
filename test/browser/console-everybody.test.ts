/** The emulator's console page, with the keyboard, a screen reader, in dark and light, on a phone. */
import { describe, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { describeWithBrowser } from "../support/browser.js";
import { compute, consoleOf, expectAccessible } from "./console-page.js";

const PRIMARY = SEED.primaryId;
const PROJECT = `/projects/${SEED.projectId}`;

describeWithBrowser("the console page for everybody", (browser) => {
  const it = consoleOf(browser);

  describe("is for everybody", () => {
    const AXE_CASES: [name: string, options: Parameters<typeof it.open>[0]][] = [
      ["in light", { colorScheme: "light" }],
      ["in dark", { colorScheme: "dark" }],
      ["on a phone", { viewport: { width: 360, height: 740 } }],
    ];
    test.each(AXE_CASES)("without a violation of axe-core, %s", async (_name, options) => {
      it.em.world.operations.push(
        ...["finished", "failed", "cancelled"].map((status, n) => it.operationOf({ status }, 9 - n)),
      );
      await it.call("POST", `${PROJECT}/endpoints/${PRIMARY}/restart`);
      await it.call("PATCH", `${PROJECT}/endpoints/${PRIMARY}`, { endpoint: { name: "x" } });
      await it.open(options);
      await it.press("Start");
      await expect.poll(it.notice).toContain("423");
      await expectAccessible(it.page);
      for (const name of ["Operations", "Timeline", "By hand", "Computes"]) {
        const part = it.page.getByRole("navigation").getByRole("button", { name });
        if ((await part.count()) === 0) continue;
        await part.click();
        expect(await it.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
        await expectAccessible(it.page);
      }
      await it.press("Resize…");
      await expectAccessible(it.page);
    });

    test("works with the keyboard alone", async () => {
      await it.open();
      const focused = () => it.page.evaluate<string>(FOCUSED);
      const reached: string[] = [];
      for (let count = 0; count < 40; count++) {
        await it.page.keyboard.press("Tab");
        const name = await focused();
        if (name === "" || name === reached[0]) break;
        reached.push(name);
      }
      expect(reached).toEqual([
        ...["Project", "List of computes", "Copy host", "Start", "Suspend", "Restart", "Resize…", "Rename…", "Delete…"],
        ...["Newer operations", "Older operations", "Start clock", "Advance by", "Advance", "Lock for", "Lock"],
        ...["Which operation", "How it ends", "Set", "Clear", "Show", "Clear", "Requests and operations"],
      ]);
      await compute(it.page, PRIMARY).getByRole("button", { name: "Rename…" }).focus();
      await it.page.keyboard.press("Enter");
      await expect.poll(focused).toBe("Name");
      await it.page.keyboard.press("Escape");
      await expect.poll(focused).toBe("Rename…");
      await it.page.keyboard.press("Space");
      await expect.poll(focused).toBe("Name");
      await it.page.keyboard.type("by keys");
      await it.page.keyboard.press("Enter");
      await expect.poll(it.card).toContain("by keys");
    });

    test("keeps a dialog open that is opened before the browser tells that the last one was closed", async () => {
      await it.open();
      await it.press("Rename…");
      await it.page.evaluate(CLOSE_AND_OPEN);
      await it.page.waitForTimeout(200); // The browser has told by now.
      expect(await it.page.getByRole("dialog").count()).toBe(1);
      await it.page.keyboard.press("Escape");
      await expect.poll(() => it.page.getByRole("dialog").count()).toBe(0);
    });

    test("says to a screen reader what changes at a compute", async () => {
      await it.open();
      await it.call("POST", `${PROJECT}/endpoints/${PRIMARY}/restart`);
      const said = (text: string) => it.page.getByRole("status").filter({ hasText: text }).count();
      await expect.poll(() => said(`Primary, read-write ${PRIMARY}: Active, restarting`)).toBe(1);
      it.settle();
      await expect.poll(() => said(`Primary, read-write ${PRIMARY}: Active`)).toBe(1);
    });

    test("says of no compute that it was deleted or is new because the person chooses another project", async () => {
      await it.open();
      await it.page.evaluate(RECORD_SAID);
      const { projectId, branchId } = SEED.second;
      await it.page.getByLabel("Project").selectOption(projectId);
      await expect.poll(() => compute(it.page, PRIMARY).count()).toBe(0);
      await it.call("POST", `/projects/${projectId}/endpoints`, {
        endpoint: { type: "read_write", branch_id: branchId },
      });
      const said = () => it.page.evaluate<string[]>("said");
      await expect.poll(said).toContainEqual(expect.stringContaining("Primary, read-write"));
      await it.page.getByLabel("Project").selectOption(SEED.projectId);
      await compute(it.page, PRIMARY).waitFor();
      await it.call("POST", `${PROJECT}/endpoints/${PRIMARY}/restart`);
      await expect.poll(said).toContainEqual(expect.stringContaining("restarting"));
      expect((await said()).filter((text) => /deleted|Active$/.test(text))).toEqual([]);
    });

    test.each([
      ["in a window", {}],
      ["on a phone", { viewport: { width: 360, height: 740 } }],
    ])("moves nothing while it updates, %s", async (_where, options) => {
      await it.open(options);
      await it.page.waitForTimeout(500); // What the first answer brought is there.
      await it.page.evaluate(COUNT_SHIFTS);
      await it.call("GET", `${PROJECT}/endpoints`);
      for (let count = 0; count < 3; count++) {
        await it.call("PATCH", `${PROJECT}/endpoints/${PRIMARY}`, {
          endpoint: { autoscaling_limit_max_cu: 1 + count },
        });
        await it.call("POST", `${PROJECT}/endpoints/${PRIMARY}/restart`);
        await expect.poll(it.card).toContain("restarting");
        it.settle();
        await expect.poll(it.card).not.toContain("restarting");
      }
      await it.call("POST", `${PROJECT}/endpoints`, { endpoint: { type: "read_only", branch_id: SEED.branches.main } });
      await expect.poll(() => it.page.locator("article").count()).toBe(2);
      expect(await it.page.evaluate("shifts")).toEqual([]);
    });
  });
});

/** Where the focus is, by the name that a screen reader says. */
const FOCUSED = `(() => {
  const { activeElement: one } = document;
  if (one === document.body) return "";
  return one.ariaLabel ?? (one.labels?.[0]?.innerText || one.innerText).split("\\n")[0].trim();
})()`;

/** Closes the dialog and opens it again at once, before its `close` event. */
const CLOSE_AND_OPEN = `{
  document.querySelector("dialog").close();
  [...document.querySelectorAll("button")].find((one) => one.innerText === "Rename…").click();
}`;

/** Each text that the page says to a screen reader about computes. */
const RECORD_SAID = `globalThis.said = []; new MutationObserver(() => {
  const text = document.querySelector("main .unseen[role=status]")?.innerText ?? "";
  if (text !== "" && text !== said.at(-1)) said.push(text);
}).observe(document.querySelector("main"), { subtree: true, childList: true, characterData: true });`;

const COUNT_SHIFTS = `globalThis.shifts = []; new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries())
    shifts.push(value + " " + sources.map(({ node }) => node?.outerHTML ?? node?.textContent).join(", ").slice(0, 300));
}).observe({ type: "layout-shift" });`;
