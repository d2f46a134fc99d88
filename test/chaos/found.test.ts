/** Stories that once broke a promise, as short as the machine could make them: each is a mistake that was mended. */
import { describe, test } from "vitest";
import { play } from "../../tools/chaos/play";
import type { Story } from "../../tools/chaos/story";
import { Tally } from "../../tools/chaos/tally";
import { act, fault, story } from "./support";

const PRIMARY = { type: "read_write", branch: 1 } as const;
const STORIES: Record<string, Story> = {
  "a leftover whose start failed is started when it is taken over": story({
    programs: [[null, null, { type: "read_only", branch: 0 }], []],
    acts: [
      act("up", {
        faults: [fault("operation is cancelled", "any")],
        kill: { request: 3, when: "before", laterMs: 0 },
      }),
    ],
  }),
  "a compute that was started a moment ago by a service whose clock is a minute behind restarts once": story({
    service: { operationMs: 0, skewMs: -60_000 },
    programs: [[null, PRIMARY, null], []],
    acts: [
      act("up"),
      act("up", {
        edits: [{ slot: 1, change: { triggers: 1 } }],
        faults: [fault("500, work done", "change")],
      }),
    ],
  }),
  "a compute that a renamed resource took over is spared after a run that failed, also by its explicit name": story({
    programs: [
      [
        null,
        { type: "read_only", branch: 0, name: "reports", onDelete: "delete", adopt: true },
        { type: "read_write", branch: 0 },
      ],
      [],
    ],
    acts: [act("refresh+up"), act("refresh+up", { edits: [{ slot: 1, rename: true }] }), act("up")],
  }),
  "Retry-After holds for the last look as well": story({
    programs: [[{ ...PRIMARY, minutes: 1 }, null, null], []],
    acts: [act("up", { faults: [fault("503, Retry-After 7", "operations", { times: 60 })] })],
  }),
  "operations of a project that can't be seen any more have not ended for that": story({
    service: { operationMs: 45_000 },
    programs: [[{ type: "read_write", branch: 0, adopt: true, limits: [0.25, 2] }, null, null], []],
    acts: [act("up", { faults: [fault("404 of the project", "any", { skip: 2, times: 60 })] })],
  }),
  "an operation without a status is looked at again after a pause": story({
    programs: [[], [null, { type: "read_write", branch: 0, suspend: -1 }, null]],
    acts: [
      act("up", { stack: 1, faults: [fault("401", "operations")] }),
      act("up", {
        stack: 1,
        waitMs: 400_000,
        faults: [fault("missing fields", "any", { skip: 1, times: 3, salt: 586 })],
      }),
    ],
  }),
  "an operation that can't be seen any more may have failed: the compute tells": story({
    programs: [[], [PRIMARY, null, null]],
    acts: [
      act("up", {
        stack: 1,
        faults: [fault("404 of the project", "operations", { times: 60 }), fault("operation is cancelled", "any")],
      }),
    ],
  }),
  "a Retry-After date of a service whose clock is a minute ahead is no minute": story({
    service: { retryAfter: "date", skewMs: 60_000 },
    programs: [[{ ...PRIMARY, minutes: 1 }, { type: "read_only", branch: 1, minutes: 1 }, null], []],
    acts: [
      act("up"),
      act("up", {
        edits: [
          { slot: 0, change: { size: 2, waitForReady: false } },
          { slot: 1, change: { size: 2, waitForReady: false } },
        ],
      }),
    ],
  }),
  "a refused key is told with what the state holds": story({
    programs: [[{ type: "read_write", branch: 1 }, null, null], []],
    acts: [act("up", { faults: [fault("401", "any")] })],
  }),
  "a service that never answered is told with what was done": story({
    programs: [[], [null, null, PRIMARY]],
    acts: [act("up", { stack: 1, faults: [fault("time-out, nothing done", "any", { times: 60 })] })],
  }),
  "a change in doubt is told with what the state holds, and with both failures": story({
    programs: [[], [{ ...PRIMARY, limits: [0.25, 2] }, null, null]],
    acts: [
      act("up", { stack: 1 }),
      act("up", {
        stack: 1,
        edits: [{ slot: 0, change: { limits: [1, 4] } }],
        faults: [fault("500, nothing done", "change"), fault("401", "any", { skip: 1 })],
      }),
    ],
  }),
  "a new compute of which a list shows neither name nor settings may be ours: none is made beside it": story({
    programs: [[null, { type: "read_write", branch: 0 }, { type: "read_only", branch: 2, pg: { work_mem: "1" } }], []],
    acts: [
      act("up", {
        faults: [fault("null fields", "list", { skip: 2, salt: 930 }), fault("null fields", "any")],
      }),
    ],
  }),
  "adopt does not take what another resource of the program has": story({
    programs: [[null, { type: "read_write", branch: 0 }, null], []],
    acts: [
      act("up", { hands: [{ what: "delete", which: 0, at: 0 }] }),
      act("up", { edits: [{ slot: 0, to: { type: "read_write", branch: 0, name: "reports", adopt: true } }] }),
    ],
  }),
  "a compute whose first start failed is started when it is enabled again": story({
    service: { idleUpdate: "none" },
    programs: [[{ type: "read_write", branch: 1 }, null, null], []],
    acts: [
      act("up", { edits: [{ slot: 0, change: { disabled: false } }], faults: [fault("operation fails", "any")] }),
      act("up", { hands: [{ what: "disable", which: 2, at: 0 }] }),
    ],
  }),
  "a compute that nobody waited for, and whose start failed, is started when somebody waits": story({
    programs: [[], [{ type: "read_only", branch: 0, waitForReady: false }, null, null]],
    acts: [
      act("up", { stack: 1, faults: [fault("operation is cancelled", "any")] }),
      act("up", { stack: 1, edits: [{ slot: 0, to: { type: "read_only", branch: 0, libraries: [] } }] }),
      act("up"),
    ],
  }),
  "of two who wait together, the one whose time is up does not wait for the other": story({
    service: { lock: "branch", ignoredFields: ["suspend_timeout_seconds"] },
    programs: [
      [
        { type: "read_only", branch: 0, suspend: -1, minutes: 12 },
        { type: "read_write", branch: 1, suspend: -1 },
        null,
      ],
      [],
    ],
    acts: [act("up"), act("up", { faults: [fault("429, Retry-After as a date", "any", { skip: 2, times: 60 })] })],
  }),
  "adopt: true does not move back a primary that a restore of its branch has just moved": story({
    programs: [[{ type: "read_write", branch: 0, adopt: true }, null, null], []],
    acts: [act("up", { hands: [{ what: "restore", which: 1, at: 2 }] })],
  }),
  "a create that was only answered is no success when Ctrl-C ends the look at it": story({
    programs: [[{ type: "read_write", branch: 1 }, null, null], []],
    acts: [act("up", { faults: [fault("success without the work", "POST")], interrupt: 3 })],
  }),
  "a start that was only answered is no success": story({
    programs: [[{ type: "read_write", branch: 1 }, null, null], []],
    acts: [
      act("up", { faults: [fault("operation ends in error", "any")] }),
      act("up", { faults: [fault("success without the work", "POST")] }),
    ],
  }),
};

describe("no promise is broken", () => {
  test.each(Object.entries(STORIES))("%s", async (_name, one) => {
    await play(one, new Tally());
  });
});
