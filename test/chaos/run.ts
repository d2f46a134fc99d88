// Plays scenarios until one breaks a promise, and shrinks that one.

import fc from "fast-check";
import { scenarios } from "./generate/scenarios";
import { Violation } from "./judge/judge";
import { type PlayOptions, play } from "./play";
import type { Scenario } from "./scenario";
import { Statistics } from "./statistics";

export interface RunOptions {
  runs: number;
  seed: number;
  /** The path of an earlier counterexample: only that scenario is played. */
  path?: string;
  /** @default true */
  shrink?: boolean;
  progress?: (statistics: Statistics) => void;
  /** Called after each command of each scenario. */
  watch?: PlayOptions["watch"];
  /** Rules to ignore. */
  except?: readonly string[];
  surface?: PlayOptions["surface"];
}

export interface Counterexample {
  rule: string;
  error: Error;
  /** The shortest scenario found that breaks the same promise. */
  scenario: Scenario;
  /** The number of the run, from 1. */
  run: number;
  path: string;
}

export interface Result {
  statistics: Statistics;
  counterexample?: Counterexample;
}

const ruleOf = (error: unknown): string => (error instanceof Violation ? error.rule : "it crashed");

export async function run({
  runs,
  seed,
  path,
  shrink = true,
  progress,
  watch,
  except = [],
  surface,
}: RunOptions): Promise<Result> {
  const statistics = new Statistics();
  let rule: string | undefined;
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    // Attempts to shrink a counterexample do not count as runs.
    const mine = rule === undefined ? statistics : new Statistics();
    try {
      await play(scenario, mine, { watch, except: new Set(except), surface });
    } catch (error) {
      rule ??= ruleOf(error);
      if (ruleOf(error) === rule) throw error;
    }
    if (mine === statistics) progress?.(statistics);
  });
  const outcome = await fc.check(property, {
    numRuns: runs,
    seed,
    endOnFailure: !shrink,
    ...(path === undefined ? {} : { path }),
  });
  if (!outcome.failed) return { statistics };
  const error =
    outcome.errorInstance instanceof Error ? outcome.errorInstance : new Error(String(outcome.errorInstance));
  const [scenario] = outcome.counterexample as [Scenario];
  const counterexample = {
    rule: rule ?? "it crashed",
    error,
    scenario,
    run: outcome.numRuns,
    path: outcome.counterexamplePath ?? "",
  };
  return { statistics, counterexample };
}
