/** The record of what was done, and the pages of it. */
import { describe, expect, test } from "vitest";
import { active, LIMIT, place } from "./here";
import type { Body } from "./service";

const PAGE = 2;
/** More than any page of a project that has just been made. */
const WHOLE = 1000;

export function operations(): void {
  describe("operations", LIMIT, () => {
    const path = () => `/projects/${place.projectId}/operations`;
    const page = async (query: string): Promise<Body> => (await place.service.send("GET", `${path()}?${query}`)).body;

    test("are listed newest first, and each is the same alone", async () => {
      await active();
      const done = await place.service.done("POST", `${place.primary}/restart`);
      const { operations } = await page(`limit=${WHOLE}`);
      const times = operations.map((one: Body) => Date.parse(one.created_at));
      expect(times).toEqual([...times].sort((a, b) => b - a));
      const ids = operations.map((one: Body) => one.id);
      for (const { id } of done.body.operations) {
        expect(ids).toContain(id);
        const alone = (await place.service.send("GET", `${path()}/${id}`)).body.operation;
        expect(alone).toMatchObject({ id, status: "finished", endpoint_id: place.primaryId, failures_count: 0 });
      }
    });

    test("are walked by the cursor, which is sent back as it came: each once, and then no more", async () => {
      await active();
      for (let n = 0; n < 2; n++) await place.service.done("POST", `${place.primary}/restart`);
      // In somebody's project others may work at the same time, on top of what is listed.
      const whole: string[] = (await page(`limit=${WHOLE}`)).operations.map((one: Body) => one.id);
      const seen: string[] = [];
      for (let cursor = "", pages = 0; seen.length < 10 && pages < 10; pages++) {
        const { operations, pagination } = await page(`limit=${PAGE}${cursor}`);
        expect(operations.length).toBeLessThanOrEqual(PAGE);
        seen.push(...operations.map((one: Body) => one.id));
        if (operations.length < PAGE || !pagination?.cursor) break;
        cursor = `&cursor=${encodeURIComponent(pagination.cursor)}`;
      }
      expect(new Set(seen).size).toBe(seen.length);
      const shared = seen.filter((id) => whole.includes(id));
      expect(shared.length).toBeGreaterThan(PAGE);
      expect(whole.slice(0, shared.length)).toEqual(shared);
    });

    test("that are not there are 404, and a page of none is refused", async () => {
      const unknown = await place.service.send("GET", `${path()}/00000000-0000-4000-8000-000000000000`);
      expect(unknown.status).toBe(404);
      for (const limit of [0, WHOLE + 1]) {
        expect((await place.service.send("GET", `${path()}?limit=${limit}`)).status).toBe(400);
      }
    });
  });
}
