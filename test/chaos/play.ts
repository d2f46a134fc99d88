// Plays one scenario and judges each command. Throws a Violation if a promise was broken.

import type { Surface } from "../support/lab/form";
import { converge } from "./converge";
import { rememberAnnounced } from "./judge/announced";
import { judgeCleanPreview } from "./judge/clean-preview";
import { judgeErrorTexts } from "./judge/error-texts";
import { judgeForeseen } from "./judge/foreseen";
import { judgeIdentity } from "./judge/identity";
import { judgeInterrupt } from "./judge/interrupt";
import { type Judge, type Report, Violation } from "./judge/judge";
import { judgeNeighbour } from "./judge/neighbour";
import { judgePreview } from "./judge/preview";
import { judgeState } from "./judge/state";
import { judgeSuccess } from "./judge/success";
import { judgeTime } from "./judge/time";
import { judgeUnshownChanges } from "./judge/unshown-changes";
import type { Round, Scenario } from "./scenario";
import type { Statistics } from "./statistics";
import { World } from "./world";

export interface PlayOptions {
  /** Called after each command. */
  watch?: ConstructorParameters<typeof World>[2];
  /** Rules to ignore, so that violations of others come to light. */
  except?: ReadonlySet<string>;
  /** @default the class of TypeScript programs */
  surface?: Surface | undefined;
}

export async function play(
  scenario: Scenario,
  statistics: Statistics,
  { watch, except, surface }: PlayOptions = {},
): Promise<void> {
  const world = new World(scenario, statistics, watch, surface);
  for (const rule of except ?? []) world.judge.ignoredRules.add(rule);
  const { clock } = world.labs[0]!;
  statistics.runs++;
  if (scenario.service.skewMs !== 0) statistics.hit("clock skew of a minute");
  try {
    for (const round of scenario.rounds) {
      await clock.advance(round.waitMs);
      await playRound(world, round, scenario, statistics);
    }
    await converge(world, scenario, statistics);
  } finally {
    statistics.requests += world.history.requests;
    statistics.virtualMs += clock.now();
  }
}

async function playRound(world: World, round: Round, scenario: Scenario, statistics: Statistics): Promise<void> {
  for (const edit of round.edits) world.programs[round.stack]!.edit(edit);
  world.injector.arm(round.faults);
  world.begin(round);
  const other = 1 - round.stack;
  // Stacks of the same name must not run together: nobody could tell which of them created a compute.
  const both = round.both && !scenario.twins;
  if (both) statistics.command("two stacks at once");
  const commands = round.command === "refresh+up" ? (["refresh", "up"] as const) : ([round.command] as const);
  const runOne = async (stack: number, command: Report["command"]) => {
    const report = await world.run(stack, command);
    if (report.killed) statistics.command("killed");
    else if (report.interruptedAt !== undefined) statistics.command("interrupted");
    judgeCommand(world, report);
    return report.killed;
  };
  const runAll = async () => {
    for (const command of commands) if (await runOne(round.stack, command)) break;
  };
  await Promise.all([runAll(), both ? runOne(other, "up") : undefined]);
  countOperations(world, statistics);
  world.injector.clear();
}

/** The rules. Each function judges one kind of promise. */
const JUDGES: readonly ((judge: Judge, report: Report) => void)[] = [
  judgeIdentity,
  judgeSuccess,
  judgePreview,
  judgeUnshownChanges,
  judgeState,
  judgeCleanPreview,
  (_judge, report) => judgeForeseen(report),
  (_judge, report) => judgeTime(report),
  judgeNeighbour,
  (_judge, report) => judgeInterrupt(report),
  (_judge, report) => judgeErrorTexts(report),
];

export function judgeCommand({ judge }: World, report: Report): void {
  for (const one of JUDGES) {
    try {
      one(judge, report);
    } catch (error) {
      if (!(error instanceof Violation) || !judge.ignoredRules.has(error.rule)) throw error;
    }
  }
  rememberAnnounced(judge, report);
}

const seen = new WeakSet<object>();

/** Counts operations that did not end well, and settings that the service ignored, each once. */
function countOperations({ judge, history }: World, statistics: Statistics): void {
  const ignored = history.changeRequests.filter(
    (changeRequest) => !seen.has(changeRequest) && changeRequest.method !== "DELETE" && changeRequest.after,
  );
  for (const changeRequest of ignored) {
    seen.add(changeRequest);
    const { id: _, settings, ...body } = changeRequest.body as Record<string, unknown>;
    const after = changeRequest.after as unknown as Record<string, unknown>;
    const missed = Object.entries(body).some(([name, value]) => value !== undefined && after[name] !== value);
    if (missed || (settings && JSON.stringify(settings) !== "{}" && JSON.stringify(after["settings"]) === "{}")) {
      statistics.hit("setting silently ignored");
    }
  }
  for (const operation of judge.emulator.world.operations) {
    const { plan, status, failures_count } = operation;
    const kind =
      plan.end === "never"
        ? "operation never ends"
        : status === "error"
          ? "operation ends in error"
          : status === "cancelled" && plan.end === "cancelled"
            ? "operation is cancelled"
            : failures_count > 0 && plan.end === "finished"
              ? "operation fails and recovers"
              : status === "failed"
                ? "operation fails"
                : undefined;
    if (kind === undefined || seen.has(operation)) continue;
    seen.add(operation);
    statistics.hit(kind);
  }
}
