/** The console page in a browser, as a person meets it: its parts, by the names that a screen reader says. */
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect } from "vitest";
import {
  type EndpointRow,
  type OperationRow,
  type RunningEmulator,
  SEED,
  startEmulator,
} from "../../emulator/index.js";
import type { Browser, BrowserContext, Page } from "../support/browser.js";

type ContextOptions = Parameters<Browser["newContext"]>[0];

export interface ConsolePage {
  context: BrowserContext;
  page: Page;
  /** Errors of the page's script, and what its policy refused. */
  errors: string[];
  /** Addresses of all that the page loaded or asked for. */
  asked: string[];
}

/** A window that a person would use. Times are shown in UTC. */
const WINDOW: ContextOptions = { viewport: { width: 1360, height: 850 }, timezoneId: "UTC", reducedMotion: "reduce" };

export async function openConsole(
  browser: Browser,
  { origin }: Pick<RunningEmulator, "origin">,
  options: ContextOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({ ...WINDOW, ...options });
  const page = await context.newPage();
  const errors: string[] = [];
  const asked: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  // The browser itself writes a line for each response that refuses.
  page.on("console", (line) => {
    if (line.type() === "error" && !line.text().startsWith("Failed to load resource")) errors.push(line.text());
  });
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${origin}/`);
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("heading", { name: "Computes" }).waitFor();
  return { context, page, errors, asked };
}

export const compute = (page: Page, id: string) => page.getByRole("article").filter({ hasText: id });
export const operations = (page: Page) => page.getByRole("region", { name: "Operations", exact: true });
export const timeline = (page: Page) => page.getByRole("region", { name: "What happened" });
export const byHand = (page: Page) => page.getByRole("region", { name: "By hand" });

/** The text as a person sees it. */
export const textOf = async (locator: ReturnType<Page["locator"]>): Promise<string> =>
  (await locator.allInnerTexts()).join("\n");

/** The cells of each row of the table of operations. */
export async function operationRows(page: Page): Promise<string[][]> {
  const rows = await operations(page).locator("tbody tr").all();
  return Promise.all(rows.map((row) => row.locator("td").allInnerTexts()));
}

/** The entries of the timeline, a line each. */
export const story = async (page: Page): Promise<string[]> =>
  (await timeline(page).locator("li").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
  passes: unknown[];
}

/** Fails with what axe-core finds on the page as it is now. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE);
  const { violations, passes } = await page.evaluate<AxeResult>("axe.run()");
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
  expect(found).toEqual([]);
  expect(passes.length).toBeGreaterThan(15);
}

/** How long an operation takes in these tests. */
export const OPERATION_MS = 2000;

/** For each test an emulator in virtual time, and its page once the test opens it. At the end the page must have no error. */
export function consoleOf(browser: Browser) {
  const it = {
    em: undefined as unknown as RunningEmulator,
    page: undefined as unknown as Page,
    shown: undefined as unknown as ConsolePage,
    async open(options: ContextOptions = {}) {
      it.shown = await openConsole(browser, it.em, options);
      it.page = it.shown.page;
    },
    /** A client's request. */
    async call(method: string, path: string, body?: object): Promise<number> {
      const headers = { authorization: `Bearer ${it.em.apiKey}`, "content-type": "application/json" };
      const sent = body ? { body: JSON.stringify(body) } : {};
      return (await fetch(it.em.url + path, { method, headers, ...sent })).status;
    },
    primary: () => it.em.world.endpoints[SEED.primaryId] as EndpointRow,
    /** Presses a button of the primary. */
    press: (name: string) => compute(it.page, SEED.primaryId).getByRole("button", { name, exact: true }).click(),
    card: () => textOf(compute(it.page, SEED.primaryId)),
    notice: () => textOf(it.page.locator(".notice")),
    lastOperations: () => it.em.world.operations.map(({ action, status }) => `${action} ${status}`),
    /** Lets all operations end. */
    settle: () => it.em.clock.advance(60_000),
    /** An operation of the primary, to put into the world. @param secondsAgo since its creation */
    operationOf(row: Partial<OperationRow>, secondsAgo = 1): OperationRow {
      const at = new Date(it.em.clock.now() - secondsAgo * 1000).toISOString().replace("Z", "000Z");
      return {
        id: `00000000-0000-4000-8000-${String(secondsAgo).padStart(12, "0")}`,
        project_id: SEED.projectId,
        branch_id: SEED.branches.main,
        endpoint_id: SEED.primaryId,
        action: "apply_config",
        status: "finished",
        failures_count: 0,
        created_at: at,
        updated_at: at,
        total_duration_ms: 1500,
        plan: { after: [], duration_ms: 3_600_000, end: "finished" },
        ...row,
      };
    },
  };
  beforeEach(async () => {
    it.em = await startEmulator({ time: "virtual", operationMs: OPERATION_MS });
  });
  afterEach(async () => {
    await it.shown.context.close();
    await it.em.close();
    expect(it.shown.errors).toEqual([]);
    expect(it.shown.asked.filter((url) => !url.startsWith(`${it.em.origin}/`))).toEqual([]);
  });
  return it;
}
