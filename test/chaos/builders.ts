import { DEFAULT_SERVICE, type Round, roundWith, type Scenario, type Service } from "./scenario";

/** A round of one command. `more` adds what else happens in it. */
export const round = (command: Round["command"], more: Partial<Round> = {}): Round => roundWith({ ...more, command });

export const fault = (
  kind: string,
  on: Round["faults"][number]["on"],
  more: Partial<Round["faults"][number]> = {},
) => ({
  kind,
  on,
  skip: 0,
  times: 1,
  salt: 0,
  ...more,
});

export const scenario = ({
  service,
  ...more
}: Partial<Omit<Scenario, "service">> & { service?: Partial<Service> }): Scenario => ({
  seed: 1,
  service: { ...DEFAULT_SERVICE, ...service },
  twins: false,
  programs: [
    [null, null, null],
    [null, null, null],
  ],
  rounds: [],
  end: "up",
  ...more,
});
