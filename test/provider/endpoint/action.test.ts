import { expect, test } from "vitest";
import { Deadline } from "../../../provider/clock.js";
import { runAction } from "../../../provider/endpoint/action.js";
import { PROJECT, scripted } from "../../support/scripted-service.js";

test("an action that was needless for a moment is asked for again", async () => {
  const asleep = { id: "ep-a", current_state: "init" };
  // What was under way at the first look (the service's own check, say) has ended without starting it.
  const looks = [{ ...asleep, pending_state: "active" }, asleep];
  let posts = 0;
  const s = scripted(({ method }) => {
    if (method === "GET") return { status: 200, body: { endpoints: [looks.shift() ?? asleep] } };
    if (++posts === 1) return { status: 423, body: { message: "in a transitive state" } };
    return { status: 200, body: { endpoint: { ...asleep, current_state: "active" }, operations: [] } };
  });
  const place = { project: PROJECT, id: "ep-a" };
  const done = runAction(s.context, "start", place, asleep, {}, new Deadline(s.clock, 60_000));
  expect(await s.clock.run(done)).toMatchObject({ sent: true, endpoint: { current_state: "active" } });
  expect(posts).toBe(2);
});
