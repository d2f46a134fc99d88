/** The emulator's console page: the story of a program. */
import { describe, expect, test } from "vitest";
import { SEED } from "../../emulator/index.js";
import { describeWithBrowser } from "../support/browser.js";
import { consoleOf, story, timeline } from "./console-page.js";

const PRIMARY = SEED.primaryId;
const PROJECT = `/projects/${SEED.projectId}`;

describeWithBrowser("the timeline of the console page", (browser) => {
  const it = consoleOf(browser);

  describe("tells what happened", () => {
    test("in the order of time: requests, refusals with their words, operations", async () => {
      await it.open();
      await it.call("GET", `${PROJECT}/endpoints`);
      it.em.clock.advance(10);
      await it.call("PATCH", `${PROJECT}/endpoints/${PRIMARY}`, { endpoint: { autoscaling_limit_max_cu: 1 } });
      it.em.clock.advance(10);
      for (let count = 0; count < 3; count++) await it.call("GET", `${PROJECT}/operations?limit=${count + 1}`);
      it.em.clock.advance(10);
      await it.call("POST", `${PROJECT}/endpoints/${PRIMARY}/restart`);
      it.settle();
      await it.press("Suspend");
      await expect
        .poll(() => story(it.page))
        .toEqual([
          expect.stringMatching(/^\S+ GET \/endpoints 200$/),
          expect.stringMatching(/^\S+ PATCH \/endpoints\/ep-amber\S+ 200 autoscaling_limit_max_cu 1$/),
          expect.stringMatching(/^\S+ Apply config Primary ep-amber\S+ OK ?2.0 s$/),
          expect.stringMatching(/^\S+ GET \/operations\?limit=1 × 3 200$/),
          expect.stringMatching(/^\S+ POST \/endpoints\/ep-amber\S+\/restart 423 endpoint is in some transitive state/),
          expect.stringMatching(/^\S+ POST \/endpoints\/ep-amber\S+\/suspend by hand 200$/),
          expect.stringMatching(/^\S+ Suspend compute Primary ep-amber\S+ In progress ?0.0 s$/),
        ]);
      const refused = timeline(it.page).locator("li").filter({ hasText: "423" }).locator(".refused");
      expect(await refused.count()).toBe(1);
    });

    test("of one compute, if the person chooses it, and from now on", async () => {
      await it.call("GET", PROJECT);
      await it.call("POST", `${PROJECT}/endpoints`, { endpoint: { type: "read_only", branch_id: SEED.branches.main } });
      it.settle();
      await it.call("POST", `${PROJECT}/endpoints/${PRIMARY}/suspend`);
      await it.open();
      const replica = Object.keys(it.em.world.endpoints).find((id) => id !== PRIMARY) as string;
      await expect.poll(() => story(it.page)).toHaveLength(5);
      await timeline(it.page).getByLabel("Show").selectOption(replica);
      await expect
        .poll(() => story(it.page))
        .toEqual([
          expect.stringContaining("POST /endpoints 201"),
          expect.stringContaining(`Start compute Read replica ${replica}`),
        ]);
      await timeline(it.page).getByLabel("Show").selectOption("All computes");
      await timeline(it.page).getByRole("button", { name: "Clear" }).click();
      await expect.poll(() => story(it.page)).toEqual([]);
      // The clock stands still.
      await it.call("GET", PROJECT);
      await expect.poll(() => story(it.page)).toEqual([expect.stringContaining("GET / 200")]);
    });

    test("and follows the newest, unless the person has scrolled up", async () => {
      await it.open();
      const path = (index: number) => `${PROJECT}/endpoints/ep-number-${index}`;
      for (let index = 1; index <= 40; index++) await it.call("GET", path(index));
      const last = timeline(it.page).getByText("ep-number-40", { exact: false });
      const isSeen = (text: string) => it.page.evaluate<boolean>(IS_SEEN.replace("TEXT", text));
      await last.first().waitFor();
      await expect.poll(() => isSeen("ep-number-40")).toBe(true);
      await timeline(it.page).getByRole("region", { name: "Requests and operations" }).focus();
      await it.page.keyboard.press("Home");
      await expect.poll(() => isSeen("ep-number-1 ")).toBe(true);
      await it.call("GET", path(41));
      await timeline(it.page).getByText("ep-number-41").first().waitFor();
      expect(await isSeen("ep-number-41")).toBe(false);
      await timeline(it.page).getByRole("button", { name: "Newest" }).click();
      await expect.poll(() => isSeen("ep-number-41")).toBe(true);
    });
  });
});

/** Whether the last entry with a text is in the part of the timeline that is in view. */
const IS_SEEN = `(() => {
  const list = document.querySelector(".timeline .scroll");
  const one = [...list.querySelectorAll("li")].filter((one) => (one.innerText.replaceAll(/\\s+/g, " ") + " ").includes("TEXT")).at(-1);
  const { top, bottom } = one.getBoundingClientRect();
  const frame = list.getBoundingClientRect();
  return top >= frame.top - 1 && bottom <= frame.bottom + 1;
})()`;
