// Plays one story and judges it. Throws a Violation where a promise is broken.

import { type Court, type Report, Violation } from "./court";
import { playEnd } from "./end";
import { judgeGreen } from "./judge-green";
import { judgeIdentity } from "./judge-identity";
import { judgeInterrupt } from "./judge-interrupt";
import { judgeKept } from "./judge-kept";
import { judgePreview } from "./judge-preview";
import { judgeState } from "./judge-state";
import { judgeTime } from "./judge-time";
import { judgeTruth } from "./judge-truth";
import { judgeWords } from "./judge-words";
import { remember } from "./shown";
import { Stage } from "./stage";
import type { Act, Edit, Story } from "./story";
import type { Tally } from "./tally";

export interface PlayOptions {
  /** Sees each command when it has ended. */
  watch?: ConstructorParameters<typeof Stage>[2];
  /** Rules that do not count, so that the others are seen. */
  except?: ReadonlySet<string>;
}

export async function play(story: Story, tally: Tally, { watch, except }: PlayOptions = {}): Promise<void> {
  const stage = new Stage(story, tally, watch);
  for (const rule of except ?? []) stage.court.excepted.add(rule);
  const { clock } = stage.labs[0]!;
  tally.runs++;
  if (story.service.skewMs !== 0) tally.hit("clock skew of a minute");
  try {
    for (const act of story.acts) {
      await clock.advance(act.waitMs);
      await playAct(stage, act, story, tally);
    }
    await playEnd(stage, story, tally);
  } finally {
    tally.requests += stage.ledger.requests;
    tally.virtualMs += clock.now();
  }
}

async function playAct(stage: Stage, act: Act, story: Story, tally: Tally): Promise<void> {
  for (const edit of act.edits) change(stage, act.stack, edit);
  stage.injector.arm(act.faults);
  stage.begin(act);
  const other = 1 - act.stack;
  // Two backends with equal names at the same moment: who made what is then nobody's to tell.
  const both = act.both && !story.twins;
  if (both) tally.command("two stacks at once");
  const commands = act.command === "refresh+up" ? (["refresh", "up"] as const) : ([act.command] as const);
  const one = async (stack: number, command: Report["command"]) => {
    const report = await stage.run(stack, command);
    if (report.killed) tally.command("killed");
    else if (report.interruptedAt !== undefined) tally.command("interrupted");
    judge(stage, report);
    return report.killed;
  };
  const mine = async () => {
    for (const command of commands) if (await one(act.stack, command)) break;
  };
  await Promise.all([mine(), both ? one(other, "up") : undefined]);
  countOperations(stage, tally);
  stage.injector.clear();
}

/** Each keeps to one kind of promise. */
const JUDGES: readonly ((court: Court, report: Report) => void)[] = [
  judgeIdentity,
  judgeTruth,
  judgePreview,
  judgeKept,
  judgeState,
  judgeGreen,
  (_court, report) => judgeTime(report),
  (_court, report) => judgeInterrupt(report),
  (_court, report) => judgeWords(report),
];

export function judge({ court }: Stage, report: Report): void {
  for (const one of JUDGES) {
    try {
      one(court, report);
    } catch (error) {
      if (!(error instanceof Violation) || !court.excepted.has(error.rule)) throw error;
    }
  }
  remember(court, report);
}

function change({ slots, earlier }: Stage, stack: number, edit: Edit): void {
  const mine = slots[stack]!;
  const slot = mine[edit.slot];
  const generation = slot?.generation ?? 0;
  if ("back" in edit) {
    mine[edit.slot] = earlier[stack]!.get(edit.slot) ?? slot;
    return;
  }
  earlier[stack]!.set(edit.slot, slot);
  if ("to" in edit) mine[edit.slot] = edit.to ? { wish: edit.to, generation } : undefined;
  else if (!slot) return;
  else if ("rename" in edit) mine[edit.slot] = { ...slot, generation: generation + 1 };
  else {
    const { size, limits, ...rest } = slot.wish;
    const sized = edit.change.size !== undefined || edit.change.limits !== undefined;
    const wish = { ...rest, ...(sized ? {} : { ...(size && { size }), ...(limits && { limits }) }), ...edit.change };
    mine[edit.slot] = { wish, generation };
  }
}

const seen = new WeakSet<object>();

/** Operations that went otherwise than well, each once. */
function countOperations({ court, ledger }: Stage, tally: Tally): void {
  const ignored = ledger.deeds.filter((deed) => !seen.has(deed) && deed.method !== "DELETE" && deed.after);
  for (const deed of ignored) {
    seen.add(deed);
    const { id: _, settings, ...body } = deed.body as Record<string, unknown>;
    const after = deed.after as unknown as Record<string, unknown>;
    const missed = Object.entries(body).some(([name, value]) => value !== undefined && after[name] !== value);
    if (missed || (settings && JSON.stringify(settings) !== "{}" && JSON.stringify(after["settings"]) === "{}")) {
      tally.hit("setting silently ignored");
    }
  }
  for (const operation of court.emulator.world.operations) {
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
    tally.hit(kind);
  }
}
