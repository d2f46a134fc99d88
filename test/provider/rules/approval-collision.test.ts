/**
 * Who may write both the program and the request for approval searches for two changes with one digest: a harmless one to be
 * approved, and a new host to be carried out. A value in `restartTriggers`, of which reviewers see that it changed, can be any
 * text, so there are as many tries as one likes.
 */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { digestOfChange } from "../../../provider/rules/approval.js";
import { readApprovals } from "../../../provider/rules/approval-list.js";
import { impactOf } from "../../../provider/rules/impact.js";
import { desiredSettings, type SettingsInput } from "../../../provider/rules/settings.js";

const TYPE = "pulumi-nodejs:dynamic/compute:Endpoint";
const URN = `urn:pulumi:prod::shop::${TYPE}::primary`;
const BEFORE: SettingsInput = { projectId: "p", branchId: "br-a", restartTriggers: ["2026-05"] };

/** The digest of a restart, or of a new host in another project, for one text in the triggers. */
function digestOf(kind: "restart" | "new-host", text: string): string {
  const next = { ...BEFORE, projectId: kind === "restart" ? "p" : "q", restartTriggers: [text] };
  const [old, wish] = [desiredSettings(BEFORE), desiredSettings(next)];
  const assessment = impactOf(old, wish);
  expect(assessment.impact).toBe(kind);
  return digestOfChange(URN, assessment, old, wish)!;
}

/** The first two texts whose changes have one digest, of which only the first digits count. */
function search(digits: number): { harmless: string; harmful: string } {
  const [restarts, hosts] = [new Map<string, string>(), new Map<string, string>()];
  for (let count = 0; ; count++) {
    const text = String(count);
    const [restart, host] = [digestOf("restart", text), digestOf("new-host", text)];
    const [harmless, harmful] = [restarts.get(host.slice(0, digits)), hosts.get(restart.slice(0, digits))];
    if (harmless !== undefined) return { harmless, harmful: text };
    if (harmful !== undefined) return { harmless: text, harmful };
    restarts.set(restart.slice(0, digits), text);
    hosts.set(host.slice(0, digits), text);
  }
}

/** As version 1 made it: 12 digits, of the triggers as well. */
function version1(kind: "restart" | "new-host", text: string): string {
  const hash = (value: string) => createHash("sha256").update(value).digest("hex").slice(0, 12);
  const triggers = ["restartTriggers", hash('["2026-05"]'), hash(JSON.stringify([text]))];
  const moved = [
    ["branchId", "br-a", "br-a"],
    ["projectId", "p", "q"],
  ];
  const changes = kind === "restart" ? [triggers] : [...moved, triggers];
  return hash(
    JSON.stringify({ changes, impact: kind, name: "primary", project: "shop", stack: "prod", type: TYPE, v: 1 }),
  );
}

describe("two changes with one digest", () => {
  test.each([16, 20, 24])("are found at once where only %i bits count", (bits) => {
    const { harmless, harmful } = search(bits / 4);
    const [restart, host] = [digestOf("restart", harmless), digestOf("new-host", harmful)];
    expect(restart.slice(0, bits / 4)).toBe(host.slice(0, bits / 4));
    // The approval of the one does not pass the other, nor does what the two have in common.
    expect(readApprovals(JSON.stringify([restart]), 0).digests.has(host)).toBe(false);
    for (let length = 1; length <= restart.length; length++) {
      expect(readApprovals(JSON.stringify([restart.slice(0, length)]), 0).digests.has(host)).toBe(false);
    }
  });

  test("were found in a minute and a half for version 1, and have two digests now", () => {
    // What the same search found with 48 bits.
    const [harmless, harmful] = ["9967775", "10849758"];
    expect(version1("restart", harmless)).toBe(version1("new-host", harmful));
    const [restart, host] = [digestOf("restart", harmless), digestOf("new-host", harmful)];
    expect(restart).not.toBe(host);
    expect(readApprovals(JSON.stringify([version1("restart", harmless)]), 0).digests.size).toBe(0);
  });

  test("would take 2^64 tries: the digest, and that of the triggers in it, have 128 bits", () => {
    expect(digestOf("restart", "a")).toMatch(/^[0-9a-f]{32}$/);
    // Not seen from outside: so two lists whose inner digests share 48 bits, found by the same search.
    const [one, other] = ["5594614", "7064561"];
    const inner = (text: string) =>
      createHash("sha256")
        .update(JSON.stringify([text]))
        .digest("hex");
    expect(inner(one).slice(0, 12)).toBe(inner(other).slice(0, 12));
    expect(digestOf("restart", one)).not.toBe(digestOf("restart", other));
  });
});
