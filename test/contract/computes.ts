/** What becomes of a compute that is made, suspended, started, restarted and deleted. */
import { describe, expect, test } from "vitest";
import { actions, active, get, idle, LIMIT, listed, place, setup, withReplica } from "./here";
import { fixed } from "./place";
import type { Body } from "./service";

export function computes(): void {
  describe("a compute that is made", LIMIT, () => {
    test("starts, with the settings that were asked for, and is active when its operations are done", async () => {
      await withReplica(async (path, { body }) => {
        const { endpoint, operations } = body;
        expect(endpoint).toMatchObject({ ...fixed(0.25), type: "read_only", branch_id: place.branchId });
        expect(endpoint).toMatchObject({ current_state: "init", pending_state: "active" });
        expect(endpoint).not.toHaveProperty("last_active");
        expect(endpoint.host).toMatch(new RegExp(`^${endpoint.id}\\.`));
        expect(operations.map(({ action }: Body) => action)).toEqual(["start_compute"]);
        for (const one of operations) expect(one).toMatchObject({ endpoint_id: endpoint.id, failures_count: 0 });
        await place.service.settle(operations);
        const now = await get(path);
        expect(now).toMatchObject({ id: endpoint.id, host: endpoint.host, current_state: "active" });
        expect(now).not.toHaveProperty("pending_state");
      });
    });

    test("is in the lists of its project and its branch, and as it is alone", async () => {
      const alone = await active();
      expect(await listed(place.endpoints)).toContain(place.primaryId);
      expect(await listed(`/projects/${place.projectId}/branches/${place.branchId}/endpoints`)).toContain(
        place.primaryId,
      );
      const { endpoints } = (await place.service.send("GET", place.endpoints)).body;
      const row = endpoints.find((one: Body) => one.id === place.primaryId);
      expect(row).toMatchObject({ host: alone.host, ...fixed(0.25), created_at: alone.created_at });
    });

    test("is the only primary of its branch: another is refused, and nothing is made", async () => {
      const before = (await listed(place.endpoints)).sort();
      const wish = { branch_id: place.branchId, type: "read_write" };
      const second = await place.service.ask("POST", place.endpoints, { endpoint: wish });
      setup.observe("a second primary", second);
      expect([409, 422]).toContain(second.status);
      expect(second.body.code).toBe("ENDPOINTS_LIMIT_EXCEEDED");
      expect((await listed(place.endpoints)).sort()).toEqual(before);
    });
  });

  describe("a compute", LIMIT, () => {
    test("is suspended, and started, which takes operations", async () => {
      await active();
      const stop = await place.service.done("POST", `${place.primary}/suspend`);
      expect(actions(stop)).toEqual(["suspend_compute"]);
      expect(await get()).toMatchObject({ current_state: "idle", suspended_at: expect.any(String) });
      const start = await place.service.done("POST", `${place.primary}/start`, {});
      expect(actions(start)).toEqual(["start_compute"]);
      expect(await get()).toMatchObject({ current_state: "active", started_at: expect.any(String) });
    });

    test("is restarted: stopped, then started, with the same host", async () => {
      const { host } = await active();
      const reply = await place.service.done("POST", `${place.primary}/restart`);
      expect(actions(reply)).toEqual(["suspend_compute", "start_compute"]);
      expect(await get()).toMatchObject({ host, current_state: "active" });
    });

    test("that is asked for what it is already does nothing, or says so", async () => {
      await active();
      const started = await place.service.ask("POST", `${place.primary}/start`);
      await idle();
      const suspended = await place.service.ask("POST", `${place.primary}/suspend`);
      const restarted = await place.service.send("POST", `${place.primary}/restart`);
      const replies = {
        "start while active": started,
        "suspend while idle": suspended,
        "restart while idle": restarted,
      };
      for (const [what, reply] of Object.entries(replies)) {
        setup.observe(what, reply);
        expect([200, 409, 412, 422, 423]).toContain(reply.status);
        await place.service.settle(reply.body.operations ?? []);
      }
    });

    test("is deleted, and gone from the lists; deleting it again is no error", async () => {
      await withReplica(async (path, { body }) => {
        const { id } = body.endpoint;
        await place.service.settle(body.operations);
        const reply = await place.service.done("DELETE", path);
        expect([200, 204]).toContain(reply.status);
        expect(await listed(place.endpoints)).not.toContain(id);
        expect((await place.service.send("GET", path)).status).toBe(404);
        const again = await place.service.ask("DELETE", path);
        setup.observe("a second delete", again);
        expect([200, 204, 404]).toContain(again.status);
        expect(await listed(place.endpoints)).toContain(place.primaryId);
      });
    });
  });
}
