/** The plugin over gRPC: the account of the stack, and that of an explicit provider. */
import { describe, expect, test } from "vitest";
import { KEY } from "../support";
import { secret } from "./plugin";
import { BASE, failure, rig } from "./rig";

describe("the account", () => {
  test("is a pair from one layer, in the words of the class", async () => {
    const it = await rig();
    const { inputs } = await it.plugin.check({}, BASE);
    const alone = await it.again({ apiUrl: "https://example.com/api/v2" });
    expect((await failure(alone.create(inputs))).message).toMatch(
      /compute:apiUrl \(stack config\) is set, but there is no key/,
    );
    const foreign = await it.again({ apiKey: KEY, apiUrl: "https://example.com/api/v2" });
    expect((await foreign.check({}, BASE)).failures).toMatchObject([
      ["compute:apiUrl", expect.stringContaining("is not used beside compute:apiKey")],
    ]);
    const nobody = await it.again({});
    expect((await failure(nobody.create(inputs))).message).toMatch(/^no API key: set COMPUTE_API_KEY/);
  });

  test("of the stack is refused where it names a host in plain text, and mistakes in it are told, as in the class", async () => {
    const it = await rig();
    it.said();
    const bound = "https://keys.example.com/api/v2#key-of-theirs";
    expect((await failure(it.again({ apiKey: bound }))).message).toMatch(
      /^compute:apiKey .* names a host in plain text/,
    );
    await it.again({ apiKey: secret(bound), version: "0.1.0" });
    expect(it.said()).toEqual([]);
    await it.again({ apiKey: KEY, onRestrat: "refuse", approve: '["0123456789ab"]' });
    expect(it.said().map(({ severity, message }) => [severity, message])).toEqual([
      ["warning", expect.stringMatching(/^compute:apiKey is in plain text/)],
      ["warning", expect.stringContaining("0123456789ab approves nothing")],
      ["warning", expect.stringMatching(/^compute:onRestrat .* is not known/)],
    ]);
  });

  test.each(["instance", "instanceApiKey", "instanceApiUrl", "instance:by:program"])(
    "of the stack is refused where it sets %s, which only a Provider of the program may",
    async (name) => {
      const it = await rig();
      expect((await failure(it.again({ apiKey: secret(KEY), [name]: "x" }))).message).toContain(
        `compute:${name} is in`,
      );
    },
  );

  test("of an explicit provider is named in errors, and wins over the environment", async () => {
    const it = await rig({}, {}, { COMPUTE_API_KEY: KEY, COMPUTE_API_URL: "http://127.0.0.1:1/api/v2" });
    const { inputs } = await it.plugin.check({}, BASE);
    const plugin = await it.again({});
    await plugin.configure({ apiKey: secret("another-key"), apiUrl: it.em.url }, "eu");
    expect((await failure(plugin.create(inputs))).message).toMatch(/apiKey of the Provider "eu"/);
    await plugin.configure({ apiKey: secret(KEY), apiUrl: it.em.url }, "eu");
    expect((await plugin.create(inputs)).id).toMatch(/^ep-/);
  });

  test("a change of it never replaces the provider, and so no compute", async () => {
    const it = await rig();
    expect(await it.plugin.diffConfig({ apiKey: "a" }, { apiKey: "b" })).toEqual({ changes: "some", replaces: [] });
    expect(await it.plugin.diffConfig({ apiKey: "a" }, { apiKey: "a" })).toEqual({ changes: "none", replaces: [] });
  });
});
