/** The emulator's console page: what each button does. */
import { beforeEach, describe, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { describeWithBrowser } from "../support/browser.js";
import { byHand, compute, consoleOf, textOf } from "./console-page.js";

const PRIMARY = SEED.primaryId;
const PROJECT = `/projects/${SEED.projectId}`;

describeWithBrowser("the buttons of the console page", (browser) => {
  const it = consoleOf(browser);

  describe("has buttons for a compute", () => {
    beforeEach(() => it.open());

    test("suspend, start and restart it", async () => {
      await it.press("Suspend");
      await expect.poll(it.notice).toContain(`Suspend ${PRIMARY}: done`);
      it.settle();
      await expect.poll(it.card).toContain("Idle");
      await it.press("Start");
      await expect.poll(it.card).toContain("starting");
      it.settle();
      await expect.poll(it.card).toContain("Active");
      await it.press("Restart");
      await expect.poll(it.card).toContain("restarting");
      expect(it.lastOperations()).toEqual([
        "suspend_compute finished",
        "start_compute finished",
        "suspend_compute running",
        "start_compute scheduling",
      ]);
    });

    test("show the words of a refusal until they are dismissed", async () => {
      await it.press("Restart");
      await it.press("Suspend");
      await expect.poll(it.notice).toContain(`Suspend ${PRIMARY}: 423: endpoint is in some transitive state`);
      await it.page.getByRole("button", { name: "Dismiss" }).click();
      await expect.poll(it.notice).toBe("");
    });

    test("resize it, after the emulator has accepted the sizes", async () => {
      await it.press("Resize…");
      const dialog = it.page.getByRole("dialog", { name: "Resize the compute" });
      await dialog.getByLabel("Minimum").fill("1");
      await dialog.getByLabel("Maximum").fill("60");
      await dialog.getByRole("button", { name: "Resize" }).click();
      await expect.poll(() => textOf(dialog.getByRole("alert"))).toMatch(/^400: /);
      await dialog.getByLabel("Maximum").fill("4");
      await dialog.getByRole("button", { name: "Resize" }).click();
      await expect.poll(() => dialog.count()).toBe(0);
      await expect.poll(it.card).toContain("1 to 4 CU");
      expect(await it.card()).toContain("restarting");
      expect(it.lastOperations()).toEqual(["apply_config running"]);
    });

    test("rename it, or leave it", async () => {
      await it.press("Rename…");
      const dialog = it.page.getByRole("dialog", { name: "Rename the compute" });
      await dialog.getByLabel("Name").fill("reports");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await expect.poll(() => dialog.count()).toBe(0);
      expect(it.primary().name).toBeUndefined();
      await it.press("Rename…");
      await dialog.getByLabel("Name").fill("reports");
      await dialog.getByLabel("Name").press("Enter");
      await expect.poll(it.card).toContain("reports");
    });

    test("delete it, after a question", async () => {
      await it.press("Delete…");
      await it.page
        .getByRole("dialog", { name: `Delete ${PRIMARY}?` })
        .getByRole("button", { name: "Delete" })
        .click();
      await expect.poll(() => it.page.getByRole("article").count()).toBe(0);
      expect(await it.page.getByText("This project has no compute.").count()).toBe(1);
      expect(it.primary()).toBeUndefined();
    });

    test("copy its host", async () => {
      await it.shown.context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await compute(it.page, PRIMARY).getByRole("button", { name: "Copy host" }).click();
      await expect.poll(it.card).toContain("Copied");
      expect(await it.page.evaluate("navigator.clipboard.readText()")).toBe(it.primary().host);
    });
  });

  describe("has buttons for the emulator", () => {
    beforeEach(() => it.open());
    const button = (name: string) => byHand(it.page).getByRole("button", { name, exact: true });

    test("its clock stops, goes on and is advanced", async () => {
      const before = it.em.clock.now();
      await byHand(it.page).getByLabel("Advance by").selectOption("5 minutes");
      await button("Advance").click();
      await expect.poll(() => it.em.clock.now() - before).toBe(300_000);
      await button("Start clock").click();
      await expect.poll(() => it.em.clock.mode).toBe("real");
      await button("Stop clock").click();
      await expect.poll(() => it.em.clock.mode).toBe("virtual");
      await expect.poll(() => textOf(byHand(it.page))).toContain("Stopped ");
    });

    test("a lock of the project, for a while", async () => {
      await byHand(it.page).getByLabel("Lock for").selectOption("30 seconds");
      await button("Lock").click();
      await expect.poll(() => it.lastOperations()).toEqual(["apply_storage_config running"]);
      it.em.clock.advance(29_999);
      expect(await it.call("POST", `${PROJECT}/endpoints/${PRIMARY}/suspend`)).toBe(423);
      it.em.clock.advance(1);
      expect(await it.call("POST", `${PROJECT}/endpoints/${PRIMARY}/suspend`)).toBe(200);
    });

    test.each([
      ["fails", "failed"],
      ["is cancelled", "cancelled"],
      ["hangs", "running"],
      ["fails once", "finished"],
    ])("the next operation %s", async (choice, status) => {
      await byHand(it.page).getByLabel("How it ends").selectOption(choice);
      await button("Set").click();
      const waits = `Waits: the next operation ${choice}.`;
      await expect.poll(() => textOf(byHand(it.page))).toContain(waits);
      await it.press("Suspend");
      await expect.poll(() => it.lastOperations()).toHaveLength(1);
      it.settle();
      expect(it.lastOperations()).toEqual([`suspend_compute ${status}`]);
      await expect.poll(() => textOf(byHand(it.page))).toContain("No fault waits.");
      await button("Clear").click();
      const cleared = status === "running" ? "finished" : status;
      await expect.poll(() => it.lastOperations()).toEqual([`suspend_compute ${cleared}`]);
    });

    test("faults of one kind of operation, and their end", async () => {
      await byHand(it.page).getByLabel("Which operation").selectOption("start_compute");
      await button("Set").click();
      await expect.poll(() => textOf(byHand(it.page))).toContain("Waits: the next Start compute fails.");
      await button("Clear").click();
      await expect.poll(() => textOf(byHand(it.page))).toContain("No fault waits.");
    });
  });

  test("has these buttons and choices, each of which is tried here", async () => {
    await it.open();
    const names = await it.page.evaluate<string[]>(BUTTONS);
    const ofCompute = ["Copy host", "Start", "Suspend", "Restart", "Resize…", "Rename…", "Delete…"];
    const ofPanels = ["Newer operations", "Older operations", "Stop clock", "Advance", "Lock", "Set", "Clear", "Clear"];
    expect(names.sort()).toEqual([...ofCompute, ...ofPanels].map((one) => one.replace("Stop", "Start")).sort());
    expect(await it.page.getByRole("combobox").count()).toBe(6);
  });
});

/** The names of all buttons that can be seen. */
const BUTTONS = `[...document.querySelectorAll("button")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true })).map((one) => one.ariaLabel ?? one.innerText)`;
