/** What clients read of the project and the branches around a compute, and of who gets in. */
import { describe, expect, test } from "vitest";
import { LIMIT, place, setup } from "./here";
import { fixed } from "./place";
import type { Body } from "./service";

/** Statuses of a request that comes before its branch is ready. */
const NOT_YET = new Set([422, 423]);

export function surroundings(): void {
  describe("a project", LIMIT, () => {
    const path = () => `/projects/${place.projectId}`;

    test("shows what clients read without a look whether it is there", async () => {
      const { project } = (await place.service.ask("GET", path())).body;
      const { ips, protected_branches_only: protectedOnly } = project.settings.allowed_ips;
      expect([ips, protectedOnly]).toEqual([expect.any(Array), expect.any(Boolean)]);
      expect(project).toMatchObject({
        id: place.projectId,
        provisioner: expect.any(String),
        store_passwords: expect.any(Boolean),
        history_retention_seconds: expect.any(Number),
        default_endpoint_settings: {
          autoscaling_limit_min_cu: expect.any(Number),
          autoscaling_limit_max_cu: expect.any(Number),
          suspend_timeout_seconds: expect.any(Number),
        },
        settings: {
          enable_logical_replication: expect.any(Boolean),
          block_public_connections: expect.any(Boolean),
          block_vpc_connections: expect.any(Boolean),
        },
      });
    });

    test("tells whom it is shared with, and who signs tokens for it, to a key that may ask", async () => {
      for (const [part, name] of Object.entries({ permissions: "project_permissions", jwks: "jwks" })) {
        const reply = await place.service.ask("GET", `${path()}/${part}`);
        setup.observe(`the project's ${part}`, reply);
        expect([200, 403]).toContain(reply.status);
        if (reply.status === 200) expect(reply.body[name]).toEqual(expect.any(Array));
      }
    });
  });

  test("API keys are listed without their text, to a key that may ask", LIMIT, async () => {
    const reply = await place.service.ask("GET", "/api_keys");
    setup.observe("the list of API keys", reply);
    expect([200, 403]).toContain(reply.status);
    if (reply.status !== 200) return;
    for (const one of reply.body) expect(one).not.toHaveProperty("key");
  });

  describe("a branch", LIMIT, () => {
    const branches = () => `/projects/${place.projectId}/branches`;

    test("says what it was made from and what it is, alone and in the list", async () => {
      const { branch } = (await place.service.ask("GET", `${branches()}/${place.branchId}`)).body;
      const expected = { init_source: "parent-data", default: false, protected: false, current_state: "ready" };
      expect(branch).toMatchObject({ ...expected, parent_id: expect.any(String) });
      const rows: Body[] = (await place.service.ask("GET", `${branches()}?search=${branch.name}`)).body.branches;
      expect(rows.find((one) => one.id === place.branchId)).toMatchObject({ ...expected, parent_id: branch.parent_id });
    });

    test("takes a compute when it is ready; before that it may refuse with 422 or 423, and does nothing", async () => {
      const made = await place.service.ask("POST", branches(), { branch: { name: `${place.name}-late` } });
      expect(made.status).toBe(201);
      const { id } = made.body.branch;
      try {
        const endpoint = { branch_id: id, type: "read_write", ...fixed(0.25) };
        const early = await place.service.send("POST", place.endpoints, { endpoint });
        setup.observe("a compute on a branch that was made just now", early);
        if (early.status !== 201) {
          expect(NOT_YET).toContain(early.status);
          await place.service.settle(made.body.operations);
          await place.service.until(
            async () => (await place.service.ask("GET", `${branches()}/${id}`)).body.branch.current_state === "ready",
          );
          await place.service.done("POST", place.endpoints, { endpoint });
        } else await place.service.settle(early.body.operations);
        const { endpoints } = (await place.service.ask("GET", `${branches()}/${id}/endpoints`)).body;
        expect(endpoints).toMatchObject([{ branch_id: id, type: "read_write" }]);
      } finally {
        await place.service.done("DELETE", `${branches()}/${id}`);
      }
    });
  });
}
