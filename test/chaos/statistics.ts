// Counts of what a run tried.

import type { CommandName } from "./scenario";

export class Statistics {
  runs = 0;
  requests = 0;
  virtualMs = 0;
  readonly faults = new Map<string, number>();
  readonly commands = new Map<string, number>();
  /** How the scenarios ended, and how often the advice of an error was followed. */
  readonly ends = new Map<string, number>();

  hit = (kind: string): void => add(this.faults, kind);
  command = (name: CommandName | "killed" | "interrupted" | "two stacks at once"): void => add(this.commands, name);
  end = (what: string): void => add(this.ends, what);
}

const add = (map: Map<string, number>, key: string): void => void map.set(key, (map.get(key) ?? 0) + 1);
