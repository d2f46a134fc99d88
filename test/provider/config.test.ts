import { describe, expect, test } from "vitest";
import { type Account, readConfig } from "../../provider/config.js";
import { DEFAULT_API_URL } from "../../provider/rules/service-url.js";

type Values = Record<string, string>;
const KEY = "napi_secret_key_1";
const URL_A = "http://127.0.0.1:4010/api/v2";
const URL_B = "https://b.test/api/v2";

const read = (env: Values, stack: Values = {}) => readConfig({ get: (name) => stack[name] }, env);
const account = (env: Values, stack?: Values) => read(env, stack).account;
const failure = (env: Values, stack?: Values): string => {
  const found = account(env, stack);
  if (!(found instanceof Error)) throw new Error(`no error, but ${found.keySource}`);
  return found.message;
};

/** The layers of this stack, from the strongest to the weakest: [key's name, URL's name, where]. */
const LAYERS = [
  ["COMPUTE_API_KEY", "COMPUTE_API_URL", "env"],
  ["compute:apiKey", "compute:apiUrl", "stack"],
  ["NEON_API_KEY", "NEON_API_HOST", "env"],
] as const;
const setting = (values: Values): [Values, Values] => {
  const where = (place: string) => LAYERS.flatMap(([key, url, at]) => (at === place ? [key, url] : []));
  const part = (names: string[]) => Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
  return [part(where("env")), part(where("stack"))];
};

describe("key and URL come as a pair from one layer", () => {
  test.each(LAYERS)("%s with %s", (key, url) => {
    expect(account(...setting({ [key]: KEY, [url]: URL_A }))).toMatchObject({ apiKey: KEY, apiUrl: URL_A });
  });

  test.each(LAYERS)("%s alone means the public service", (key) => {
    expect(account(...setting({ [key]: KEY }))).toMatchObject({ apiKey: KEY, apiUrl: DEFAULT_API_URL });
  });

  test("the strongest layer with a pair wins, and is named as the key's source", () => {
    const all = Object.fromEntries(
      LAYERS.flatMap(([key, url], index) => [
        [key, `${KEY}-${index}`],
        [url, `http://127.0.0.1:401${index}/`],
      ]),
    );
    for (const [index, [key]] of LAYERS.entries()) {
      const found = account(...setting(all)) as Account;
      expect(found).toMatchObject({ apiKey: `${KEY}-${index}`, apiUrl: `http://127.0.0.1:401${index}/` });
      expect(found.keySource).toContain(key);
      for (const name of LAYERS[index]!.slice(0, 2)) delete all[name];
    }
    expect(failure(...setting(all))).toMatch(
      /no API key: set COMPUTE_API_KEY.*pulumi config set --secret compute:apiKey/,
    );
  });

  const pairs = LAYERS.flatMap((strong, index) => LAYERS.slice(index + 1).map((weak) => [strong, weak] as const));
  test.each(pairs)("%j alone, while %j names a URL: which service is meant?", (strong, weak) => {
    for (const more of [{}, { [weak[0]]: "other-key" }] as Values[]) {
      const said = failure(...setting({ [strong[0]]: KEY, [weak[1]]: URL_B, ...more }));
      for (const name of [strong[0], strong[1], weak[1]]) expect(said).toContain(name);
    }
  });

  test.each(pairs)("a URL of %j alone, with a key of %j: the key is not sent there", (strong, weak) => {
    const said = failure(...setting({ [strong[1]]: URL_A, [weak[0]]: KEY, [weak[1]]: URL_B }));
    for (const name of [strong[1], strong[0], weak[0]]) expect(said).toContain(name);
  });

  test.each(pairs)("a key without a URL below a whole pair (%j over %j) changes nothing", (strong, weak) => {
    const found = account(...setting({ [strong[0]]: KEY, [strong[1]]: URL_A, [weak[0]]: "old" }));
    expect(found).toMatchObject({ apiKey: KEY, apiUrl: URL_A });
  });

  test("what is empty or blank is not set", () => {
    expect(account({ COMPUTE_API_KEY: " ", COMPUTE_API_URL: "", NEON_API_KEY: ` ${KEY}\n` })).toMatchObject({
      apiKey: KEY,
    });
  });
});

describe("the URL", () => {
  test.each([
    "https://console.example.com/api/v2",
    "https://10.0.0.1:8443/v2/",
    "http://localhost:4010/api/v2",
    "http://127.0.0.1:4010/api/v2",
    "http://127.1.2.3/api/v2",
    "http://[::1]:4010/api/v2",
    "HTTP://LOCALHOST/api/v2",
  ])("%s is fine", (url) => {
    expect(account({ COMPUTE_API_KEY: KEY, COMPUTE_API_URL: url })).toMatchObject({ apiUrl: url });
  });

  test.each([
    ["http://console.example.com/api/v2", /must begin with https/],
    ["http://localhost.example.com/api/v2", /must begin with https/],
    ["http://127.0.0.1.example.com/", /must begin with https/],
    ["http://0.0.0.0/api/v2", /must begin with https/],
    ["http://192.168.0.4/api/v2", /must begin with https/],
    ["ftp://localhost/api", /must begin with https/],
    ["localhost:4010/api/v2", /must begin with https/],
    ["console.example.com", /not a URL/],
    ["https://", /not a URL/],
    ["https://me:word@example.com/v2", /user name or a password/],
    ["https://example.com/v2?region=eu", /must end with its path/],
    ["https://example.com/v2#x", /must end with its path/],
    ["https://example.com/v2?", /must end with its path, such as \/api\/v2: remove "\?" or "#" and what follows/],
    ["https://example.com/v2#", /must end with its path/],
    ["https://example.com/v2/?", /must end with its path/],
    ["https://example.com?", /must end with its path/],
    ["https://example.com/v2?#", /must end with its path/],
    ["https://example.com/a\tpi/v2", /white space or a backslash/],
    ["https://exam\nple.com/v2", /white space or a backslash/],
    ["https:\\\\example.com\\v2", /white space or a backslash/],
  ])("%s is refused, naming the layer, and no request is sent", (url, message) => {
    for (const [key, name] of LAYERS) {
      const said = failure(...setting({ [key]: KEY, [name]: url }));
      expect(said).toMatch(message);
      expect(said).toContain(name);
    }
  });
});

