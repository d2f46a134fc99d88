import { expect, test } from "vitest";
import { isUsable, parseVersion } from "../../tools/engine/version";

test.each([
  ["v3.274.1", [3, 274, 1]],
  ["3.216.0", [3, 216, 0]],
  ["v3.217.0-dev.0+abc\n", [3, 217, 0]],
  ["warning: a new version", undefined],
  ["", undefined],
])("%j reads as %j", (text, version) => {
  expect(parseVersion(text)).toEqual(version);
});

test.each([
  ["v3.216.0", true],
  ["v3.216.1", true],
  ["v3.274.1", true],
  ["v3.300.0-alpha.1", true],
  ["v3.215.9", false],
  ["v3.9.99", false],
  ["v4.0.0", false],
  ["v2.300.0", false],
  ["nonsense", false],
])("where 3.216.0 is asked for, %s is usable: %s", (version, usable) => {
  expect(isUsable(version, "3.216.0")).toBe(usable);
});
