/** The emulator's console page: each label of a compute and of an operation. */
import { beforeEach, describe, expect, test } from "vitest";
import { type EndpointRow, type OperationRow, SEED, startEmulator } from "../../emulator/index.js";
import { describeWithBrowser } from "../support/browser.js";
import { byHand, consoleOf, OPERATION_MS, operationRows, operations, textOf } from "./console-page.js";

const PRIMARY = SEED.primaryId;
const PROJECT = `/projects/${SEED.projectId}`;

describeWithBrowser("the rows of the console page", (browser) => {
  const it = consoleOf(browser);

  describe("shows a compute", () => {
    beforeEach(() => it.open());

    const CASES: [shows: string, row: Partial<EndpointRow>, operation?: Partial<OperationRow>][] = [
      ["Primary, read-write", {}],
      ["Read replica, read-only", { type: "read_only" }],
      ["Active", { current_state: "active" }],
      ["Idle", { current_state: "idle" }],
      ["disabled", { disabled: true, current_state: "idle" }],
      ["creating", { current_state: "init", pending_state: "active" }, { action: "start_compute" }],
      ["starting", { current_state: "idle", pending_state: "active" }, { action: "start_compute" }],
      ["suspending", { pending_state: "idle" }, { action: "suspend_compute" }],
      ["restarting", { pending_state: "active" }, { action: "start_compute" }],
      ["applying a change", { pending_state: "active" }, { action: "apply_config" }],
      ["checking availability", { pending_state: "active" }, { action: "check_availability" }],
      ["0.25 CU", {}],
      ["1 to 4 CU", { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 4 }],
      ["just now", {}],
      ["never", { last_active: "2000-01-01T00:00:00.000000Z" }],
      ["a compute's name", { name: "a compute's name" }],
      [PRIMARY, {}],
      ["main", {}],
      ["dev", { branch_id: SEED.branches.dev }],
      [`${PRIMARY}.us-east-2.aws.neon.tech`, {}],
    ];
    test("with its labels", async () => {
      const original = structuredClone(it.primary());
      for (const [shows, row, operation] of CASES) {
        it.em.world.operations.length = 0;
        it.em.world.endpoints[PRIMARY] = { ...original, ...row };
        if (operation) it.em.world.operations.push(it.operationOf({ status: "running", ...operation }));
        await expect.poll(it.card, { message: shows }).toContain(shows);
      }
    });

    test("by how long ago it was active", async () => {
      for (const [ms, text] of [
        [60_000, "1 minute ago"],
        [4 * 60_000, "5 minutes ago"],
        [3_600_000, "1 hour ago"],
        [86_400_000, "1 day ago"],
      ] as const) {
        it.em.clock.advance(ms);
        await expect.poll(it.card).toContain(text);
      }
    });

    test("that appears, and takes it away when it is gone", async () => {
      await it.call("POST", `${PROJECT}/endpoints`, { endpoint: { type: "read_only", branch_id: SEED.branches.main } });
      await expect.poll(() => it.page.getByRole("article").count()).toBe(2);
      await expect.poll(() => textOf(it.page.getByRole("heading", { name: "Computes" }))).toBe("Computes 2");
      it.settle();
      await it.call("DELETE", `${PROJECT}/endpoints/${PRIMARY}`);
      await expect.poll(() => it.page.getByRole("article").count()).toBe(1);
      await expect.poll(() => it.page.getByText(`${PRIMARY}: deleted`).count()).toBe(1);
    });
  });

  describe("shows operations", () => {
    test("with their labels, newest first", async () => {
      await it.open();
      const words = ["finished", "scheduling", "running", "failed", "error", "cancelling", "cancelled", "skipped"];
      it.em.world.operations.push(...words.map((status, index) => it.operationOf({ status }, 20 - index)));
      const labels = async () => (await operationRows(it.page)).map((cells) => cells[3]);
      const expected = ["OK", "Scheduling", "In progress", "Error", "Error", "Cancelling", "Cancelled", "Skipped"];
      await expect.poll(labels).toEqual(expected.reverse());
      const [newest] = (await operationRows(it.page)).slice(-1);
      expect(newest).toEqual([
        "Apply config",
        "main",
        PRIMARY,
        "OK",
        "1.5 s",
        expect.stringMatching(/^\d+ \w+, [\d:]+$/),
      ]);
    });

    test("live, from the request to the end", async () => {
      await it.open();
      await it.call("POST", `${PROJECT}/endpoints/${PRIMARY}/restart`);
      const rows = async () => (await operationRows(it.page)).map((cells) => [cells[0], cells[3], cells[4]]);
      await expect.poll(rows).toEqual([
        ["Start compute", "Scheduling", "0.0 s"],
        ["Suspend compute", "In progress", "0.0 s"],
      ]);
      expect(await it.card()).toContain("restarting");
      it.em.clock.advance(OPERATION_MS);
      await expect.poll(rows).toEqual([
        ["Start compute", "In progress", "2.0 s"],
        ["Suspend compute", "OK", "2.0 s"],
      ]);
      it.em.clock.advance(OPERATION_MS);
      await expect.poll(rows).toEqual([
        ["Start compute", "OK", "4.0 s"],
        ["Suspend compute", "OK", "2.0 s"],
      ]);
      await expect.poll(it.card).not.toContain("restarting");
    });

    test("page by it.page, by the API's cursor", async () => {
      const actions = Array.from({ length: 20 }, (_, index) => `action_${index + 1}`);
      it.em.world.operations.push(...actions.map((action, index) => it.operationOf({ action }, 30 - index)));
      await it.open();
      const names = async () => (await operationRows(it.page)).map(([name]) => name);
      const page_ = (first: number, last: number) =>
        Array.from({ length: first - last + 1 }, (_, index) => `Action ${first - index}`);
      const button = (name: string) => operations(it.page).getByRole("button", { name });
      await expect.poll(names).toEqual(page_(20, 13));
      await button("Older operations").click();
      await expect.poll(names).toEqual(page_(12, 5));
      await button("Older operations").click();
      await expect.poll(names).toEqual(page_(4, 1));
      await button("Older operations").click();
      await button("Newer operations").click();
      await expect.poll(names).toEqual(page_(12, 5));
      await button("Newer operations").click();
      await expect.poll(names).toEqual(page_(20, 13));
    });
  });

  test("shows another project when the person chooses it", async () => {
    await it.open();
    await it.page.getByRole("combobox", { name: "Project" }).selectOption(SEED.second.projectId);
    await expect.poll(() => it.page.getByText("This project has no compute.").count()).toBe(1);
    await byHand(it.page).getByRole("button", { name: "Lock", exact: true }).click();
    await expect.poll(() => it.em.world.operations.map((one) => one.project_id)).toEqual([SEED.second.projectId]);
  });

  test("says when the emulator does not answer, and goes on when it is back", async () => {
    await it.open();
    const { port } = new URL(it.em.origin);
    await it.em.close();
    await it.page.getByText("No answer from the emulator").waitFor();
    it.em = await startEmulator({ port: Number(port), time: "virtual" });
    it.primary().name = "another world";
    await it.page.getByText("Live", { exact: true }).waitFor();
    await expect.poll(it.card).toContain("another world");
    it.shown.errors.length = 0; // The browser writes a line for each request that found nobody.
  });
});
