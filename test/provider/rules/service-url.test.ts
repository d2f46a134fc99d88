import { expect, test } from "vitest";
import { DEFAULT_API_URL, isForeign } from "../../../provider/rules/service-url.js";

test.each<[string, boolean]>([
  ["", false],
  ["not a URL", false],
  [DEFAULT_API_URL, false],
  ["https://console.neon.tech:443/", false],
  ["http://127.0.0.1:4010/api/v2", false],
  ["http://localhost:4010/api/v2", false],
  ["http://[::1]:4010/api/v2", false],
  [" https://db.example.com/api/v2 ", true],
  ["http://console.neon.tech/api/v2", true],
  ["https://console.neon.tech:8443/api/v2", true],
  ["https://console.neon.tech.example.com/api/v2", true],
  ["https://console.neon.tech@example.com/api/v2", true],
  ["https://localhost.example.com/", true],
  ["https://127.0.0.1.example.com/", true],
  ["https://0.0.0.0/", true],
])("whether %j is another host than the public service and this machine: %j", (url, foreign) => {
  expect(isForeign(url)).toBe(foreign);
});
