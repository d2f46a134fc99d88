import { type Act, CALM, type Service, type Story } from "../../tools/chaos/story";

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
  service: { ...CALM, ...service },
  twins: false,
  programs: [
    [null, null, null],
    [null, null, null],
  ],
  acts: [],
  end: "up",
  ...more,
});
