// What was tried, and the table of it.

import type { CommandName } from "./story";

export class Tally {
  runs = 0;
  requests = 0;
  virtualMs = 0;
  readonly faults = new Map<string, number>();
  readonly commands = new Map<string, number>();
  /** How the stories ended: in peace, or with an error that names what to do. */
  readonly ends = new Map<string, number>();

  hit = (kind: string): void => add(this.faults, kind);
  command = (name: CommandName | "killed" | "interrupted" | "two stacks at once"): void => add(this.commands, name);
  end = (what: string): void => add(this.ends, what);
}

const add = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1);
