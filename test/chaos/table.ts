// What a run prints at its end.

import { describeScenario } from "./describe";
import { FAULT_KINDS } from "./faults/kinds";
import { MANUAL_CHANGE_KINDS } from "./manual-changes";
import type { Counterexample } from "./run";
import type { Statistics } from "./statistics";

const COMMANDS = ["up", "preview", "refresh", "destroy", "killed", "interrupted", "two stacks at once"];

const number = (value: number): string => Math.round(value).toLocaleString("en-US");

const rows = (title: string, names: readonly string[], counts: ReadonlyMap<string, number>): string[] => [
  "",
  `| ${title} | times |`,
  "| --- | ---: |",
  ...names.map((name) => `| ${name} | ${number(counts.get(name) ?? 0)}${counts.get(name) ? "" : " **never**"} |`),
];

/** @param seconds the run's duration */
export function table(statistics: Statistics, violations: number, seconds: number): string[] {
  const hours = statistics.virtualMs / 3_600_000;
  const days = `${number(hours / 24)} days`;
  return [
    "| what | how many |",
    "| --- | ---: |",
    `| runs | ${number(statistics.runs)} |`,
    `| requests | ${number(statistics.requests)} |`,
    `| virtual time | ${hours < 48 ? `${number(hours)} hours` : days} |`,
    `| real time | ${number(seconds)} s |`,
    `| **violations** | **${violations}** |`,
    ...rows("command", COMMANDS, statistics.commands),
    ...rows("end of a scenario", ["up", "refresh+up", "destroy", "advice of an error followed"], statistics.ends),
    ...rows(
      "fault that hit",
      [...new Set([...FAULT_KINDS, ...MANUAL_CHANGE_KINDS, "clock skew of a minute"])],
      statistics.faults,
    ),
  ];
}

/** A counterexample for people, with the command that replays it. */
export function describeCounterexample({ rule, error, scenario, run, path }: Counterexample, seed: number): string[] {
  return [
    `run ${run} breaks a promise: ${rule}`,
    error.message,
    "",
    ...describeScenario(scenario),
    "",
    `seed ${seed}, path ${path}`,
    `npm run chaos -- --seed ${seed} --path ${path}`,
  ];
}

/** Kinds of faults that never hit. After many runs that is a mistake of the generator. */
export const neverHit = ({ faults }: Statistics): string[] =>
  [...FAULT_KINDS, ...MANUAL_CHANGE_KINDS].filter((kind) => !faults.has(kind));
