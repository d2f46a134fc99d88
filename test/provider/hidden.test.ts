import { describe, expect, test } from "vitest";
import { Hidden } from "../../provider/hidden.js";

describe("what programs call secret", () => {
  const hidden = new Hidden();
  hidden.see({
    __secret: ["settings", "name", "size", "restartTriggers"],
    settings: { pgSettings: { "app.token": "token-77", "app.longer": "token-77-more", work_mem: "on" } },
    name: "inner-name",
    size: 1234,
    restartTriggers: [{ at: "yesterday" }],
    branchId: "br-plain",
  });

  test.each([
    ["a value inside of it", "can't set app.token = token-77", "can't set app.token = [secret]"],
    ["one that is a part of another", "token-77-more, token-77", "[secret], [secret]"],
    ["a value of a list", "yesterday's restart", "[secret]'s restart"],
    ["all of them", "inner-name, inner-name", "[secret], [secret]"],
    ["what is no secret", "branch br-plain", "branch br-plain"],
    ["a word that is too short to tell", "based on 1234", "based on 1234"],
  ])("%s", (_rule, text, out) => expect(hidden.out(text)).toBe(out));

  test("inputs without secrets have none", () => {
    const none = new Hidden();
    none.see({ name: "plain" });
    none.see({ __secret: "name", name: "plain" });
    expect(none.out("plain")).toBe("plain");
  });
});
