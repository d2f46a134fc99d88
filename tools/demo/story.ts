/** What the demo shows, in order. The texts are for somebody who sees the product for the first time. */
import { SEED } from "../../emulator/index";
import type { Step } from "./runner";

const PRIMARY = SEED.primaryId;
const PATCH = new RegExp(`^PATCH ${PRIMARY}$`);
const RESTARTS = /warning: ep-\S+: .* restarts this compute/;
const NOW = /It is active( \(last used .* ago\))?: open connections drop/;
const REPLICA = /^ep-\S+ +read_only +0\.5 CU/;
const primaryOf = (size: string) => new RegExp(`^${PRIMARY} +read_write +${size}`);

export const BEFORE = [primaryOf("0.25 CU")];

export const STORY: readonly Step[] = [
  {
    heading: "First up: take over what is there, make what is not",
    tell:
      "The project has a primary, of a fixed 0.25 CU. The program adopts it and gives it 1 to 2 CU: the preview warns that this may " +
      "restart it. The replica is new. The service takes about two seconds for each change and takes one at a time; " +
      "the provider waits for its turn, and for the end.",
    pulumi: ["up", "--yes"],
    shows: [/warning: takes over ep-\S+: .* restart this compute/, /\+ 3 created/],
    changes: [PATCH, /^POST$/],
    waits: true,
    leaves: [primaryOf("1 to 2 CU"), REPLICA],
  },
  {
    heading: "The outputs",
    tell: "Where applications connect, and what the size gives.",
    pulumi: ["stack", "output"],
    shows: [new RegExp(`host +${PRIMARY}\\.`), /memoryGb +8/],
  },
  {
    heading: "More memory, please: what would it do?",
    tell: "Somebody raises the upper limit. Does that hurt? The preview says so before anything is merged.",
    edit: { from: "autoscalingLimitMaxCu: 2,", to: "autoscalingLimitMaxCu: 4," },
    pulumi: ["preview"],
    shows: [
      RESTARTS,
      /autoscalingLimitMaxCu 2 → 4/,
      /\[diff: ~autoscalingLimitMaxCu,restart\]/,
      NOW,
      /~ 1 to update\s+2 unchanged/,
    ],
    changes: [],
    remark:
      "The warning at the resource also says what is true right now. `restart` in the diff tells the same to policies and " +
      "to --json. Nothing else changes.",
  },
  {
    heading: "The same, where restarts are refused",
    tell:
      'With onRestart: "refuse", on a resource or for a whole stack, such a change does not get through: this preview fails, ' +
      "and is meant to.",
    edit: { from: "adopt: true,", to: 'adopt: true,\n  onRestart: "refuse",' },
    pulumi: ["preview"],
    fails: true,
    shows: [/error: .*autoscalingLimitMaxCu 2 → 4/, /onRestart is "refuse"/],
    remark: "It failed, as it should, and says which property, what happens, and how to go on. The demo goes on.",
  },
  {
    heading: "Agreed: make the change, and wait until it is done",
    tell:
      "The line is removed, and the change is made. It skips the preview, which we have just seen. Watch it wait: " +
      "when Pulumi says `updated`, the compute is ready.",
    edit: { from: 'adopt: true,\n  onRestart: "refuse",', to: "adopt: true," },
    pulumi: ["up", "--yes", "--skip-preview"],
    shows: [/~ 1 updated/, /memoryGb +: 8 => 16/],
    changes: [PATCH],
    waits: true,
    leaves: [primaryOf("1 to 4 CU"), REPLICA],
  },
  {
    heading: "A harmless change: no warning",
    tell:
      "A compute that suspends later does not restart. So neither the preview nor the update warns: a warning that is always " +
      "there is read by nobody.",
    edit: { from: "suspendTimeoutSeconds: 300,", to: "suspendTimeoutSeconds: 600," },
    pulumi: ["up", "--yes"],
    shows: [/\[diff: .*suspendTimeoutSeconds/, /~ 1 to update\s+2 unchanged/, /~ 1 updated\s+2 unchanged/],
    hides: [/warning/, /connections drop/],
    changes: [PATCH],
    waits: true,
    remark: '`restart` is in the diff only because the notice changes from "yes: …" back to "no".',
  },
  {
    heading: "Somebody changes the compute by hand",
    tell: "The change is not in the program but on the service itself. The emulator has a route for that.",
    byHand: { endpoint: PRIMARY, fields: { autoscaling_limit_max_cu: 8 } },
    leaves: [primaryOf("1 to 8 CU"), REPLICA],
  },
  {
    heading: "Refresh finds it",
    tell: "One look at the project's computes, however many there are. It shows what drifted, and nothing else.",
    pulumi: ["refresh", "--yes", "--skip-preview"],
    shows: [/\[diff: ~autoscalingLimitMaxCu\]/, /~ 1 updated\s+2 unchanged/],
    changes: [],
  },
  {
    heading: "What would the next up do?",
    tell: "It takes the change back. That is a restart too, and the preview says so; --diff shows the values.",
    pulumi: ["preview", "--diff"],
    changes: [],
    shows: [RESTARTS, NOW, /autoscalingLimitMaxCu: 8 => 4/, /restart +: "no" => "yes: autoscalingLimitMaxCu 8 → 4/],
  },
  {
    heading: "Destroy: delete what was created, let go of what was there",
    tell:
      "The replica is deleted. The primary was there before us, so it is released: it leaves Pulumi's state and stays on the " +
      "service as it is.",
    pulumi: ["destroy", "--yes", "--skip-preview"],
    shows: [/- 3 deleted/, new RegExp(`compute ${PRIMARY} leaves the state and stays`)],
    changes: [/^DELETE ep-/],
    waits: true,
    leaves: [primaryOf("1 to 8 CU")],
  },
];
