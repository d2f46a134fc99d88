/** What is refused, and in which form. */
import { describe, expect, test } from "vitest";
import { LIMIT, place, setup } from "./here";
import { fixed } from "./place";

export function errors(): void {
  describe("an error", LIMIT, () => {
    const NOWHERE = "ep-not-there-000000";
    const create = { endpoint: { branch_id: "br-not-there-000000", type: "read_only" } };

    test.each([
      ["reading", "GET", "", undefined],
      ["changing", "PATCH", "", { endpoint: fixed(1) }],
      ["starting", "POST", "/start", undefined],
      ["suspending", "POST", "/suspend", undefined],
      ["restarting", "POST", "/restart", undefined],
    ])("404: %s a compute that is not there", async (_, method, action, body) => {
      const reply = await place.service.ask(method, `${place.endpoints}/${NOWHERE}${action}`, body);
      expect(reply).toMatchObject({ status: 404, body: { code: expect.any(String), message: expect.any(String) } });
    });

    test("404, or 403: what is in a project that is not there, and a compute on a branch that is not there", async () => {
      const elsewhere = "/projects/not-there-00000000";
      const replies = [
        await place.service.send("GET", `${elsewhere}/endpoints`),
        await place.service.send("GET", `${elsewhere}/operations`),
        await place.service.send("DELETE", `${elsewhere}/endpoints/${NOWHERE}`),
        await place.service.ask("POST", place.endpoints, create),
      ];
      setup.observe("a project that is not there", replies[0]!);
      for (const { status } of replies) expect([403, 404]).toContain(status);
    });

    test("401: another key, whatever is asked for", async () => {
      const headers = { authorization: "Bearer not-a-key" };
      for (const path of [`/projects/${place.projectId}`, place.primary]) {
        const reply = await place.service.send("GET", path, undefined, headers);
        expect(reply).toMatchObject({ status: 401, body: { message: expect.any(String) } });
      }
    });

    test.each([
      ["no compute in it", {}],
      ["no branch", { endpoint: { type: "read_only" } }],
      ["no such type", { endpoint: { branch_id: "br-any", type: "read_some" } }],
      [
        "a size that is a word",
        { endpoint: { branch_id: "br-any", type: "read_only", autoscaling_limit_max_cu: "1" } },
      ],
    ])("400: a body with %s", async (what, body) => {
      const reply = await place.service.ask("POST", place.endpoints, body);
      setup.observe(`a body with ${what}`, reply);
      expect(reply).toMatchObject({ status: 400, body: { message: expect.any(String) } });
    });

    test("carries the id of its request, which the client can choose", async () => {
      const id = `contract-${Date.now()}`;
      const reply = await place.service.send("GET", `${place.endpoints}/${NOWHERE}`, undefined, { "x-request-id": id });
      expect(reply.body.request_id).toBe(id);
    });
  });
}
