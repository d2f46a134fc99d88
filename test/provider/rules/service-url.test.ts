import { expect, test } from "vitest";
import { DEFAULT_API_URL, foreignHostOf } from "../../../provider/rules/service-url.js";

test.each<[string | undefined, string | undefined]>([
  [undefined, undefined],
  ["", undefined],
  ["not a URL", undefined],
  [DEFAULT_API_URL, undefined],
  ["https://console.neon.tech:443/", undefined],
  ["http://127.0.0.1:4010/api/v2", undefined],
  ["http://localhost:4010/api/v2", undefined],
  ["http://[::1]:4010/api/v2", undefined],
  [" https://db.example.com/api/v2 ", "db.example.com"],
  ["https://db.example.com:8443/api/v2", "db.example.com:8443"],
  ["http://console.neon.tech/api/v2", "console.neon.tech"],
  ["https://console.neon.tech:8443/api/v2", "console.neon.tech:8443"],
  ["https://console.neon.tech.example.com/api/v2", "console.neon.tech.example.com"],
  ["https://console.neon.tech@example.com/api/v2", "example.com"],
  ["https://localhost.example.com/", "localhost.example.com"],
  ["https://127.0.0.1.example.com/", "127.0.0.1.example.com"],
  ["https://0.0.0.0/", "0.0.0.0"],
])("a plain URL %j sends a secret key to %j", (url, host) => {
  expect(foreignHostOf(url)).toBe(host);
});
