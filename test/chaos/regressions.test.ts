/** Scenarios that once broke a promise, shrunk by fast-check. Each bug was fixed. */
import { describe, test } from "vitest";
import { fault, round, scenario } from "./builders";
import { play } from "./play";
import type { Scenario } from "./scenario";
import { Statistics } from "./statistics";

const PRIMARY = { type: "read_write", branch: 1 } as const;
const SCENARIOS: Record<string, Scenario> = {
  "a leftover whose start failed is started when it is taken over": scenario({
    programs: [[null, null, { type: "read_only", branch: 0 }], []],
    rounds: [
      round("up", {
        faults: [fault("operation is cancelled", "any")],
        kill: { request: 3, when: "before", laterMs: 0 },
      }),
    ],
  }),
  "a compute that was started a moment ago by a service whose clock is a minute behind restarts once": scenario({
    service: { operationMs: 0, skewMs: -60_000 },
    programs: [[null, PRIMARY, null], []],
    rounds: [
      round("up"),
      round("up", {
        edits: [{ slot: 1, change: { triggers: 1 } }],
        faults: [fault("500, work done", "change")],
      }),
    ],
  }),
  "a compute that a renamed resource took over, also by an explicit name, is not deleted after a failed run": scenario({
    programs: [
      [
        null,
        { type: "read_only", branch: 0, name: "reports", onDelete: "delete", adopt: true },
        { type: "read_write", branch: 0 },
      ],
      [],
    ],
    rounds: [round("refresh+up"), round("refresh+up", { edits: [{ slot: 1, rename: true }] }), round("up")],
  }),
  "Retry-After also holds for the last poll": scenario({
    programs: [[{ ...PRIMARY, minutes: 1 }, null, null], []],
    rounds: [round("up", { faults: [fault("503, Retry-After 7", "operations", { times: 60 })] })],
  }),
  "if a key can't see the project any more, its operations do not count as ended": scenario({
    service: { operationMs: 45_000 },
    programs: [[{ type: "read_write", branch: 0, adopt: true, limits: [0.25, 2] }, null, null], []],
    rounds: [round("up", { faults: [fault("404 of the project", "any", { skip: 2, times: 60 })] })],
  }),
  "an operation without a status is looked at again after a pause": scenario({
    programs: [[], [null, { type: "read_write", branch: 0, suspend: -1 }, null]],
    rounds: [
      round("up", { stack: 1, faults: [fault("401", "operations")] }),
      round("up", {
        stack: 1,
        waitMs: 400_000,
        faults: [fault("missing fields", "any", { skip: 1, times: 3, salt: 586 })],
      }),
    ],
  }),
  "if an operation can't be seen any more, the compute shows whether it failed": scenario({
    programs: [[], [PRIMARY, null, null]],
    rounds: [
      round("up", {
        stack: 1,
        faults: [fault("404 of the project", "operations", { times: 60 }), fault("operation is cancelled", "any")],
      }),
    ],
  }),
  "if the service's clock is a minute ahead, a Retry-After date is not taken for a minute more": scenario({
    service: { retryAfter: "date", skewMs: 60_000 },
    programs: [[{ ...PRIMARY, minutes: 1 }, { type: "read_only", branch: 1, minutes: 1 }, null], []],
    rounds: [
      round("up"),
      round("up", {
        edits: [
          { slot: 0, change: { size: 2, waitForReady: false } },
          { slot: 1, change: { size: 2, waitForReady: false } },
        ],
      }),
    ],
  }),
  "the error for a refused key says what the state holds": scenario({
    programs: [[{ type: "read_write", branch: 1 }, null, null], []],
    rounds: [round("up", { faults: [fault("401", "any")] })],
  }),
  "the error for a service that never answered says what was done": scenario({
    programs: [[], [null, null, PRIMARY]],
    rounds: [round("up", { stack: 1, faults: [fault("time-out, nothing done", "any", { times: 60 })] })],
  }),
  "the error for a change in doubt says what the state holds, and both failures": scenario({
    programs: [[], [{ ...PRIMARY, limits: [0.25, 2] }, null, null]],
    rounds: [
      round("up", { stack: 1 }),
      round("up", {
        stack: 1,
        edits: [{ slot: 0, change: { limits: [1, 4] } }],
        faults: [fault("500, nothing done", "change"), fault("401", "any", { skip: 1 })],
      }),
    ],
  }),
  "if a list shows neither name nor settings of a new compute, it may be ours, so no second one is created": scenario({
    programs: [[null, { type: "read_write", branch: 0 }, { type: "read_only", branch: 2, pg: { work_mem: "1" } }], []],
    rounds: [
      round("up", {
        faults: [fault("null fields", "list", { skip: 2, salt: 930 }), fault("null fields", "any")],
      }),
    ],
  }),
  "adopt does not take what another resource of the program has": scenario({
    programs: [[null, { type: "read_write", branch: 0 }, null], []],
    rounds: [
      round("up", { manualChanges: [{ what: "delete", which: 0, at: 0 }] }),
      round("up", { edits: [{ slot: 0, to: { type: "read_write", branch: 0, name: "reports", adopt: true } }] }),
    ],
  }),
  "a compute whose first start failed is started when it is enabled again": scenario({
    service: { idleUpdate: "none" },
    programs: [[{ type: "read_write", branch: 1 }, null, null], []],
    rounds: [
      round("up", { edits: [{ slot: 0, change: { disabled: false } }], faults: [fault("operation fails", "any")] }),
      round("up", { manualChanges: [{ what: "disable", which: 2, at: 0 }] }),
    ],
  }),
  "a compute that nobody waited for, and whose start failed, is started when somebody waits": scenario({
    programs: [[], [{ type: "read_only", branch: 0, waitForReady: false }, null, null]],
    rounds: [
      round("up", { stack: 1, faults: [fault("operation is cancelled", "any")] }),
      round("up", { stack: 1, edits: [{ slot: 0, to: { type: "read_only", branch: 0, libraries: [] } }] }),
      round("up"),
    ],
  }),
  "if two steps share a wait, a step whose time is up does not wait for the other": scenario({
    service: { lock: "branch", ignoredFields: ["suspend_timeout_seconds"] },
    programs: [
      [
        { type: "read_only", branch: 0, suspend: -1, minutes: 12 },
        { type: "read_write", branch: 1, suspend: -1 },
        null,
      ],
      [],
    ],
    rounds: [
      round("up"),
      round("up", { faults: [fault("429, Retry-After as a date", "any", { skip: 2, times: 60 })] }),
    ],
  }),
  "adopt: true does not move back a primary that a restore of its branch has just moved": scenario({
    programs: [[{ type: "read_write", branch: 0, adopt: true }, null, null], []],
    rounds: [round("up", { manualChanges: [{ what: "restore", which: 1, at: 2 }] })],
  }),
  "a create that was answered and not carried out is no success, even if Ctrl-C ends the check of it": scenario({
    programs: [[{ type: "read_write", branch: 1 }, null, null], []],
    rounds: [round("up", { faults: [fault("success without the work", "POST")], interrupt: 3 })],
  }),
  "a start that was answered and not carried out is no success": scenario({
    programs: [[{ type: "read_write", branch: 1 }, null, null], []],
    rounds: [
      round("up", { faults: [fault("operation ends in error", "any")] }),
      round("up", { faults: [fault("success without the work", "POST")] }),
    ],
  }),
};

describe("no promise is broken", () => {
  test.each(Object.entries(SCENARIOS))("%s", async (_name, one) => {
    await play(one, new Statistics());
  });
});
