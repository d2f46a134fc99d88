import type { Act, Service, Story } from "../../tools/chaos/story";

/** A service in a good mood. */
const SERVICE: Service = {
  operationMs: 500,
  lock: "project",
  failed: "final",
  failedRetryMs: 1000,
  idleUpdate: "operations",
  restartIdleStatus: 412,
  settingsPatch: "replace",
  listOrder: "newest",
  availabilityCheckMs: 0,
  retryAfter: "none",
  suspendDefaultSeconds: 300,
  rateLimit: {},
  ignoredFields: [],
  skewMs: 0,
  branchReadyMs: 0,
};

/** A command with nothing beside it. */
export const act = (command: Act["command"], more: Partial<Act> = {}): Act => ({
  stack: 0,
  edits: [],
  command,
  both: false,
  kill: null,
  interrupt: null,
  faults: [],
  hands: [],
  waitMs: 0,
  ...more,
});

export const fault = (kind: string, on: Act["faults"][number]["on"], more: Partial<Act["faults"][number]> = {}) => ({
  kind,
  on,
  skip: 0,
  times: 1,
  salt: 0,
  ...more,
});

export const story = ({
  service,
  ...more
}: Partial<Omit<Story, "service">> & { service?: Partial<Service> }): Story => ({
  seed: 1,
  service: { ...SERVICE, ...service },
  twins: false,
  programs: [
    [null, null, null],
    [null, null, null],
  ],
  acts: [],
  end: "up",
  ...more,
});
