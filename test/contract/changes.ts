/** What a PATCH does, and what it does not. */
import { describe, expect, test } from "vitest";
import { actions, active, get, idle, LIMIT, place, setup } from "./here";
import { fixed } from "./place";

export function changes(): void {
  describe("a change", LIMIT, () => {
    test("is in its answer and stays; what it does not name stays too, and so does the host", async () => {
      const before = await active();
      const reply = await place.service.done("PATCH", place.primary, { endpoint: { autoscaling_limit_max_cu: 1 } });
      setup.observe("a change of size while active", reply);
      expect(reply.body.endpoint).toMatchObject({ autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 1 });
      expect(actions(reply)[0]).toBe("apply_config");
      const { id, host, suspend_timeout_seconds } = before;
      expect(await get()).toMatchObject({ id, host, suspend_timeout_seconds, autoscaling_limit_max_cu: 1 });
      await place.service.done("PATCH", place.primary, { endpoint: fixed(0.25) });
      expect(await get()).toMatchObject(fixed(0.25));
    });

    test("of an idle compute leaves it idle", async () => {
      await idle();
      const reply = await place.service.done("PATCH", place.primary, { endpoint: fixed(0.5) });
      setup.observe("a change of size while idle", reply);
      expect(await get()).toMatchObject({ ...fixed(0.5), current_state: "idle" });
      await place.service.done("PATCH", place.primary, { endpoint: fixed(0.25) });
    });

    test.each([
      ["a size off the ladder", fixed(0.75)],
      ["a maximum below the minimum", { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 0.5 }],
      ["a range that is too wide", { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 16 }],
      ["a timeout that is too long", { suspend_timeout_seconds: 604_801 }],
    ])("to %s is refused, and changes nothing", async (what, change) => {
      const { current_state: _c, pending_state: _p, last_active: _l, ...before } = await active();
      const reply = await place.service.ask("PATCH", place.primary, { endpoint: change });
      setup.observe(what, reply);
      expect([400, 422]).toContain(reply.status);
      expect(await get()).toMatchObject(before);
    });

    test("that meets other work is refused with 423 and does nothing, or is carried out; later it works", async () => {
      await active();
      const restart = await place.service.ask("POST", `${place.primary}/restart`);
      const meanwhile = await place.service.send("PATCH", place.primary, { endpoint: fixed(0.5) });
      setup.observe("a change while the compute restarts", meanwhile);
      expect([200, 423]).toContain(meanwhile.status);
      if (meanwhile.status === 423) expect(await get()).toMatchObject(fixed(0.25));
      await place.service.settle([...restart.body.operations, ...(meanwhile.body.operations ?? [])]);
      await place.service.done("PATCH", place.primary, { endpoint: fixed(0.25) });
      expect(await get()).toMatchObject(fixed(0.25));
    });
  });
}