describe("the key is in no message", () => {
  test.each([
    ["in the URL's place, as after a mix-up", KEY],
    ["in the URL's place, with a dot", `${KEY}.part`],
    ["in the URL's place, with a colon", `${KEY}:part`],
    ["in the URL's query", `https://a.test/v2?key=${KEY}`],
    ["in the URL's fragment", `https://a.test/v2#${KEY}`],
    ["in the URL's user", `https://${KEY}@a.test/v2`],
    ["in the path of a plain URL", `http://a.test/${KEY}`],
    ["in the host of a plain URL", `http://${KEY}/v2`],
  ])("%s", (_rule, url) => {
    for (const key of [KEY, URL_A]) {
      expect(failure({ COMPUTE_API_KEY: key, COMPUTE_API_URL: url })).not.toContain(KEY);
    }
  });

  test("where a layer is incomplete", () => {
    for (const [key, , at] of LAYERS.slice(1)) {
      const said =
        at === "env"
          ? failure({ COMPUTE_API_URL: URL_A, [key]: KEY })
          : failure({ COMPUTE_API_URL: URL_A }, { [key]: KEY });
      expect(said).not.toContain(KEY);
    }
  });
});

describe("the other settings", () => {
  test("have defaults", () => {
    expect(read({})).toMatchObject({ sizes: "checked", autoName: true, problems: [] });
    expect([read({}).onRestart, read({}).pollSeconds, read({}).requestsPerMinute]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test.each<[Values, object]>([
    [{ "compute:onRestart": "refuse" }, { onRestart: "refuse" }],
    [{ "compute:sizes": "unchecked" }, { sizes: "unchecked" }],
    [{ "compute:autoName": "false" }, { autoName: false }],
    [{ "compute:pollSeconds": "0.5" }, { pollSeconds: 0.5 }],
    [{ "compute:requestsPerMinute": "60" }, { requestsPerMinute: 60 }],
  ])("%j", (stack, expected) => {
    expect(read({}, stack)).toMatchObject({ ...expected, problems: [] });
  });

  test.each([
    ["compute:onRestart", "never", /"never" is not one of "allow", "warn", "refuse"/],
    ["compute:onRestart", "", /not one of/],
    ["compute:sizes", "off", /"off" is not one of "checked", "unchecked"/],
    ["compute:autoName", "no", /"no" is not one of "true", "false"/],
    ["compute:pollSeconds", "fast", /"fast" is not a number from 0.2 to 60/],
    ["compute:pollSeconds", "0", /not a number from 0.2/],
    ["compute:pollSeconds", "0.1", /not a number from 0.2/],
    ["compute:pollSeconds", "61", /not a number from/],
    ["compute:pollSeconds", "", /not a number from/],
    ["compute:requestsPerMinute", "0.5", /not a number from 1/],
    ["compute:requestsPerMinute", "Infinity", /not a number from/],
    ["compute:requestsPerMinute", "NaN", /not a number from/],
  ])("%s = %j is reported under its name, and the default holds", (name, value, reason) => {
    const found = read({}, { [name]: value });
    expect(found.problems).toEqual([{ name, reason: expect.stringMatching(reason) }]);
    expect(found).toMatchObject({ sizes: "checked", autoName: true });
  });

  test.each<[string]>([["compute:onRestart"], ["compute:sizes"], ["compute:pollSeconds"], ["compute:approve"]])(
    "the key, whose encrypted text somebody copied to %s, stands in no problem",
    (name) => {
      for (const key of [KEY, `napi_${"k".repeat(64)}`, 'key "with" quotes\n and lines']) {
        const { problems } = read({}, { "compute:apiKey": key, [name]: key });
        expect(problems).toHaveLength(1);
        const { reason } = problems[0]!;
        for (let at = 0; at + 8 <= key.length; at++) expect(reason).not.toContain(key.slice(at, at + 8));
      }
    },
  );

  test("several problems come together", () => {
    expect(read({}, { "compute:sizes": "x", "compute:autoName": "x" }).problems).toHaveLength(2);
  });

  test("a missing key is no problem until somebody needs it: a preview needs none", () => {
    expect(read({}).account).toBeInstanceOf(Error);
    expect(read({}).problems).toEqual([]);
  });
});
