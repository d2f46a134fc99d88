// The end of a run: what was tried, and what came of it.

import { FAULT_KINDS } from "./faults";
import { HAND_KINDS } from "./hands";
import type { Found } from "./run";
import type { Tally } from "./tally";
import { tell } from "./tell";

const COMMANDS = ["up", "preview", "refresh", "destroy", "killed", "interrupted", "two stacks at once"];

const number = (value: number): string => Math.round(value).toLocaleString("en-US");

const rows = (title: string, names: readonly string[], counts: ReadonlyMap<string, number>): string[] => [
  "",
  `| ${title} | times |`,
  "| --- | ---: |",
  ...names.map((name) => `| ${name} | ${number(counts.get(name) ?? 0)}${counts.get(name) ? "" : " **never**"} |`),
];

/** @param seconds how long it took */
export function table(tally: Tally, violations: number, seconds: number): string[] {
  const hours = tally.virtualMs / 3_600_000;
  const days = `${number(hours / 24)} days`;
  return [
    "| what | how many |",
    "| --- | ---: |",
    `| runs | ${number(tally.runs)} |`,
    `| requests | ${number(tally.requests)} |`,
    `| virtual time | ${hours < 48 ? `${number(hours)} hours` : days} |`,
    `| real time | ${number(seconds)} s |`,
    `| **violations** | **${violations}** |`,
    ...rows("command", COMMANDS, tally.commands),
    ...rows("end of a story", ["up", "refresh+up", "destroy", "advice of an error followed"], tally.ends),
    ...rows("fault that hit", [...new Set([...FAULT_KINDS, ...HAND_KINDS, "clock skew of a minute"])], tally.faults),
  ];
}

/** A counter-example for people, with the command that plays it again. */
export function account({ rule, error, story, run, path }: Found, seed: number): string[] {
  return [
    `run ${run} breaks a promise: ${rule}`,
    error.message,
    "",
    ...tell(story),
    "",
    `seed ${seed}, path ${path}`,
    `npm run chaos -- --seed ${seed} --path ${path}`,
  ];
}

/** Kinds that never hit: after many runs that is a mistake of the generator. */
export const neverHit = ({ faults }: Tally): string[] =>
  [...FAULT_KINDS, ...HAND_KINDS].filter((kind) => !faults.has(kind));
