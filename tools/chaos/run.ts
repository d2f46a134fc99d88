// Many stories, until one breaks a promise; that one is then made as short as it can be.

import fc from "fast-check";
import { Violation } from "./court";
import { type PlayOptions, play } from "./play";
import { type Story, stories } from "./story";
import { Tally } from "./tally";

export interface RunOptions {
  runs: number;
  seed: number;
  /** Of an earlier counter-example: only that story is played. */
  path?: string;
  /** @default true */
  shrink?: boolean;
  progress?: (tally: Tally) => void;
  /** Sees each command of each story. */
  watch?: PlayOptions["watch"];
  /** Rules that do not count. */
  except?: readonly string[];
}

export interface Found {
  rule: string;
  error: Error;
  /** The story as it came, and the shortest that breaks the same promise. */
  story: Story;
  /** Which run it was, from 1. */
  run: number;
  path: string;
}

export interface Result {
  tally: Tally;
  found?: Found;
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
}: RunOptions): Promise<Result> {
  const tally = new Tally();
  let rule: string | undefined;
  const property = fc.asyncProperty(stories, async (story) => {
    // What is tried in order to make a counter-example shorter is no run of its own.
    const mine = rule === undefined ? tally : new Tally();
    try {
      await play(story, mine, { watch, except: new Set(except) });
    } catch (error) {
      rule ??= ruleOf(error);
      if (ruleOf(error) === rule) throw error;
    }
    if (mine === tally) progress?.(tally);
  });
  const outcome = await fc.check(property, {
    numRuns: runs,
    seed,
    endOnFailure: !shrink,
    ...(path === undefined ? {} : { path }),
  });
  if (!outcome.failed) return { tally };
  const error =
    outcome.errorInstance instanceof Error ? outcome.errorInstance : new Error(String(outcome.errorInstance));
  const [story] = outcome.counterexample as [Story];
  const found = {
    rule: rule ?? "it crashed",
    error,
    story,
    run: outcome.numRuns,
    path: outcome.counterexamplePath ?? "",
  };
  return { tally, found };
}
